package reference

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// counter counts actions and distinct members.
type counter struct {
	actions uint64
	members map[domain.MemberID]bool
}

func (c *counter) add(a *Action) {
	if c.members == nil {
		c.members = map[domain.MemberID]bool{}
	}
	c.actions++
	c.members[a.Member] = true
}

func (c *counter) count() domain.Count {
	return domain.Count{Actions: c.actions, Members: uint64(len(c.members))}
}

// tally counts by what the shape groups by.
func (m *Model) tally(q *domain.Question) *domain.Tally {
	members, definitions := m.byID(), groupsOf(q)
	group := func(a *Action) uint32 {
		switch x := members[a.Member]; q.Shape {
		case domain.ShapeLocation:
			return uint32(x.Country)
		case domain.ShapeGender:
			return uint32(x.Gender)
		case domain.ShapeAge:
			return ageBand(x.Born, q.Range.To)
		default: // by visit, service or definition
		}
		switch {
		case q.Visits != nil && q.Visits.By == domain.VisitsByKind && q.Shape == domain.ShapeTally:
			return uint32(a.Visit)
		case q.Visits != nil:
			return uint32(a.Row.Service)
		}
		return definitions[a.Row.Definition].Group
	}
	var total counter
	groups := map[uint32]*counter{}
	for a := range m.Counted(q) {
		g := group(a)
		if groups[g] == nil {
			groups[g] = &counter{}
		}
		groups[g].add(a)
		total.add(a)
	}
	out := &domain.Tally{Total: total.count()}
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		out.Groups = append(out.Groups, domain.GroupCount{Group: g, Count: groups[g].count()})
	}
	return out
}

// ageBand is the place in domain.AgeBands of an age at the last second of a range.
func ageBand(born uint16, to domain.Second) uint32 {
	birth := time.Date(1900, 1, int(born), 0, 0, 0, 0, time.UTC)
	last := time.Unix(int64(to)-1, 0).UTC()
	if born == 0 || birth.After(last) {
		return uint32(domain.UnknownAge)
	}
	band, old := uint32(0), yearsOld(birth, last)
	for _, years := range []int{13, 18, 25, 35, 45, 55, 65} {
		if old >= years {
			band++
		}
	}
	return band
}

// yearsOld is an age on a day: birthdays are counted one by one.
func yearsOld(birth, on time.Time) (years int) {
	for !birth.AddDate(years+1, 0, 0).After(on) {
		years++
	}
	return years
}

// newcomers is the tally, and how many of its members have any action for the brand before.
func (m *Model) newcomers(q *domain.Question) *domain.Tally {
	out := m.tally(q)
	before := map[domain.MemberID]bool{}
	for i := range m.Actions {
		if a := &m.Actions[i]; m.within(a, q.Brand, domain.Range{To: q.Range.From}) {
			before[a.Member] = true
		}
	}
	for id := range membersOf(m.Counted(q)) {
		if before[id] {
			out.Before++
		}
	}
	return out
}

// timeline counts by service, or in one line, and day.
func (m *Model) timeline(q *domain.Question) *domain.Timeline {
	type line struct {
		days  map[uint32]*counter
		total counter
	}
	lines := map[domain.Service]*line{}
	for a := range m.Counted(q) {
		service := a.Row.Service
		if q.Shape == domain.ShapeDaily {
			service = domain.NoService
		}
		l := lines[service]
		if l == nil {
			l = &line{days: map[uint32]*counter{}}
			lines[service] = l
		}
		day := a.Row.Time / 86400
		if l.days[day] == nil {
			l.days[day] = &counter{}
		}
		l.days[day].add(a)
		l.total.add(a)
	}
	out := &domain.Timeline{First: q.Range.From / 86400}
	for service, l := range lines {
		s := domain.ServiceTimeline{Service: service, Total: l.total.count()}
		for day := out.First; day <= (q.Range.To-1)/86400; day++ {
			var n domain.Count
			if c := l.days[day]; c != nil {
				n = c.count()
			}
			s.Days = append(s.Days, n)
		}
		out.Services = append(out.Services, s)
	}
	slices.SortFunc(out.Services, func(a, b domain.ServiceTimeline) int { return cmp.Compare(a.Service, b.Service) })
	return out
}
