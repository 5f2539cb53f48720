package member

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Union is a member with those that are merged into it: service records and opt-ins of all, and where
// it has no value itself that of the first that has one. It is m where none is. The sealed parts are
// not looked at.
func Union(m *domain.Member) *domain.Member { return union(m, false) }

// union is Union; where copied is set the ids of service records are those of the copies of their
// signups, by which rows are filtered.
func union(m *domain.Member, copied bool) *domain.Member {
	if !slices.ContainsFunc(m.Absorbed, func(a domain.Absorbed) bool { return a.Done }) {
		return m
	}
	u := *m
	u.Services, u.Opts, u.Removed = slices.Clone(m.Services), slices.Clone(m.Opts), slices.Clone(m.Removed)
	for i := range m.Absorbed {
		a := &m.Absorbed[i]
		if !a.Done {
			continue
		}
		of := *union(a.Record, false)
		if copied {
			renumber(&of, a.Signups)
		}
		u.Services = append(u.Services, of.Services...)
		u.Removed = append(u.Removed, of.Removed...)
		u.Profile = of.Profile.With(u.Profile)
		for _, o := range of.Opts {
			u.Opts = addOpt(u.Opts, o)
		}
		u.Personal.Has |= of.Personal.Has
		u.Personal.Born = cmp.Or(u.Personal.Born, of.Personal.Born)
	}
	return &u
}

// addOpt adds the state of an opt-in: who opted in anywhere is in, who opted out and never in is out.
func addOpt(opts []domain.OptState, o domain.OptState) []domain.OptState {
	i, there := slices.BinarySearchFunc(opts, o.Opt, func(s domain.OptState, o domain.Opt) int {
		return cmp.Or(cmp.Compare(s.Kind, o.Kind), cmp.Compare(s.ID, o.ID))
	})
	if !there {
		return slices.Insert(opts, i, o)
	}
	s := &opts[i]
	s.In = s.In || o.In
	s.Out = !s.In && (s.Out || o.Out)
	s.Listed = s.Listed || o.Listed
	s.At = max(s.At, o.At)
	return opts
}

// renumber gives service records the ids of the copies of their signups.
func renumber(m *domain.Member, signups []domain.LentSignup) {
	id := func(record uint64) uint64 {
		for _, s := range signups {
			if s.Record == record {
				return uint64(domain.ActionIDOf(s.Seq, domain.ActionID(record).Slot()))
			}
		}
		return record
	}
	m.Services, m.Removed = slices.Clone(m.Services), slices.Clone(m.Removed)
	for i := range m.Services {
		m.Services[i].ID = id(m.Services[i].ID)
	}
	for i := range m.Removed {
		m.Removed[i].ID = id(m.Removed[i].ID)
	}
}
