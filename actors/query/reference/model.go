package reference

import (
	"iter"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Member is a member with what questions filter and count by.
type Member struct {
	ID        domain.MemberID
	Country   uint16 // domain.CountryCode
	Gender    uint16 // domain.GenderCode
	Born      uint16 // domain.BirthDay
	Region    string // domain.RegionValue
	Created   domain.Second
	LastLogin domain.Second
	Changed   domain.Second
	Paid      bool
	Services  []domain.Service
	Valid     []domain.Service // of which it has a valid record
	Domains   []string
	Fields    []domain.Field // of the profile, with a value
	Opts      map[domain.Opt]domain.OptState
}

// Action is an action that counts.
type Action struct {
	domain.FeedItem
	Content string

	Visit domain.DefinitionID // Registration or Login; 0: it is no visit
	Place domain.VisitPlace
	Void  bool // a signup whose record is gone or not valid
}

// Model is members and actions. Actions for the brand Visits are for no brand: they count only
// in a question about it.
type Model struct {
	Members []Member
	Actions []Action
	Visits  domain.BrandID
}

// Answer is the merged answer of all shards, without position and lag.
func (m *Model) Answer(q *domain.Question) *domain.Answer {
	out := &domain.Answer{}
	switch q.Shape {
	case domain.ShapeTally, domain.ShapeLocation, domain.ShapeGender, domain.ShapeAge:
		out.Tally = m.tally(q)
	case domain.ShapeNewcomers:
		out.Tally = m.newcomers(q)
	case domain.ShapeTimeline, domain.ShapeDaily:
		out.Timeline = m.timeline(q)
		if q.Visits != nil && q.Visits.Totals {
			out.Tally = m.tally(q)
		}
	case domain.ShapeDomains:
		out.Domains = m.domains(q)
	case domain.ShapeLists:
		out.Lists, out.Union = m.lists(q)
	case domain.ShapeLeaders:
		out.Leaders = m.leaders(q)
	case domain.ShapeCrossover:
		out.Crossover = m.crossover(q)
	case domain.ShapeStandings:
		out.Standings = m.standings(q)
	case domain.ShapeSummaries:
		out.Summaries = m.summaries(q)
	case domain.ShapeMemberList:
		out.MemberList = m.memberList(q)
	case domain.ShapeFeed:
		out.Feed = m.feed(q)
	default:
		panic("reference: unknown shape")
	}
	if q.Explain {
		out.Feed = m.feed(q)
	}
	return out
}

// Counted is the actions that the question counts, with the points that they count for. They
// are not to be changed.
func (m *Model) Counted(q *domain.Question) iter.Seq[*Action] {
	if q.Visits != nil {
		return m.visits(q)
	}
	return func(yield func(*Action) bool) {
		passing, groups, in := m.Passing(q), groupsOf(q), q.Range
		if q.Shape == domain.ShapeStream {
			in = domain.AllTime
		}
		for i := range m.Actions {
			a := &m.Actions[i]
			if !m.within(a, q.Brand, in) {
				continue
			}
			g, ok := groups[a.Row.Definition]
			if !ok || !passing[a.Member] {
				continue
			}
			if s := q.Filter.Services; len(s) > 0 && !slices.Contains(s, a.Row.Service) {
				continue
			}
			if g.Own {
				own := *a
				own.Row.Points = g.Points
				a = &own
			}
			if !yield(a) {
				return
			}
		}
	}
}

// within reports that an action is for a brand, or with 0 for any, and in a range.
func (m *Model) within(a *Action, brand domain.BrandID, in domain.Range) bool {
	ofBrand := a.Row.Brand == brand || brand == 0 && a.Row.Brand != m.Visits
	return ofBrand && a.Row.Time >= in.From && a.Row.Time < in.To
}

// groupsOf are the groups by definition, of one that is named twice the first.
func groupsOf(q *domain.Question) map[domain.DefinitionID]domain.Group {
	out := map[domain.DefinitionID]domain.Group{}
	for _, g := range slices.Backward(q.Groups) {
		out[g.Definition] = g
	}
	return out
}

func (m *Model) byID() map[domain.MemberID]*Member {
	out := map[domain.MemberID]*Member{}
	for i := range m.Members {
		out[m.Members[i].ID] = &m.Members[i]
	}
	return out
}

// page is the rows [offset, offset+limit).
func page[T any](all []T, offset, limit int) []T {
	return all[min(len(all), offset):min(len(all), offset+limit)]
}
