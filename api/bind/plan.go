package bind

import (
	"reflect"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// Parser is a type that reads itself from a parameter's value, which is not
// empty. Its error is a phrase that follows the parameter's name: "must be …".
type Parser interface{ ParseParam(value string) error }

// Verbatim is a type that is read of the value as it is given: an address, or a text that it composes itself. Others get it
// in the composed form of Unicode (package composed).
type Verbatim interface{ Verbatim() }

// Needer is an input, or a group in one, with parameters that others require. It
// gives the name of one that is missing, empty if none is; has reports what is given
// and not empty.
type Needer interface {
	Missing(has func(name string) bool) string
}

// Choicer is a Needer of which one of several parameters may be the missing one: it names
// them in a phrase that "is required" follows; empty: the one is alone.
type Choicer interface{ Choice(missing string) string }

// Checker is an input, or a group in one, with rules across its fields.
type Checker interface{ Check() *domain.Error }

// Taker is an input, or a group in one, that takes parameters which are no fields
// of it. It reports whether the name, folded, is one of its own.
type Taker interface {
	Take(name, value string) (taken bool, err error)
}

// maxFields is how many parameters an input may have.
const maxFields = 96

// Plan binds one type of input.
type Plan struct {
	params []*Param
	byName map[string]int
	known  map[string]bool // names that are taken without effect
	write  bool
	zero   reflect.Value // an input holding the defaults
	groups [][]int       // structs that need, check or take, outermost last
}

// NewPlan compiles the struct type t. path names the parameters in the path
// (:name); write decides what an empty value means. A struct that cannot be
// compiled is a mistake in this program: NewPlan panics.
func NewPlan(t reflect.Type, path string, write bool) *Plan {
	p := &Plan{byName: map[string]int{}, known: map[string]bool{}, write: write, zero: reflect.New(t).Elem()}
	p.addFields(t, nil, strings.ToLower(path)+"/")
	if len(p.params) > maxFields {
		panic("bind: too many parameters in " + t.String())
	}
	return p
}

// Params are the parameters, in the order of the struct.
func (p *Plan) Params() []*Param { return p.params }

// Has reports that the plan has a parameter of the name.
func (p *Plan) Has(name string) bool {
	_, ok := p.byName[Fold(name)]
	return ok
}

// Ignore has the plan take a parameter that it does not have, without effect.
func (p *Plan) Ignore(name string) {
	if !p.Has(name) {
		p.known[Fold(name)] = true
	}
}

func (p *Plan) addFields(t reflect.Type, at []int, path string) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		if f.Tag.Get("name") == "" {
			if f.Type.Kind() == reflect.Struct {
				if f.Anonymous && rules(f.Type) {
					panic("bind: " + t.String() + " embeds a group with rules; give it a name, or its rules are called twice")
				}
				p.addFields(f.Type, index, path)
			}
			continue
		}
		p.add(newParam(f, index, path))
	}
	if rules(t) {
		p.groups = append(p.groups, at)
	}
}

// rules reports that a struct needs, checks or takes.
func rules(t reflect.Type) bool {
	ptr := reflect.PointerTo(t)
	return ptr.Implements(reflect.TypeFor[Needer]()) || ptr.Implements(reflect.TypeFor[Checker]()) || ptr.Implements(reflect.TypeFor[Taker]())
}

func (p *Plan) add(q *Param) {
	if _, twice := p.byName[q.folded()]; twice {
		panic("bind: two parameters named " + q.Name)
	}
	if q.Default != "" {
		if err := q.accept(p.zero, q.Default); err != nil {
			panic("bind: default of " + q.Name + ": " + err.Error())
		}
	}
	p.byName[q.folded()] = len(p.params)
	p.params = append(p.params, q)
}

// MaxUnknown is how many unknown parameters Bind warns of.
const MaxUnknown = 20

// Bind reads the parameters into in, a pointer to the plan's type. The warnings
// name what is ignored. An unknown name is ignored, or an error where the request is strict.
func (p *Plan) Bind(in any, given *Params) (warnings []string, err *domain.Error) {
	if given.full { // what is missing may be among the parameters that were not kept
		return nil, given.fault
	}
	v := reflect.ValueOf(in).Elem()
	v.Set(p.zero)
	var seen [maxFields]bool
	var bad *domain.Error
	unknown := 0
	given.strict = given.strict || p.Has(Strict) && given.On(Strict)
	for i := range given.given {
		g := &given.given[i]
		at, known := p.byName[g.Name]
		if !known {
			taken, fault := p.other(v, g)
			switch {
			case taken:
			case g.body && g.bad != "":
				fault = domain.Bad(domain.InvalidParameter, Shorten(g.As), Shorten(g.As)+" "+g.bad)
			case p.known[g.Name]:
			case given.strict:
				fault = domain.Bad(domain.InvalidParameter, Shorten(g.As), Shorten(g.As)+" is unknown"+p.hint(g.Name))
			default:
				g.unknown = true
				if unknown++; unknown <= MaxUnknown {
					warnings = append(warnings, "the parameter "+Shorten(g.As)+" is unknown and was ignored"+p.hint(g.Name))
				}
			}
			if fault != nil && bad == nil {
				bad = fault
			}
			continue
		}
		q := p.params[at]
		seen[at] = g.Value != "" || g.bad != ""
		warning, fault := p.take(v, q, g)
		if warning != "" {
			warnings = append(warnings, warning)
		}
		if fault != nil && bad == nil {
			bad = fault
		}
	}
	for i, q := range p.params {
		if q.Required && !seen[i] {
			return warnings, missing(q.Name)
		}
	}
	has := func(name string) bool {
		at, ok := p.byName[Fold(name)]
		return ok && seen[at] || slices.Contains(given.implied, name)
	}
	return warnings, p.across(v, has, given.fault, bad)
}

// other offers a parameter that is no field to the groups that take such.
func (p *Plan) other(v reflect.Value, g *Given) (taken bool, fault *domain.Error) {
	for _, at := range p.groups {
		t, ok := v.FieldByIndex(at).Addr().Interface().(Taker)
		if !ok {
			continue
		}
		taken, err := t.Take(g.Name, composed.Text(g.Value))
		if err != nil {
			return true, domain.Bad(domain.InvalidParameter, g.Name, Shorten(g.As)+" "+err.Error())
		}
		if taken {
			return true, nil
		}
	}
	return false, nil
}

// across applies the rules of groups, in the contract's order.
func (p *Plan) across(v reflect.Value, has func(string) bool, faults ...*domain.Error) *domain.Error {
	for _, at := range p.groups {
		if n, ok := v.FieldByIndex(at).Addr().Interface().(Needer); ok {
			if name := n.Missing(has); name != "" {
				return lacking(n, name)
			}
		}
	}
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	for _, at := range p.groups {
		if c, ok := v.FieldByIndex(at).Addr().Interface().(Checker); ok {
			if fault := c.Check(); fault != nil {
				return fault
			}
		}
	}
	return nil
}

// lacking is the error of a parameter that a group needs.
func lacking(n Needer, name string) *domain.Error {
	if c, ok := n.(Choicer); ok {
		if choice := c.Choice(name); choice != "" {
			return domain.Bad(domain.MissingParameter, name, choice+" is required")
		}
	}
	return missing(name)
}

func missing(name string) *domain.Error {
	return domain.Bad(domain.MissingParameter, name, name+" is required")
}

// take binds one parameter.
func (p *Plan) take(in reflect.Value, q *Param, g *Given) (warning string, fault *domain.Error) {
	refuse := func(phrase string) *domain.Error {
		name := g.spelled(q.Name)
		return domain.Bad(domain.InvalidParameter, name, name+" "+phrase)
	}
	switch {
	case g.bad != "":
		return "", refuse(g.bad)
	case g.Value == "" && !p.write:
		return "", nil
	case g.Value == "":
		q.clear(in)
		return "", nil
	}
	if err := q.accept(in, g.Value); err != nil {
		return "", refuse(err.Error())
	}
	if q.Later && !q.off(g.Value) {
		return q.Name + " is not available yet and was ignored", nil
	}
	return "", nil
}
