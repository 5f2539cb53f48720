package wire

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// FeedItem is an action as a feed shows it.
type FeedItem struct {
	ID              string          `json:"ID"`
	Marker          string          `json:"Marker"`
	BrandID         *string         `json:"BrandID"`
	BrandName       *string         `json:"BrandName"`
	Link            *string         `json:"Link"`
	Media           *string         `json:"Media"`
	Category        *string         `json:"Category"`
	Content         json.RawMessage `json:"Content"` // always an object
	CompleteDate    string          `json:"CompleteDate"`
	Name            string          `json:"Name"`
	ShortName       *string         `json:"ShortName"`
	GeoData         *string         `json:"GeoData"`
	MemberName      *string         `json:"MemberName"`
	Value           string          `json:"Value"`
	ActivityID      string          `json:"ActivityID"`
	ActivityType    string          `json:"ActivityType"`
	ServiceType     string          `json:"ServiceType"`
	MemberID        string          `json:"MemberID"`
	ServiceUserName *string         `json:"ServiceUserName"`
	RemoteUserURL   *string         `json:"RemoteUserURL"`
	ServiceUserID   *string         `json:"ServiceUserID"`
	MemberEmail     *string         `json:"MemberEmail"`
	Username        *string         `json:"Username"`
	MemberAvatarURL string          `json:"MemberAvatarURL"`
	MergedMemberID  string          `json:"MergedMemberID,omitempty"` // of streams and webhooks alone
}

// Feed is the answer of activity/feed.
type Feed struct {
	TotalSize string          `json:"totalSize"`
	Items     []FeedItem      `json:"items"`
	Removed   []RemovedAction `json:"removed,omitempty"` // of a page of a stream, as what follows
	Erased    []ErasedMember  `json:"erased,omitempty"`
	Next      string          `json:"next,omitempty"` // the cursor of the page after it
}

// Accepted is the answer to an action that is in the log and not yet applied.
type Accepted struct {
	Accepted bool   `json:"accepted"`
	Marker   string `json:"Marker"`
}

// Content is the contents of an action as an object: as given, {} for nothing, and
// {"Text": …} for plain text.
func Content(s string) json.RawMessage {
	switch {
	case s == "":
		return json.RawMessage("{}")
	case IsObject(s):
		return json.RawMessage(s)
	}
	text, err := json.Marshal(struct{ Text string }{s})
	if err != nil { // a string always has a JSON form
		return json.RawMessage("{}")
	}
	return text
}

// IsObject reports that s is one JSON object.
func IsObject(s string) bool { return strings.HasPrefix(s, "{") && json.Valid([]byte(s)) }

// Compact is a JSON object without blanks; any other text as it is.
func Compact(s string) string {
	trimmed := strings.TrimSpace(s)
	if !IsObject(trimmed) {
		return s
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(trimmed)); err != nil {
		return s
	}
	return b.String()
}

// GeoData is country,region,city,lat,lon, unknown parts empty; null for nothing.
func GeoData(g domain.Geo) *string {
	if g.IsZero() {
		return nil
	}
	return Null(strings.Join([]string{g.Country, g.Region, g.City, g.Lat, g.Lon}, ","))
}
