package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Extended is the Extended node of a member: derived fields, and beside them what updates merged.
// A request may ask for some of the fields only.
type Extended struct {
	AEID           uint64         `json:"aeid"`
	UUID           string         `json:"uuid"`
	Created        *string        `json:"created"`
	LastLogin      *string        `json:"lastLogin"`
	LastUpdated    *string        `json:"lastUpdated"`
	GivenName      *string        `json:"givenName"`
	FamilyName     *string        `json:"familyName"`
	Password       *string        `json:"password"` // always null
	DisplayName    *string        `json:"displayName"`
	Email          *string        `json:"email"`
	Gender         *string        `json:"gender"`
	EmailVerified  bool           `json:"emailVerified"`
	CellPhone      *string        `json:"cellPhone"`
	Birthday       *string        `json:"birthday"`
	Bio            *string        `json:"bio"`
	PrimaryAddress PrimaryAddress `json:"primaryAddress"`
	Domains        []DomainVisits `json:"domains"`
	Profiles       []Profile      `json:"profiles"`
	AEData         AEData         `json:"ae_data"`

	Merged string `json:"-"` // a JSON object; empty: nothing

	only *NodeFields
}

// PrimaryAddress is the address of a member.
type PrimaryAddress struct {
	Address1 *string `json:"address1"`
	Address2 *string `json:"address2"`
	City     *string `json:"city"`
	Mobile   *string `json:"mobile"`
	Phone    *string `json:"phone"`
	Zip      *string `json:"zip"`
	Country  *string `json:"country"`
}

// DomainVisits is a domain that a member registered or logged in on.
type DomainVisits struct {
	Domain     string `json:"domain"`
	FirstVisit string `json:"firstVisit"`
	LastVisit  string `json:"lastVisit"`
}

// Profile is a service record in the Extended node.
type Profile struct {
	Domain            string            `json:"domain"`
	Profile           NetworkProfile    `json:"profile"`
	Following         []Followed        `json:"following"`
	AccessCredentials AccessCredentials `json:"accessCredentials"`
	Identifier        string            `json:"identifier"`
	PaidAccount       string            `json:"paidAccount"`
}

// NetworkProfile is what a network shows of a member.
type NetworkProfile struct {
	PreferredUsername *string     `json:"preferredUsername"`
	ProfileURL        *string     `json:"profileUrl"`
	DisplayName       *string     `json:"displayName"`
	CurrentLocation   *string     `json:"currentLocation"`
	LanguagesSpoken   *string     `json:"languagesSpoken"`
	Name              NetworkName `json:"name"`
}

// NetworkName is a member's name on a network.
type NetworkName struct {
	FamilyName *string `json:"familyName"`
	GivenName  *string `json:"givenName"`
}

// Followed is what a member follows on a network.
type Followed struct {
	Identifier string `json:"identifier"`
}

// AccessCredentials are what a network gave for a member.
type AccessCredentials struct {
	AccessToken *string `json:"accessToken"`
	Type        *string `json:"type"`
	UID         *string `json:"uid"`
	ClientID    *string `json:"clientId"`
	Scopes      *string `json:"scopes"`
	Expires     *string `json:"expires"`
}

// AEData is a member's top brands, of a short and of a long period.
type AEData struct {
	Brands         []string `json:"brands"`
	LastUpdate     *string  `json:"lastUpdate"`
	Period         string   `json:"period"`
	BrandsExtended []string `json:"brands_extended"`
	PeriodExtended string   `json:"period_extended"`
}

// Always are the fields that a node has whatever was asked for.
func (Extended) Always() []string { return []string{} }

// Always is none: a request may ask for some.
func (PrimaryAddress) Always() []string { return []string{} }

// Always is none: a request may ask for some.
func (DomainVisits) Always() []string { return []string{} }

// Always is none: a request may ask for some.
func (Profile) Always() []string { return []string{} }

// Always is none: a request may ask for some.
func (NetworkProfile) Always() []string { return []string{} }

// Always is none: a request may ask for some.
func (NetworkName) Always() []string { return []string{} }

// Always is none: a request may ask for some.
func (Followed) Always() []string { return []string{} }

// Always is none: a request may ask for some.
func (AccessCredentials) Always() []string { return []string{} }

// Always is none: a request may ask for some.
func (AEData) Always() []string { return []string{} }

// Extensible has the document allow fields that it does not name: those that updates merged.
func (Extended) Extensible() {}

// derivedNames are the names of the derived fields, in lower case.
var derivedNames = func() (names []string) {
	for f := range reflect.TypeFor[Extended]().Fields() {
		if name := f.Tag.Get("json"); name != "" && name != "-" {
			names = append(names, strings.ToLower(name))
		}
	}
	return names
}()

// Derived reports that a field of the node, by its name in any case, is made of others.
func Derived(name string) bool { return slices.Contains(derivedNames, strings.ToLower(name)) }

// Only has the node show these fields alone; nil: all.
func (e *Extended) Only(fields *NodeFields) { e.only = fields }

// MarshalJSON writes the derived fields, and after them those that were merged and hide none.
func (e Extended) MarshalJSON() ([]byte, error) {
	type derived Extended
	b, err := Encode(derived(e))
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSpace(b)
	if e.Merged != "" {
		b = b[:len(b)-1]
		err = eachMember([]byte(e.Merged), func(name string, value json.RawMessage) error {
			if Derived(name) {
				return nil
			}
			return appendMember(&b, name, value)
		})
		b = append(b, '}')
	}
	if err != nil || e.only == nil {
		return b, err
	}
	return e.only.project(b)
}

// UnmarshalJSON reads a node; what is not derived is kept in Merged.
func (e *Extended) UnmarshalJSON(b []byte) error {
	type derived Extended
	*e = Extended{}
	if err := json.Unmarshal(b, (*derived)(e)); err != nil {
		return err
	}
	merged := []byte{'{'}
	err := eachMember(b, func(name string, value json.RawMessage) error {
		if Derived(name) {
			return nil
		}
		return appendMember(&merged, name, value)
	})
	if len(merged) > 1 {
		e.Merged = string(append(merged, '}'))
	}
	return err
}

// appendMember appends a member to an object that is not closed.
func appendMember(object *[]byte, name string, value []byte) error {
	key, err := Encode(name)
	if err != nil {
		return err
	}
	b := *object
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(append(b, bytes.TrimSpace(key)...), ':')
	*object = append(b, value...)
	return nil
}

// eachMember calls f with the members of a JSON object in their order. One that does not close
// is an error.
func eachMember(object []byte, f func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		name, _ := token.(string) // a key always is one
		if err := f(name, value); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}
