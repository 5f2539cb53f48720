package input

import (
	"encoding/json"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Action is one thing that a member did, with names in the places of ids.
type Action struct {
	ID       string // tells repeats, together with the source
	Time     domain.Second
	Member   MemberRef
	Activity EntityRef
	Brand    EntityRef // zero: the definition has one
	Content  json.RawMessage
	Link     string
	Media    string
	Marker   string
	Geo      Place
}

// MemberRef is the member who did it: Member, or Service and UID, or PartnerCode and PartnerID. Register are
// the parameters of member/register that make the member; nil: it is not made.
type MemberRef struct {
	Member                 domain.MemberID
	Service, UID           string
	PartnerCode, PartnerID string
	Register               Params
}

// Params are parameters of an operation by name.
type Params = map[string]string

// Key is the member's identity: the key of the record, and the name under which it
// is remembered that the member is registered.
func (w *MemberRef) Key() string {
	switch {
	case w.Member != 0:
		return strconv.FormatUint(uint64(w.Member), 10)
	case w.Service != "":
		return w.Service + ":" + w.UID
	}
	return w.PartnerCode + ":" + w.PartnerID
}

// EntityRef is a brand or a definition: an id, or the name under which its id is
// remembered and the parameters that make it.
type EntityRef struct {
	ID     uint32
	Name   string
	Create Params
}

// Label is its id, else its name.
func (t *EntityRef) Label() string {
	switch {
	case t.ID != 0:
		return strconv.FormatUint(uint64(t.ID), 10)
	case t.Create["name"] != "":
		return t.Create["name"]
	}
	return t.Name
}

// Place is where it was done, as the record's geo.
type Place struct {
	Country string `json:"country,omitempty"`
	Region  string `json:"region,omitempty"`
	City    string `json:"city,omitempty"`
	Lat     string `json:"lat,omitempty"`
	Lon     string `json:"lon,omitempty"`
}

// Where is where it was done; nil: it is not known.
func (a *Action) Where() *Place {
	if a.Geo == (Place{}) {
		return nil
	}
	return &a.Geo
}
