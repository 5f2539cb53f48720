package member

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// OptIn opts the member in: it is on the list, whatever put it there or took it off
// before.
func (s *State) OptIn(dst []domain.Change, o domain.Opt, at int64) []domain.Change {
	return s.opt(dst, o, at, func(o *domain.OptState) { o.In, o.Out = true, false })
}

// OptOut opts the member out: it is off the list, also where an application put it
// there.
func (s *State) OptOut(dst []domain.Change, o domain.Opt, at int64) []domain.Change {
	return s.opt(dst, o, at, func(o *domain.OptState) { o.In, o.Out, o.Listed = false, true, false })
}

func (s *State) opt(dst []domain.Change, o domain.Opt, at int64, edit func(*domain.OptState)) []domain.Change {
	return s.change(dst, func(m *domain.Member) { opt(m, o, at, edit) })
}

// opt has edit change the state of m's opt-in to o.
func opt(m *domain.Member, o domain.Opt, at int64, edit func(*domain.OptState)) {
	i, there := slices.BinarySearchFunc(m.Opts, o, func(s domain.OptState, o domain.Opt) int {
		return cmp.Or(cmp.Compare(s.Kind, o.Kind), cmp.Compare(s.ID, o.ID))
	})
	m.Opts = slices.Clone(m.Opts)
	if !there {
		m.Opts = slices.Insert(m.Opts, i, domain.OptState{Opt: o})
	}
	before := m.Opts[i]
	if edit(&m.Opts[i]); m.Opts[i] != before {
		m.Opts[i].At = at
	}
}
