package input

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// mapper makes rows into actions. It belongs to one goroutine.
type mapper struct {
	m           *Mapping
	shape       *shape
	columns     []string // of the input that the mapping names
	lookups     []*lookup
	clock       *clock  // nil: the spread says when
	spread      *spread // nil: a row is one action
	id          Text
	definitions map[string]EntityRef // the definitions by their name in the mapping
	where       *expression          // of the rows that are mapped; nil: all
	abroad      bool                 // the row last mapped gave a country that is none
}

// maxText bounds names and identities, in characters, as the engine does.
const maxText = 255

// fault is what is wrong with one part of a row.
func fault(part string, err error) error { return fmt.Errorf("%s: %w", part, err) }

// action is what a row says was done, but for what a spread makes of it: its id is the
// row's, its time the row's own.
func (c *mapper) action(r *row) (a Action, err error) {
	if a.ID, err = c.id.value(r); err == nil {
		err = short(a.ID)
	}
	if err != nil {
		return a, fault("id", err)
	}
	if c.clock != nil {
		if a.Time, err = c.clock.second(r); err != nil {
			return a, fault("time", err)
		}
	}
	if a.Member, err = c.member(r); err != nil {
		return a, err
	}
	if a.Activity, err = c.activity(r); err != nil {
		return a, fault("activity", err)
	}
	if a.Brand, err = c.brand(r); err != nil {
		return a, err
	}
	if a.Content, err = c.m.Content.value(r); err != nil {
		return a, fault("content", err)
	}
	if a.Link, err = c.m.Link.optional(r); err != nil {
		return a, fault("link", err)
	}
	if a.Media, err = c.m.Media.optional(r); err != nil {
		return a, fault("media", err)
	}
	if a.Marker, err = c.m.Marker.optional(r); err == nil {
		err = short(a.Marker)
	}
	if err != nil {
		return a, fault("marker", err)
	}
	a.Geo, err = c.geo(r)
	return a, err
}

// short refuses a name that no engine takes.
func short(s string) error {
	if len(s) > maxText && utf8.RuneCountInString(s) > maxText {
		return fmt.Errorf("over %d characters", maxText)
	}
	return nil
}

// errNotRegistering says that no member has the service: all that is published of it would be dead letters.
var errNotRegistering = errors.New("no member can register by this service; members of a site's own ids are named by partnerCode and partnerID")

func (c *mapper) member(r *row) (w MemberRef, err error) {
	m := &c.m.Member
	if m.ID.given() {
		id, err := number(&m.ID, r, domain.MaxID)
		if err != nil {
			return w, fault("member.id", err)
		}
		return MemberRef{Member: domain.MemberID(id)}, nil
	}
	if w, err = m.names(r); err != nil || w.Service == "" {
		return w, err
	}
	service, ok := domain.ParseService(w.Service)
	if !ok {
		return w, fault("member.service", errors.New("no such service"))
	}
	if !service.Registers() && (service == domain.Custom || !m.Registered) {
		return w, fault("member.service", errNotRegistering)
	}
	w.Service = service.String()
	if m.Registered || service == domain.Email {
		return w, nil
	}
	if w.Register, err = filled(m.Register, r); err != nil {
		return w, fault("member.register", err)
	}
	if w.Register["authtoken"] == "" {
		w.Register["authtoken"] = "collected" // where the mapping gives none
	}
	if given := w.Register["country"]; given != "" {
		if w.Register["country"] = c.country(given); w.Register["country"] == "" {
			delete(w.Register, "country")
		}
	}
	w.Register["service"], w.Register["uid"] = w.Service, w.UID
	return w, nil
}

// names are the texts that name a row's member: a network's user, or a partner's. Where the mapping
// has both, a row without a network has a partner.
func (m *Member) names(r *row) (w MemberRef, err error) {
	byService := m.Service.given()
	if byService && m.PartnerCode.given() {
		service, err := m.Service.optional(r)
		if err != nil {
			return w, fault("member.service", err)
		}
		byService = service != ""
	}
	for _, f := range []struct {
		name      string
		text      *Text
		to        *string
		ofService bool
	}{
		{"member.service", &m.Service, &w.Service, true},
		{"member.uid", &m.UID, &w.UID, true},
		{"member.partnerCode", &m.PartnerCode, &w.PartnerCode, false},
		{"member.partnerID", &m.PartnerID, &w.PartnerID, false},
	} {
		if f.ofService != byService {
			continue
		}
		if *f.to, err = f.text.value(r); err == nil {
			err = short(*f.to)
		}
		if err != nil {
			return w, fault(f.name, err)
		}
	}
	return w, nil
}

// faultIf is fault for an error that may be none.
func faultIf(part string, err error) error {
	if err == nil {
		return nil
	}
	return fault(part, err)
}

func (c *mapper) activity(r *row) (EntityRef, error) {
	if c.m.Activity.Create != nil {
		return c.m.Activity.made(r)
	}
	name, err := c.m.Activity.name(r)
	if err != nil {
		return EntityRef{}, err
	}
	t, ok := c.definitions[name]
	if !ok {
		if t, ok = c.definitions[c.m.Activity.Otherwise]; !ok {
			return EntityRef{}, errors.New("a name that is none of the activities")
		}
	}
	return t, nil
}

func (c *mapper) brand(r *row) (t EntityRef, err error) {
	b := c.m.Brand
	switch {
	case b == nil:
		return t, nil
	case b.ID.given():
		id, err := number(&b.ID, r, math.MaxUint32)
		return EntityRef{ID: uint32(id)}, faultIf("brand.id", err)
	}
	if t.Create, err = filled(b.Create, r); err != nil {
		return t, fault("brand.create", err)
	}
	for _, name := range []string{"name", "type"} {
		if t.Create[name] == "" {
			return t, fault("brand.create."+name, errNoValue)
		}
	}
	if t.Name = t.Create["slug"]; t.Name == "" {
		t.Name = url.PathEscape(t.Create["type"]) + "/" + t.Create["name"] // a type may have a slash
	}
	return t, nil
}

func (c *mapper) geo(r *row) (p Place, err error) {
	for name, to := range map[string]*string{
		"country": &p.Country, "region": &p.Region, "city": &p.City, "lat": &p.Lat, "lon": &p.Lon,
	} {
		if text, ok := c.m.Geo[name]; ok {
			if *to, err = text.optional(r); err != nil {
				return p, fault("geo."+name, err)
			}
		}
	}
	p.Country = c.country(p.Country)
	return p, nil
}

// country is a country as the engine takes it; what is none is left out and noted.
func (c *mapper) country(text string) string {
	code, ok := domain.ParseCountry(text)
	if !ok && text != "" {
		c.abroad = true
	}
	return code
}

// filled are parameters with the row's values; those without one are left out.
func filled(texts map[string]Text, r *row) (Params, error) {
	p := make(Params, len(texts))
	for name, text := range texts {
		s, err := text.optional(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if s != "" {
			p[name] = s
		}
	}
	return p, nil
}

// number is a row's id of ours.
func number(t *Text, r *row, maxValue uint64) (uint64, error) {
	s, err := t.value(r)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n == 0 || n > maxValue {
		return 0, fmt.Errorf("not an id from 1 to %d", maxValue)
	}
	return n, nil
}
