package bind

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/jsonvalue"
)

// MaxParams is how many parameters a request may have.
const MaxParams = 256

// usualParams is how many most requests have.
const usualParams = 6

// key is the folded name of the parameter that says on whose behalf a request is made.
const key = "apikey"

// Given is one parameter as a request gives it.
type Given struct {
	Name  string // folded to lower case, aliases resolved
	As    string // as spelled
	Value string
	bad   string // why it cannot be read; empty: it can
	path  bool
	body  bool // of a form

	unknown bool // to the plan that has read it: no part of the question
}

// Params are the parameters of one request.
type Params struct {
	given []Given
	pairs int           // read, repeats too
	full  bool          // there are more than a request may have: of the rest only a key is kept
	fault *domain.Error // of all of them: a name twice, too many
	keys  bool          // there are two keys that differ

	implied []string // given by something else than a parameter
	strict  bool     // an unknown name is an error
}

// aliases are spellings of one parameter.
var aliases = map[string]string{"segmentid": "segment"}

// Fold is the one spelling of a parameter's name.
func Fold(name string) string {
	name = strings.ToLower(name)
	if a, ok := aliases[name]; ok {
		return a
	}
	return name
}

// Path adds a parameter of the path. The same name elsewhere must have the same value, or be
// empty.
func (p *Params) Path(name, value string) {
	if p.given == nil {
		p.given = make([]Given, 0, usualParams)
	}
	p.given = append(p.given, Given{Name: Fold(name), As: name, Value: value, path: true})
}

// Imply has the rules of groups find the name given, though no parameter has it: a header says
// the same.
func (p *Params) Imply(name string) { p.implied = append(p.implied, name) }

// Record is the parameters of a record of the request's body, to be read as strictly.
func (p *Params) Record() *Params { return &Params{strict: p.strict} }

// Form adds the pairs of a form. One that cannot be read is a fault of the request, whatever
// its name: the body does not parse.
func (p *Params) Form(body string) {
	before := len(p.given)
	p.Encoded(body)
	for i := range p.given[before:] {
		p.given[before+i].body = true
	}
}

// Encoded adds the pairs of a query string.
func (p *Params) Encoded(raw string) {
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		n, err1 := unescape(name)
		v, err2 := unescape(value)
		bad := ""
		if err1 != nil || err2 != nil {
			bad = "is not URL-encoded"
		}
		p.add(n, v, bad)
	}
}

func unescape(s string) (string, error) {
	if !strings.ContainsAny(s, "%+") {
		return s, nil
	}
	out, err := url.QueryUnescape(s)
	if err != nil {
		return s, err
	}
	return out, nil
}

// errBody is a body that is not one JSON object of plain values.
var errBody = errors.New("the body must be one JSON object of strings, numbers and booleans")

// JSON adds the members of one object of strings, numbers and booleans; those
// named in objects may be objects too.
func (p *Params) JSON(body []byte, objects ...string) error {
	if !utf8.Valid(body) {
		return errors.New("the body must be UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errBody
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return errBody
		}
		name := t.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return errBody
		}
		value, bad := plain(raw, slices.Contains(objects, Fold(name)))
		if err := jsonvalue.Check(raw); err != nil && p.fault == nil {
			p.fault = domain.Bad(domain.InvalidParameter, Shorten(name), Shorten(name)+" "+err.Error())
		}
		p.add(name, value, bad)
	}
	if _, err := dec.Token(); err != nil {
		return errBody
	}
	if _, err := dec.Token(); err != io.EOF {
		return errBody
	}
	return nil
}

// plain is the text of a JSON value. That of a boolean is true or false, which is no id or number.
func plain(raw json.RawMessage, object bool) (value, bad string) {
	switch raw[0] {
	case '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", "is not a JSON string"
		}
		return s, ""
	case '{':
		if object {
			return string(raw), ""
		}
	case 'n', '[':
	default:
		if !object {
			return string(raw), ""
		}
	}
	if object {
		return "", "must be an object or a text"
	}
	return "", "must be a string, a number or a boolean"
}

// add adds a parameter; a name that is already there is a fault of the request.
func (p *Params) add(name, value, bad string) {
	if p.pairs++; p.pairs > 4*MaxParams {
		p.full = true // by repeats: the fault is known
	}
	if p.full {
		p.addKey(name, value, bad)
		return
	}
	g := Given{Name: Fold(name), As: name, Value: value, bad: bad}
	if !utf8.ValidString(name) || !utf8.ValidString(value) {
		g.bad, g.Value = "is not UTF-8", ""
	}
	for i := range p.given {
		o := &p.given[i]
		if o.Name != g.Name {
			continue
		}
		if o.path && (o.Value == g.Value || g.Value == "" && g.bad == "") {
			return
		}
		message := "is given twice"
		switch {
		case o.path:
			message = "differs from the path's"
		case o.Name == key:
			p.sameKey(o, &g)
		}
		if p.fault == nil {
			p.fault = domain.Bad(domain.InvalidParameter, Shorten(name), Shorten(name)+" "+message)
		}
		return
	}
	if len(p.given) == MaxParams {
		p.full = true
		p.fault = domain.Fail(domain.InvalidParameter, "there are more parameters than a request may have")
		p.addKey(name, value, bad)
		return
	}
	if p.given == nil {
		p.given = make([]Given, 0, usualParams)
	}
	p.given = append(p.given, g)
}

// addKey adds the key, where none is there, and nothing else: a request's key is known before its
// parameters are judged.
func (p *Params) addKey(name, value, bad string) {
	if !strings.EqualFold(name, key) {
		return
	}
	g := Given{Name: key, As: name, Value: value, bad: bad}
	if i := slices.IndexFunc(p.given, func(g Given) bool { return g.Name == key }); i >= 0 {
		p.sameKey(&p.given[i], &g)
		return
	}
	p.given = append(p.given, g)
}

// sameKey notes whether the key that is given again is another one. An empty one is none.
func (p *Params) sameKey(first, again *Given) {
	switch {
	case again.Value == "" && again.bad == "":
	case first.Value == "" && first.bad == "":
		*first = *again
	case again.Value != first.Value:
		p.keys = true
	}
}

// TwoKeys reports that the parameters have keys that differ.
func (p *Params) TwoKeys() bool { return p.keys }

// Get is the value of a parameter; a first one where it is given twice.
func (p *Params) Get(name string) (string, bool) {
	for i := range p.given {
		if p.given[i].Name == name {
			return p.given[i].Value, true
		}
	}
	return "", false
}

// On reports that a switch is given and on.
func (p *Params) On(name string) bool {
	value, given := p.Get(name)
	if !given {
		return false
	}
	on, err := parseSwitch(value)
	return err == nil && on
}

// Spelled is a parameter's name as the request has it where it uses an alias, else the
// name itself.
func (p *Params) Spelled(name string) string {
	folded := Fold(name)
	for i := range p.given {
		if g := &p.given[i]; g.Name == folded && !g.path {
			return g.spelled(name)
		}
	}
	return name
}

// spelled is the name, or the alias that is used in its place.
func (g *Given) spelled(name string) string {
	if strings.EqualFold(g.As, name) {
		return name
	}
	return Shorten(g.As)
}

// Unreadable reports that a parameter is given whose value cannot be read.
func (p *Params) Unreadable(name string) bool {
	return slices.ContainsFunc(p.given, func(g Given) bool { return g.Name == name && g.bad != "" })
}

// Prefixed calls f with the parameters whose folded name begins with prefix.
func (p *Params) Prefixed(prefix string, f func(name, value string)) {
	for i := range p.given {
		if strings.HasPrefix(p.given[i].Name, prefix) {
			f(p.given[i].Name, p.given[i].Value)
		}
	}
}

// Hash is 64 bits of the request: its path and its parameters in one
// order, without those named and those that are unknown. It is the same on every node.
func (p *Params) Hash(path string, without ...string) uint64 {
	sorted := slices.Clone(p.given)
	slices.SortFunc(sorted, func(a, b Given) int { return cmp.Compare(a.Name, b.Name) })
	h := sha256.New()
	put := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		io.WriteString(h, s)
	}
	put(path)
	for _, g := range sorted {
		if !g.unknown && !slices.Contains(without, g.Name) {
			put(g.Name)
			put(g.Value)
		}
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// AppendSpelled appends the parameters as the request has them: names as they are spelled,
// in the order given, without those named and those that are unknown. Two requests that differ
// in it may be one question; two that do not are.
func (p *Params) AppendSpelled(dst []byte, without ...string) []byte {
	for i := range p.given {
		g := &p.given[i]
		if g.unknown || slices.Contains(without, g.Name) {
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(g.As)))
		dst = append(dst, g.As...)
		dst = binary.AppendUvarint(dst, uint64(len(g.Value)))
		dst = append(dst, g.Value...)
	}
	return dst
}

// Unknown is those that are unknown, as a query string.
func (p *Params) Unknown() string {
	var b strings.Builder
	for _, g := range p.given {
		if g.unknown {
			writePair(&b, g.As, g.Value)
		}
	}
	return b.String()
}

func writePair(b *strings.Builder, name, value string) {
	if b.Len() > 0 {
		b.WriteByte('&')
	}
	b.WriteString(url.QueryEscape(name))
	b.WriteByte('=')
	b.WriteString(url.QueryEscape(value))
}

// Query is the parameters as a query string, without those named, and with the
// pairs of instead.
func (p *Params) Query(without []string, instead ...[2]string) string {
	var b strings.Builder
	for _, g := range p.given {
		replaced := slices.ContainsFunc(instead, func(i [2]string) bool { return Fold(i[0]) == g.Name })
		if !g.path && !replaced && !slices.Contains(without, g.Name) {
			writePair(&b, g.As, g.Value)
		}
	}
	for _, i := range instead {
		writePair(&b, i[0], i[1])
	}
	return b.String()
}

// Shorten makes a name that a client chose fit to be shown.
func Shorten(name string) string {
	const maxLen = 64
	if len(name) > maxLen {
		name = name[:maxLen] + "…"
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}
