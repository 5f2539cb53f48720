package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
)

// MemberItem is a member as lists show it. Of its fields a request may ask for some
// only.
type MemberItem struct {
	ID              string          `json:"ID"`
	UUID            string          `json:"UUID"`
	FirstName       *string         `json:"FirstName"`
	Surname         *string         `json:"Surname"`
	Username        *string         `json:"Username"`
	Email           *string         `json:"Email"`
	Gender          *string         `json:"Gender"`
	Bio             *string         `json:"Bio"`
	City            *string         `json:"City"`
	State           *string         `json:"State"`
	Country         *string         `json:"Country"`
	Address         *string         `json:"Address"`
	Addressline2    *string         `json:"Addressline2"`
	PostCode        *string         `json:"PostCode"`
	HomePhone       *string         `json:"HomePhone"`
	MobilePhone     *string         `json:"MobilePhone"`
	BrandName       *string         `json:"BrandName"`
	BrandType       *string         `json:"BrandType"`
	LastVisited     *string         `json:"LastVisited"`
	Score           string          `json:"Score"`
	ActivityCount   string          `json:"ActivityCount"`
	GeoCity         *string         `json:"GeoCity"`
	GeoRegion       *string         `json:"GeoRegion"`
	GeoCountry      *string         `json:"GeoCountry"`
	GeoLat          *string         `json:"GeoLat"`
	GeoLong         *string         `json:"GeoLong"`
	BrandID         *string         `json:"BrandID"`
	MemberAvatarURL string          `json:"MemberAvatarURL"`
	CountryCode     *string         `json:"CountryCode"`
	VerifiedEmail   *string         `json:"VerifiedEmail"`
	OptIns          *[]OptIn        `json:"OptIns"`
	Services        []ServiceRecord `json:"Services"`
	LastActivity    *LastActivity   `json:"LastActivity"`
	Brand           *ItemBrand      `json:"Brand"`
	Extended        *Extended       `json:"Extended,omitempty"` // if it was asked for

	only *ItemFields // nil: all
}

// LastActivity is the latest action that matched.
type LastActivity struct {
	ID           string          `json:"ID"`
	Name         string          `json:"Name"`
	ActivityID   string          `json:"ActivityID"`
	Content      json.RawMessage `json:"Content"` // always an object
	Link         *string         `json:"Link"`
	CompleteDate string          `json:"CompleteDate"`
}

// ItemBrand is the brand of a list item.
type ItemBrand struct {
	ID   string  `json:"ID"`
	Name *string `json:"Name"`
	Type *string `json:"Type"`
}

// Always are the fields that an item has whatever was asked for.
func (MemberItem) Always() []string { return []string{"ID"} }

// ItemFields are fields of a member item, by their place, and those of its Extended node.
type ItemFields struct {
	wanted []bool
	node   NodeFields
}

// Node is the fields of the Extended node that are asked for by name; nil: none is.
func (f *ItemFields) Node() *NodeFields {
	if f == nil || f.node.empty() {
		return nil
	}
	return &f.node
}

// itemNames are the names of a member item's fields, in order.
var itemNames = func() (names []string) {
	for f := range reflect.TypeFor[MemberItem]().Fields() {
		if f.IsExported() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}()

// ParseItemFields finds fields by their names in any case, those in Extended by paths into it. ID is
// always one of them; unknown are the names that no field has.
func ParseItemFields(names []string) (fields *ItemFields, unknown []string) {
	fields = &ItemFields{wanted: make([]bool, len(itemNames))}
	fields.wanted[0] = true
	for _, name := range names {
		inNode := fields.node.add(name)
		known := inNode
		for i, n := range itemNames {
			if strings.EqualFold(n, name) || inNode && n == "Extended" {
				fields.wanted[i] = true
				known = true
			}
		}
		if !known {
			unknown = append(unknown, name)
		}
	}
	return fields, unknown
}

// Only has the item show these fields alone; nil: all.
func (m *MemberItem) Only(fields *ItemFields) { m.only = fields }

// wholeItem is a member item that shows all of its fields.
type wholeItem MemberItem

// memberList is a list of members that is encoded as one shape where its items show all of their
// fields: the JSON of an item that encodes itself is copied twice and read once more. As one it takes
// half of the time or less (BenchmarkEncode_Members).
type memberList interface {
	// whole is that shape, or the list.
	whole() any
}

// wholeItems are the items as a list of their own type; false: they show some fields alone.
func wholeItems(items []MemberItem) (out []wholeItem, ok bool) {
	if items == nil {
		return nil, true
	}
	out = make([]wholeItem, len(items))
	for i := range items {
		if items[i].only != nil {
			return nil, false
		}
		out[i] = wholeItem(items[i])
	}
	return out, true
}

// MarshalJSON writes the fields asked for, in their order.
func (m MemberItem) MarshalJSON() ([]byte, error) {
	if m.only == nil {
		b, err := Encode(wholeItem(m))
		return bytes.TrimSuffix(b, []byte("\n")), err
	}
	out := []byte{'{'}
	v := reflect.ValueOf(m)
	for i, name := range itemNames {
		if !m.only.wanted[i] || name == "Extended" && m.Extended == nil {
			continue
		}
		b, err := Encode(v.Field(i).Interface())
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), name...), `":`...)
		out = append(out, bytes.TrimSuffix(b, []byte("\n"))...)
	}
	return append(out, '}'), nil
}

// UUID is a UUID in its usual form.
func UUID(u [16]byte) string {
	b := make([]byte, 0, 36)
	for i, part := range [...][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, part)
	}
	return string(b)
}

// ActiveMembers is the list of members with a matching action. TotalMemberCount is
// there if it was asked for.
type ActiveMembers struct {
	TotalSize        string       `json:"totalSize"`
	TotalMemberCount *string      `json:"TotalMemberCount,omitempty"`
	Items            []MemberItem `json:"items"`
	Paging           Paging       `json:"paging"`
}

func (l *ActiveMembers) whole() any {
	items, ok := wholeItems(l.Items)
	if !ok {
		return l
	}
	return &struct {
		TotalSize        string      `json:"totalSize"`
		TotalMemberCount *string     `json:"TotalMemberCount,omitempty"`
		Items            []wholeItem `json:"items"`
		Paging           Paging      `json:"paging"`
	}{l.TotalSize, l.TotalMemberCount, items, l.Paging}
}

// Members is a list of members.
type Members struct {
	TotalSize string       `json:"totalSize"`
	Items     []MemberItem `json:"items"`
	Paging    Paging       `json:"paging"`
}

func (l *Members) whole() any {
	items, ok := wholeItems(l.Items)
	if !ok {
		return l
	}
	return &struct {
		TotalSize string      `json:"totalSize"`
		Items     []wholeItem `json:"items"`
		Paging    Paging      `json:"paging"`
	}{l.TotalSize, items, l.Paging}
}

// MemberTotals is members by the number of their actions; the totals are over all, not
// the page.
type MemberTotals struct {
	TotalSize       string        `json:"totalSize"`
	Items           []MemberTotal `json:"items"`
	TotalActivities string        `json:"TotalActivities"`
	TotalMembers    string        `json:"TotalMembers"`
	Explain         *Explanation  `json:"explain,omitempty"`
}

// MemberTotal is a member with what it did.
type MemberTotal struct {
	MemberID      string        `json:"MemberID"`
	ActivityCount string        `json:"ActivityCount"`
	Score         string        `json:"Score"`
	LastActivity  *LastActivity `json:"LastActivity"`
}

// Check is whether and how often a member did something; First, Last and the latest
// Action are null where it never did.
type Check struct {
	Completed bool      `json:"completed"`
	Count     string    `json:"Count"`
	First     *string   `json:"First"`
	Last      *string   `json:"Last"`
	Action    *FeedItem `json:"Action"`
}
