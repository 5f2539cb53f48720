package collect

import (
	"encoding/json"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// record is the data of the public record.
type record struct {
	Account     uint32          `json:"account"`
	Member      domain.MemberID `json:"memberID,omitempty"`
	Service     string          `json:"service,omitempty"`
	UID         string          `json:"serviceUserID,omitempty"`
	PartnerCode string          `json:"partnerCode,omitempty"`
	PartnerID   string          `json:"partnerID,omitempty"`
	Activity    uint32          `json:"activityID"`
	Brand       uint32          `json:"brandID,omitempty"`
	Content     json.RawMessage `json:"content,omitempty"`
	Link        string          `json:"link,omitempty"`
	Media       string          `json:"media,omitempty"`
	Marker      string          `json:"marker,omitempty"`
	Geo         *input.Place    `json:"geo,omitempty"`
}

// message is the action as a CloudEvent in Kafka's binary form. Its ids are filled in.
func message(a *input.Action, account uint32, source string) (kafka.Message, error) {
	w := &a.Member
	data := record{
		Account: account, Member: w.Member, Service: w.Service, UID: w.UID, PartnerCode: w.PartnerCode,
		PartnerID: w.PartnerID, Activity: a.Activity.ID, Brand: a.Brand.ID, Content: a.Content, Link: a.Link, Media: a.Media,
		Marker: a.Marker, Geo: a.Where(),
	}
	value, err := json.Marshal(&data)
	if err != nil {
		return kafka.Message{}, err
	}
	at := time.Unix(int64(a.Time), 0).UTC().AppendFormat(nil, time.RFC3339)
	return kafka.Message{Key: []byte(w.Key()), Value: value, Headers: []kafka.Header{
		{Key: "ce_specversion", Value: version},
		{Key: "ce_type", Value: eventType},
		{Key: "ce_id", Value: []byte(a.ID)},
		{Key: "ce_source", Value: []byte(source)},
		{Key: "ce_time", Value: at},
		{Key: "content-type", Value: contentType},
	}}, nil
}

// What all records have; read-only.
var (
	version     = []byte("1.0")
	eventType   = []byte(activity.EventType)
	contentType = []byte("application/json")
)
