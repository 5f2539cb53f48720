package collect

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Action is one thing that somebody did, with names in the places of ids.
type Action struct {
	ID       string // tells repeats, together with the source
	Time     domain.Second
	Member   Who
	Activity Thing
	Brand    Thing // zero: the definition has one
	Content  json.RawMessage
	Link     string
	Media    string
	Geo      Place
}

// Who did it: Member, or Service and UID, or PartnerCode and PartnerID. Register are
// the parameters of member/register that make the member; nil: nobody makes it.
type Who struct {
	Member                 domain.MemberID
	Service, UID           string
	PartnerCode, PartnerID string
	Register               Params
}

// Params are parameters of an operation by name.
type Params = map[string]string

// key is the member's identity: the key of the record, and the name under which it
// is remembered that the member is registered.
func (w *Who) key() string {
	switch {
	case w.Member != 0:
		return strconv.FormatUint(uint64(w.Member), 10)
	case w.Service != "":
		return w.Service + ":" + w.UID
	}
	return w.PartnerCode + ":" + w.PartnerID
}

// Thing is a brand or a definition: an id, or the name under which its id is
// remembered and the parameters that make it.
type Thing struct {
	ID     uint32
	Name   string
	Create Params
}

// Place is where it was done, as the record's geo.
type Place struct {
	Country string `json:"country,omitempty"`
	Region  string `json:"region,omitempty"`
	City    string `json:"city,omitempty"`
	Lat     string `json:"lat,omitempty"`
	Lon     string `json:"lon,omitempty"`
}

// place is where it was done; nil: nobody said.
func (a *Action) place() *Place {
	if a.Geo == (Place{}) {
		return nil
	}
	return &a.Geo
}

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
	Geo         *Place          `json:"geo,omitempty"`
}

// message is the action as a CloudEvent in Kafka's binary form. Its ids are filled in.
func (a *Action) message(account uint32, source string) (kafka.Message, error) {
	w := &a.Member
	data := record{
		Account: account, Member: w.Member, Service: w.Service, UID: w.UID, PartnerCode: w.PartnerCode, PartnerID: w.PartnerID,
		Activity: a.Activity.ID, Brand: a.Brand.ID, Content: a.Content, Link: a.Link, Media: a.Media, Geo: a.place(),
	}
	value, err := json.Marshal(&data)
	if err != nil {
		return kafka.Message{}, err
	}
	at := time.Unix(int64(a.Time), 0).UTC().AppendFormat(nil, time.RFC3339)
	return kafka.Message{Key: []byte(w.key()), Value: value, Headers: []kafka.Header{
		{Key: "ce_specversion", Value: version},
		{Key: "ce_type", Value: eventType},
		{Key: "ce_id", Value: []byte(a.ID)},
		{Key: "ce_source", Value: []byte(source)},
		{Key: "ce_time", Value: at},
		{Key: "content-type", Value: contentType},
	}}, nil
}

// What all records have. Nobody changes these bytes.
var (
	version     = []byte("1.0")
	eventType   = []byte(activity.EventType)
	contentType = []byte("application/json")
)
