package input

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// compile finds what is wrong with the mapping and where each value of a row is. The
// tables are not read yet.
func (m *Mapping) compile() (*mapper, error) {
	c := &mapper{m: m, id: m.ID}
	if !c.id.given() {
		c.id = Text{forms: []form{{{name: "@file"}, {literal: ":"}, {name: "@line"}}}}
	}
	for _, step := range []func(*mapper) error{
		(*mapper).checkNames, (*mapper).openLookups, (*mapper).compileTime, (*mapper).checkMember, (*mapper).checkBrand,
		(*mapper).compileActivities, (*mapper).resolve,
	} {
		if err := step(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *mapper) checkNames() error {
	if c.m.Source == "" || short(c.m.Source) != nil || !utf8.ValidString(c.m.Source) {
		return errors.New("source: a text of at most 255 characters is required: it tells this input from others")
	}
	for name := range c.m.Geo {
		if !slices.Contains([]string{"country", "region", "city", "lat", "lon"}, name) {
			return fmt.Errorf("geo: %q is none of country, region, city, lat, lon", name)
		}
	}
	var err error
	c.shape, err = c.m.Input.compile()
	return faultIf("input", err)
}

// openLookups gives each lookup its place.
func (c *mapper) openLookups() error {
	for _, name := range slices.Sorted(maps.Keys(c.m.Lookups)) {
		l := c.m.Lookups[name]
		_, err := l.Input.compile()
		switch {
		case err != nil:
		case l.File == "" || l.Key == "" || !l.By.given():
			err = errors.New("file, key and by are required")
		case strings.Contains(name, "."):
			err = errors.New("the name has a dot")
		}
		if err != nil {
			return fault("lookups."+name, err)
		}
		c.lookups = append(c.lookups, &lookup{name: name, of: &l})
	}
	return nil
}

func (c *mapper) compileTime() (err error) {
	if c.m.Time != nil {
		if c.clock, err = c.m.Time.compile(); err != nil {
			return fault("time", err)
		}
	}
	if c.m.Spread != nil {
		c.spread, err = c.m.Spread.compile(c.clock != nil)
		return faultIf("spread", err)
	}
	if c.clock == nil {
		return errors.New("time: required, or a spread")
	}
	return nil
}

func (c *mapper) checkMember() error {
	m := &c.m.Member
	if m.Given {
		if c.m.given == "" && (m.ID.given() || m.Service.given() || m.UID.given() || m.PartnerCode.given() || m.PartnerID.given()) {
			return errors.New("member: given, and nothing else but register and registered")
		}
		return nil
	}
	ways := 0 // a network's user and a partner's are two names of which a row has one
	if m.Service.given() && m.UID.given() && m.PartnerCode.given() && m.PartnerID.given() {
		ways--
	}
	for _, whole := range [][2]bool{
		{m.ID.given(), m.ID.given()}, {m.Service.given(), m.UID.given()}, {m.PartnerCode.given(), m.PartnerID.given()},
	} {
		if whole[0] != whole[1] {
			return errors.New("member: service and uid come together, and so do partnerCode and partnerID")
		}
		if whole[0] {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("member: one of id, service with uid, partnerCode with partnerID; or both of the last two, for rows that have either")
	case m.Register != nil && m.Registered:
		return errors.New("member: either register or registered")
	case m.Register != nil && !m.Service.given():
		return errors.New("member: register needs service and uid")
	case m.Register["service"].given() || m.Register["uid"].given():
		return errors.New("member: service and uid stand beside register, not in it")
	}
	return nil
}

func (c *mapper) checkBrand() error {
	b := c.m.Brand
	switch {
	case b == nil:
		return nil
	case b.ID.given() == (b.Create != nil):
		return errors.New("brand: either an id or create")
	case b.Create != nil && !(b.Create["name"].given() && b.Create["type"].given()):
		return errors.New("brand: create needs name and type")
	}
	return nil
}

// compileActivities makes the definitions. One alone needs not be chosen.
func (c *mapper) compileActivities() error {
	if c.m.Activity.Create != nil {
		return c.m.Activity.check(len(c.m.Activities))
	}
	if len(c.m.Activities) == 0 {
		return errors.New("activities: at least one is required")
	}
	c.definitions = map[string]EntityRef{}
	for name, d := range c.m.Activities {
		t, err := d.ref()
		if err != nil {
			return fault("activities."+name, err)
		}
		c.definitions[name] = t
		if !c.m.Activity.By.given() && len(c.m.Activities) == 1 {
			c.m.Activity.By = literal(name)
		}
	}
	choice := &c.m.Activity
	if !choice.By.given() {
		return errors.New("activity: which of the activities is a row?")
	}
	names := slices.Collect(maps.Values(choice.Cases))
	if choice.Otherwise != "" {
		names = append(names, choice.Otherwise)
	}
	if f := choice.By.forms; choice.Cases == nil && len(f) == 1 && len(f[0]) == 1 && f[0][0].name == "" {
		names = append(names, f[0][0].literal)
	}
	for _, name := range names {
		if _, ok := c.definitions[name]; !ok {
			return fmt.Errorf("activity: %q is none of the activities", name)
		}
	}
	return nil
}

// ref is the definition as actions name it.
func (d *Definition) ref() (EntityRef, error) {
	if d.ID != 0 {
		return EntityRef{ID: d.ID}, nil
	}
	service, ok := domain.ParseService(d.Service)
	value := 1
	if d.Value != nil {
		value = *d.Value
	}
	switch {
	case d.Name == "" || d.Type == "":
		return EntityRef{}, errors.New("an id, or name, type and service are required")
	case !ok:
		return EntityRef{}, errors.New("service: no such service")
	case value < 0 || value > math.MaxUint16:
		return EntityRef{}, errors.New("value: not a number from 0 to 65535")
	}
	oneTime := "0"
	if d.OneTime {
		oneTime = "1"
	}
	create := Params{
		"name": d.Name, "type": d.Type, "service": service.String(), "value": strconv.Itoa(value), "onetime": oneTime,
	}
	return EntityRef{Name: definitionName(create), Create: create}, nil
}

// resolve finds where each value is.
func (c *mapper) resolve() error {
	m := c.m
	texts := []*Text{
		&c.id, &m.Member.ID, &m.Member.Service, &m.Member.UID, &m.Member.PartnerCode, &m.Member.PartnerID,
		&m.Activity.By, &m.Content.Whole, &m.Link, &m.Media, &m.Marker,
	}
	if t := m.Time; t != nil {
		texts = append(texts, &t.Value, &t.Year, &t.Month, &t.Day, &t.Hour, &t.Minute, &t.SecondPart)
	}
	if m.Spread != nil {
		texts = append(texts, &m.Spread.Count)
	}
	byName := []map[string]Text{m.Member.Register, m.Activity.Create, m.Content.Fields, m.Geo}
	if m.Brand != nil {
		texts, byName = append(texts, &m.Brand.ID), append(byName, m.Brand.Create)
	}
	for _, t := range texts {
		if err := c.place(*t, c.lookups); err != nil {
			return err
		}
	}
	for _, list := range byName {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if err := c.place(list[name], c.lookups); err != nil {
				return err
			}
		}
	}
	for _, l := range c.lookups {
		if err := c.place(l.of.By, nil); err != nil { // by what another lookup finds would need an order
			return err
		}
	}
	if err := c.compileWhere(); err != nil {
		return err
	}
	return c.shape.check(c.columns)
}

// compileWhere reads the condition of the rows that are mapped, which is asked before the lookups.
func (c *mapper) compileWhere() (err error) {
	if c.m.Where == "" {
		return nil
	}
	if c.where, err = compileExpression(c.m.Where, nil); err != nil {
		return fault("where", err)
	}
	c.where.place(c)
	return nil
}

// place finds where the values of a text are. It may name these lookups.
func (c *mapper) place(t Text, lookups []*lookup) (err error) {
	for _, f := range t.forms {
		for i := range f {
			p := &f[i]
			switch {
			case p.computed:
				if p.by, err = compileExpression(p.name, lookups); err != nil {
					return fmt.Errorf("{= %s}: %w", p.name, err)
				}
				p.by.place(c)
			case p.name != "":
				p.at = c.find(p.name, lookups != nil)
			}
		}
	}
	return nil
}

func (c *mapper) find(name string, lookups bool) ref {
	switch name {
	case "@file":
		return ref{kind: ofFile}
	case "@line":
		return ref{kind: ofLine}
	case "@member":
		return ref{kind: ofMember}
	}
	table, column, dotted := strings.Cut(name, ".")
	if dotted && lookups {
		for i, l := range c.lookups {
			if l.name == table {
				return ref{kind: ofLookup, lookup: i, column: index(&l.columns, column)}
			}
		}
	}
	return ref{column: index(&c.columns, name)}
}

// index is the place of a name in a list, to which it is added.
func index(names *[]string, name string) int {
	i := slices.Index(*names, name)
	if i < 0 {
		i = len(*names)
		*names = append(*names, name)
	}
	return i
}
