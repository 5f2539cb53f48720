package reference

import (
	"iter"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Passing is the set of the members that pass the question's filters on members.
func (m *Model) Passing(q *domain.Question) map[domain.MemberID]bool {
	f := &q.Filter
	set := map[domain.MemberID]bool{}
	for i := range m.Members {
		if x := &m.Members[i]; x.passes(f) {
			set[x.ID] = true
		}
	}
	if len(f.Members) > 0 {
		named := map[domain.MemberID]bool{}
		for _, id := range f.Members {
			named[id] = true
		}
		keep(set, named)
	}
	for _, id := range f.Exclude {
		delete(set, id)
	}
	if len(f.AnyOf) > 0 {
		keep(set, m.performed(q.Range, f.AnyOf))
	}
	for i := range f.AllOf {
		keep(set, m.performed(q.Range, f.AllOf[i:i+1]))
	}
	if f.From != nil {
		keep(set, m.listed(f.From))
	}
	if f.Acted && len(set) > 0 {
		all := *q
		all.Filter = domain.Filter{Services: f.Services}
		keep(set, membersOf(m.Counted(&all)))
	}
	return set
}

// keep deletes from a set what is not in the other one.
func keep(set, other map[domain.MemberID]bool) {
	maps.DeleteFunc(set, func(id domain.MemberID, _ bool) bool { return !other[id] })
}

// membersOf is the set of the members of actions.
func membersOf(actions iter.Seq[*Action]) map[domain.MemberID]bool {
	out := map[domain.MemberID]bool{}
	for a := range actions {
		out[a.Member] = true
	}
	return out
}

// performed is the set of the members with one of the actions, of any service.
func (m *Model) performed(in domain.Range, any []domain.Performed) map[domain.MemberID]bool {
	out := map[domain.MemberID]bool{}
	for i := range m.Actions {
		a := &m.Actions[i]
		if !out[a.Member] && slices.ContainsFunc(any, func(p domain.Performed) bool {
			return p.Definition == a.Row.Definition && m.within(a, p.Brand, in)
		}) {
			out[a.Member] = true
		}
	}
	return out
}

// listed is the set of the members on a segment's list.
func (m *Model) listed(l *domain.List) map[domain.MemberID]bool {
	actions, out := map[domain.MemberID]uint32{}, map[domain.MemberID]bool{}
	if r := l.Rule; r != nil {
		for i := range m.Actions {
			if a := &m.Actions[i]; slices.Contains(r.Definitions, a.Row.Definition) && m.within(a, r.Brand, r.Range) {
				actions[a.Member]++
			}
		}
	}
	for i := range m.Members {
		x := &m.Members[i]
		opt := x.Opts[domain.Opt{Kind: domain.OptSegment, ID: uint32(l.Segment)}]
		ruled := l.Rule != nil && actions[x.ID] >= l.Rule.Threshold
		out[x.ID] = !opt.Out && (opt.In || opt.Listed || ruled)
	}
	return out
}

// passes looks at what is known of the member alone.
func (x *Member) passes(f *domain.Filter) bool {
	holds := func(s domain.Service) bool { return slices.Contains(x.Services, s) }
	switch {
	case len(f.Countries) > 0 && (x.Country == 0 || !slices.Contains(f.Countries, x.Country)),
		len(f.Regions) > 0 && !slices.Contains(f.Regions, x.Region),
		f.Domain != "" && !slices.Contains(x.Domains, f.Domain),
		f.Paid && !x.Paid,
		len(f.Holds) > 0 && !slices.ContainsFunc(f.Holds, holds),
		len(f.Genders) > 0 && (x.Gender == 0 || !slices.Contains(f.Genders, x.Gender)),
		f.Born != nil && (x.Born == 0 || x.Born < f.Born.First || x.Born > f.Born.Last):
		return false
	}
	for _, field := range f.Has {
		if !slices.Contains(x.Fields, field) {
			return false
		}
	}
	wanted, any := f.OptIn == "", !f.Opted
	for opt, state := range x.Opts {
		wanted = wanted || state.In && opt.Value() == f.OptIn
		any = any || state.In && !slices.Contains(f.Ended, opt.Value())
	}
	return wanted && any
}
