package member

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Union is a member with those that are merged into it (domain.Unite). The sealed parts are not
// looked at.
func Union(m *domain.Member) *domain.Member {
	return domain.Unite(m, func(a *domain.Absorbed) *domain.Member { return Union(a.Record) })
}

// copied is Union, but the ids of service records of those merged into it are those of the copies of
// their signups, by which rows are filtered.
func copied(m *domain.Member) *domain.Member {
	return domain.Unite(m, func(a *domain.Absorbed) *domain.Member {
		of := *Union(a.Record)
		renumber(&of, a.Signups)
		return &of
	})
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
