package member

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// OptIn opts the member in: it is on the list, whatever put it there or took it off
// before.
func (s *State) OptIn(dst []domain.Change, o domain.Opt, at int64) []domain.Change {
	return s.opt(dst, o, at, func(o *domain.OptState) { o.In, o.Out = true, false })
}

// OptOut opts the member out: it is off the list, also where an application put it
// there, and those merged into it are, as far as it knows them.
func (s *State) OptOut(dst []domain.Change, o domain.Opt, at int64) []domain.Change {
	out := func(o *domain.OptState) { o.In, o.Out, o.Listed = false, true, false }
	return s.change(dst, func(m *domain.Member) {
		opt(m, o, at, out)
		optLenders(m, o, at, out)
	})
}

// OptedLenders are the members merged into m that are opted in to o.
func OptedLenders(m *domain.Member, o domain.Opt) (lenders []domain.MemberID) {
	for i := range m.Absorbed {
		a := &m.Absorbed[i]
		if a.Done && slices.ContainsFunc(Union(a.Record).Opts, func(s domain.OptState) bool {
			return s.Opt == o && (s.In || s.Listed)
		}) {
			lenders = append(lenders, a.Member)
		}
	}
	return lenders
}

// optLenders opts out what m knows of the members merged into it that are opted in.
func optLenders(m *domain.Member, o domain.Opt, at int64, out func(*domain.OptState)) {
	lenders := OptedLenders(m, o)
	if len(lenders) == 0 {
		return
	}
	m.Absorbed = slices.Clone(m.Absorbed)
	for i := range m.Absorbed {
		a := &m.Absorbed[i]
		if slices.Contains(lenders, a.Member) {
			record := *a.Record
			opt(&record, o, at, out)
			optLenders(&record, o, at, out)
			a.Record = &record
		}
	}
}

func (s *State) opt(dst []domain.Change, o domain.Opt, at int64, edit func(*domain.OptState)) []domain.Change {
	return s.change(dst, func(m *domain.Member) { opt(m, o, at, edit) })
}

// opt has edit change the state of m's opt-in to o.
func opt(m *domain.Member, o domain.Opt, at int64, edit func(*domain.OptState)) {
	i, there := domain.FindOpt(m.Opts, o)
	m.Opts = slices.Clone(m.Opts)
	if !there {
		m.Opts = slices.Insert(m.Opts, i, domain.OptState{Opt: o})
	}
	before := m.Opts[i]
	if edit(&m.Opts[i]); m.Opts[i] != before {
		m.Opts[i].At = at
	}
}
