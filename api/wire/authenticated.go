package wire

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
)

// Authenticated is the member of an access token or of a Bearer: in short, or its envelope. A
// request may ask for some of the fields only.
type Authenticated struct {
	ID       uint64  `json:"ID"`
	Username *string `json:"Username"`
	Email    *string `json:"Email"`

	// In the place of these, of an envelope.
	Data     *SelectedMember `json:"data"`
	OptIns   []OptIn         `json:"optins"`
	Services []ServiceRecord `json:"services"`

	JWT string `json:"jwt"`

	only *Selection
}

// SelectedMember is the data node of an envelope of which a request may ask for some fields
// only.
type SelectedMember Member

// Selection is the fields that a request asks for, folded to lower case, and those of the Extended
// node.
type Selection struct {
	names []string
	node  NodeFields
}

// NewSelection is the selection of names in any case, and of paths into Extended; unknown are those
// that the form of the answer has not: the short one, or that of an envelope.
func NewSelection(names []string, envelope bool) (s *Selection, unknown []string) {
	known := shortNames
	if envelope {
		known = envelopeNames
	}
	s = &Selection{}
	for _, name := range names {
		folded := strings.ToLower(name)
		s.names = append(s.names, folded)
		if !slices.Contains(known, folded) && !(envelope && s.node.add(folded)) {
			unknown = append(unknown, name)
		}
	}
	return s, unknown
}

// Node is the fields of the Extended node that are asked for by name; nil: none is.
func (s *Selection) Node() *NodeFields {
	if s == nil || s.node.empty() {
		return nil
	}
	return &s.node
}

// Has reports that the field is asked for; nil: all are.
func (s *Selection) Has(name string) bool {
	return s == nil || slices.Contains(s.names, strings.ToLower(name))
}

var (
	shortNames    = []string{"id", "username", "email", "jwt"}
	envelopeNames = func() []string {
		names := []string{"data", "optins", "services", "jwt"}
		for f := range reflect.TypeFor[Member]().Fields() {
			if name, opts, _ := strings.Cut(f.Tag.Get("json"), ","); opts == "" {
				names = append(names, strings.ToLower(name))
			}
		}
		return names
	}()
)

// Always are the fields that an answer has whatever was asked for: none has a place in both
// forms.
func (Authenticated) Always() []string { return []string{} }

// Only has the answer show these fields alone; nil: all.
func (a *Authenticated) Only(s *Selection) { a.only = s }

// MarshalJSON writes the fields of its form that were asked for. ID is always there.
func (a Authenticated) MarshalJSON() ([]byte, error) {
	o := object{}
	if a.Data == nil {
		o.add("ID", a.ID)
		o.addIf(a.only.Has("Username"), "Username", a.Username)
		o.addIf(a.only.Has("Email"), "Email", a.Email)
	} else {
		o.add("data", selectedMember{a.Data, a.only})
		o.addIf(a.only.Has("optins"), "optins", a.OptIns)
		o.addIf(a.only.Has("services"), "services", a.Services)
	}
	o.addIf(a.only.Has("jwt"), "jwt", a.JWT)
	return o.bytes()
}

// Always are the fields that a member has whatever was asked for.
func (SelectedMember) Always() []string { return []string{"ID"} }

// selectedMember writes the fields of a member that were asked for.
type selectedMember struct {
	member *SelectedMember
	only   *Selection
}

// MarshalJSON writes them in their order; data asks for all.
func (m selectedMember) MarshalJSON() ([]byte, error) {
	all := m.only.Has("data")
	o, v := object{}, reflect.ValueOf(*m.member)
	for f, value := range v.Fields() {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if opts == "" && (all || name == "ID" || m.only.Has(name)) {
			o.add(name, value.Interface())
		}
		if name == "Extended" && m.member.Extended != nil {
			o.add(name, m.member.Extended)
		}
	}
	return o.bytes()
}

// object is a JSON object that is written field by field.
type object struct {
	b   bytes.Buffer
	err error
}

func (o *object) addIf(there bool, name string, value any) {
	if there {
		o.add(name, value)
	}
}

func (o *object) add(name string, value any) {
	open := byte(',')
	if o.b.Len() == 0 {
		open = '{'
	}
	o.b.WriteByte(open)
	o.b.WriteString(`"` + name + `":`)
	b, err := Encode(value)
	if err != nil {
		o.err = err
	}
	o.b.Write(bytes.TrimSuffix(b, []byte("\n")))
}

func (o *object) bytes() ([]byte, error) {
	o.b.WriteByte('}')
	return o.b.Bytes(), o.err
}
