package scan

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// placedRow is a row and where it belongs.
type placedRow struct {
	dense uint32
	domain.Row
}

// question is a question with all that the model needs to answer it.
type question struct {
	q       domain.Question
	dense   uint32
	members []uint64
	brands  *Directory // of a ranking
}

func (h *question) ask(cold rows.Source) *Ask {
	return &Ask{Plan: NewPlan(&h.q), Brand: h.dense, Members: h.members, Cold: cold, Earlier: cold, Brands: h.brands, ID: memberOf, At: lastSeen, Column: columns[h.q.Shape], Label: labelOf, Contents: contentsOfRows, Search: searches, Places: places, Valid: validSets(&h.q), Void: voids}
}

// visits is the brand that the reference has visits under: a question about them alone has no
// brand of its own.
const visits domain.BrandID = 999

// brandOf is the brand of a dense number in the reference.
func brandOf(dense uint32) domain.BrandID {
	switch dense {
	case rows.EveryBrand:
		return 0
	case rows.Visits:
		return visits
	}
	return labelOf(dense)
}

// model is the rows that count, by sequence, and the reference of them.
type model struct {
	rows map[uint64]*placedRow
	made *reference.Model // nil: rows have changed since
}

func newModel() *model { return &model{rows: map[uint64]*placedRow{}} }

func (m *model) put(f *placedRow) { m.rows[f.Seq], m.made = f, nil }
func (m *model) take(seq uint64)  { delete(m.rows, seq); m.made = nil }

// reference has the model's rows as actions, and their members.
func (m *model) reference() *reference.Model {
	if m.made != nil {
		return m.made
	}
	out, members := &reference.Model{Visits: visits}, map[domain.Ordinal]bool{}
	for _, f := range m.rows {
		a := reference.Action{FeedItem: domain.FeedItem{Row: f.Row, Member: memberOf(f.Ord), Recorded: recordedAt(f.Seq)}, Content: contentOf(f.Seq)}
		a.Row.Brand, a.Row.Slot = brandOf(f.dense), a.Member.Slot()
		if f.dense == rows.Visits {
			a.Visit, a.Place = visitOf(f.Definition)
			_, a.Void = voids[f.Seq]
		}
		out.Actions = append(out.Actions, a)
		if !members[f.Ord] {
			members[f.Ord] = true
			out.Members = append(out.Members, reference.Member{
				ID: a.Member, Country: home(f.Ord), Gender: gender(f.Ord), Born: born(f.Ord), Created: lastSeen(f.Ord), LastLogin: lastSeen(f.Ord),
				Valid: validServices(f.Ord),
			})
		}
	}
	m.made = out
	return out
}

// question is the question in the words of the domain, for the parts that one shard gives.
func (m *model) question(h *question) *domain.Question {
	q := h.q
	q.Brand = brandOf(h.dense)
	if h.members != nil {
		q.Filter.Members = []domain.MemberID{0} // of no member
		for o := range domain.Ordinal(len(h.members) * 64) {
			if bitset.Get(h.members, uint32(o)) == 1 {
				q.Filter.Members = append(q.Filter.Members, memberOf(o))
			}
		}
	}
	q.Top.Limit, q.Top.Offset = q.Top.End(), 0
	q.Listing.Limit, q.Listing.Offset = q.Listing.End(), 0
	switch q.Shape {
	case domain.ShapeCrossover, domain.ShapeStandings:
		q.Top = domain.Top{Limit: len(m.rows)}
		fallthrough
	case domain.ShapeSummaries:
		q.Without = slices.Clone(q.Without)
		for _, f := range m.rows {
			if h.brands.ID(f.dense) == 0 {
				q.Without = append(q.Without, brandOf(f.dense))
			}
		}
	}
	return &q
}

// answer is what one shard with the model's rows answers.
func (m *model) answer(h *question) domain.Answer {
	out := *m.reference().Answer(m.question(h))
	if f := out.Feed; f != nil {
		for i := range f.Items {
			f.Items[i].Member, f.Items[i].Row.Slot = 0, 0
			f.Items[i].Row.Brand = unvisited(f.Items[i].Row.Brand)
		}
	}
	if l := out.Leaders; l != nil {
		for i := range l.Latest {
			l.Latest[i].Brand = unvisited(l.Latest[i].Brand)
		}
	}
	if c := out.Crossover; c != nil {
		c.Total = 0
	}
	if s := out.Standings; s != nil {
		s.Total = 0
	}
	return ordered(out)
}

// ordered gives the brands of an answer, which come in any order, one.
func ordered(a domain.Answer) domain.Answer {
	if c := a.Crossover; c != nil {
		slices.SortFunc(c.Brands, func(a, b domain.BrandMembers) int { return cmp.Compare(a.Brand, b.Brand) })
	}
	if s := a.Standings; s != nil {
		slices.SortFunc(s.Brands, func(a, b domain.Standing) int { return cmp.Compare(a.Brand, b.Brand) })
	}
	slices.SortFunc(a.Summaries, func(a, b domain.MemberSummary) int { return cmp.Compare(a.Member, b.Member) })
	return a
}

// unvisited is the brand that rows have.
func unvisited(b domain.BrandID) domain.BrandID {
	if b == visits {
		return 0
	}
	return b
}

// setOf is the bitset of members.
func setOf(ids map[domain.MemberID]bool, members int) []uint64 {
	out := make([]uint64, (members+63)/64)
	for id := range ids {
		o := 100_000 - id.Sequence()
		out[o>>6] |= 1 << (o & 63)
	}
	return out
}

// difference is what an answer has otherwise than it should; lists that are empty are equal.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) { // at a fraction of what telling the difference costs
		return ""
	}
	return gocmp.Diff(want, got, cmpopts.EquateEmpty())
}

// some is a number of questions, or with the race detector a fifth of it.
func some(n int) int {
	if underRace {
		return n / 5
	}
	return n
}

// population is what random rows and questions are drawn from.
type population struct {
	members, brands, definitions int
	start, span                  uint32
	visits                       bool // rows of the brand of visits are visits, and most questions about it
}

func (w *population) row(r *rand.Rand, seq uint64, at uint32) placedRow {
	f := placedRow{dense: uint32(min(r.IntN(w.brands), r.IntN(w.brands), r.IntN(w.brands)))}
	if r.IntN(20) == 0 {
		at = w.start + uint32(r.IntN(int(at-w.start)+1))
	}
	f.Row = domain.Row{
		Seq: seq, Account: 1, Ord: domain.Ordinal(r.IntN(w.members)), Time: at - uint32(r.IntN(30)), Brand: domain.BrandID(f.dense + 1000),
		Definition: w.definition(r), Points: uint16(r.IntN(100)), Service: domain.Service(min(r.IntN(domain.Services), r.IntN(domain.Services))),
	}
	if f.dense == rows.Visits {
		f.Brand = 0
	}
	if f.dense == rows.Visits && w.visits {
		f.Definition = visitDefinition(r)
	}
	return f
}

// filled is a table of n random rows, step seconds apart, and a model of them. One in removed is
// removed again; the table commits after every commit-th.
func (w *population) filled(r *rand.Rand, options rows.Options, n int, step uint32, removed, commit int) (*rows.Table, *model) {
	table, m := rows.NewTable(options), newModel()
	for i := range n {
		f := w.row(r, uint64(i+1), w.start+uint32(i)*step)
		m.put(&f)
		table.Append(f.dense, []domain.Row{f.Row})
		if r.IntN(removed) == 0 {
			if !table.Remove(f.dense, &f.Row) {
				panic("a row is not there")
			}
			m.take(f.Seq)
		}
		if i%commit == 0 {
			table.Commit(nil)
		}
		if i%4001 == 0 {
			table.Settle()
		}
	}
	return table, m
}

// definition is a random one; the first two are built in.
func (w *population) definition(r *rand.Rand) domain.DefinitionID {
	if i := min(r.IntN(w.definitions), r.IntN(w.definitions)); i >= 2 {
		return domain.FirstDefinition + domain.DefinitionID(i)
	} else {
		return domain.DefinitionID(i + 1)
	}
}

func (w *population) question(r *rand.Rand) *question {
	h := &question{dense: uint32(r.IntN(w.brands))}
	shapes := []domain.Shape{
		domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLocation, domain.ShapeDaily, domain.ShapeLeaders, domain.ShapeCrossover, domain.ShapeFeed,
		domain.ShapeGender, domain.ShapeAge, domain.ShapeNewcomers, domain.ShapeStandings, domain.ShapeSummaries,
	}
	h.q.Account, h.q.Shape = 1, shapes[r.IntN(len(shapes))]
	switch r.IntN(6) {
	case 0, 1:
		h.dense = rows.EveryBrand
	case 2, 3:
		h.dense = uint32(r.IntN(3))
	}
	h.q.Range.From = w.start + uint32(r.IntN(int(w.span)))
	h.q.Range.To = h.q.Range.From + uint32(r.IntN(int(w.span)))
	switch r.IntN(6) {
	case 0:
		h.q.Range = domain.Range{From: w.start - 86400, To: w.start + 2*w.span}
	case 1:
		h.q.Range.To = h.q.Range.From + uint32(r.IntN(3*3600))
	}
	for i := range w.definitions {
		d := domain.DefinitionID(i + 1)
		if i >= 2 {
			d = domain.FirstDefinition + domain.DefinitionID(i)
		}
		if r.IntN(5) > 0 {
			h.q.Groups = append(h.q.Groups, domain.Group{Definition: d, Group: uint32(d)})
		}
	}
	switch r.IntN(4) {
	case 0:
		for i := range h.q.Groups {
			h.q.Groups[i].Group = 7 - h.q.Groups[i].Group%3
		}
	case 1:
		h.q.Groups = h.q.Groups[:min(1, len(h.q.Groups))]
	}
	if r.IntN(3) == 0 {
		for s := range domain.Services {
			if r.IntN(3) == 0 {
				h.q.Filter.Services = append(h.q.Filter.Services, domain.Service(s))
			}
		}
	}
	if r.IntN(2) == 0 {
		h.members = make([]uint64, r.IntN((w.members+63)/64+2))
		for i := range h.members {
			h.members[i] = r.Uint64() & r.Uint64()
		}
	}
	if r.IntN(5) == 0 { // one alone, who may have no row yet
		o := r.IntN(w.members + 64)
		h.members = make([]uint64, o>>6+1+r.IntN(2))
		h.members[o>>6] = 1 << (o & 63)
	}
	if h.dense == rows.Visits && w.visits {
		drawVisits(r, h)
	}
	w.drawRanking(r, h)
	w.drawListing(r, h)
	w.cursor(r, h)
	return h
}
