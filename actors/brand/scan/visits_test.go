package scan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// places are those of the visits of random rows: some have no page, some no domain.
var places = func() []domain.VisitPlace {
	out := []domain.VisitPlace{{Domain: "a.example"}, {Page: "a.example/x"}}
	for i := range 70 {
		name := fmt.Sprintf("%c%d.example", 'a'+i%7, i%11)
		out = append(out, domain.VisitPlace{Domain: name, Page: fmt.Sprintf("%s/%d", name, i%3)})
	}
	return out
}()

// visitDefinition is the definition of a random visit.
func visitDefinition(r *rand.Rand) domain.DefinitionID {
	of := domain.Registration + domain.DefinitionID(r.IntN(2))
	if r.IntN(4) == 0 {
		return of
	}
	return domain.VisitDefinition(of, uint32(min(r.IntN(len(places)), r.IntN(len(places)))))
}

// visitOf is what a definition says, bit by bit.
func visitOf(d domain.DefinitionID) (domain.DefinitionID, domain.VisitPlace) {
	if d < 1<<31 { // of rows that are no visits too
		return d, domain.VisitPlace{}
	}
	return d%2 + 1, places[d%(1<<31)/2]
}

// validServices are the services that a member has a valid record of.
func validServices(o domain.Ordinal) (out []domain.Service) {
	for s := range domain.Services {
		if (int(o)+s)%3 > 0 {
			out = append(out, domain.Service(s))
		}
	}
	return out
}

// voids are sequences of visits that do not count where only valid ones do.
var voids = func() map[uint64]struct{} {
	out := map[uint64]struct{}{}
	for seq := uint64(0); seq < 1<<16; seq += 7 {
		out[seq] = struct{}{}
	}
	return out
}()

// validSets are those of all members by service, where a question looks at them.
func validSets(q *domain.Question) [][]uint64 {
	if q.Visits == nil || !q.Visits.Valid {
		return nil
	}
	out := make([][]uint64, domain.Services)
	for s := range out {
		out[s] = make([]uint64, 1<<14/64)
	}
	for o := range domain.Ordinal(1 << 14) {
		for _, s := range validServices(o) {
			out[s][o>>6] |= 1 << (o & 63)
		}
	}
	return out
}

// drawVisits makes most questions about the brand of visits questions about visits.
func drawVisits(r *rand.Rand, h *question) {
	if r.IntN(4) == 0 && h.q.Shape != domain.ShapeCrossover {
		return
	}
	shapes := []domain.Shape{domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLeaders, domain.ShapeDomains, domain.ShapeFeed, domain.ShapeSummaries}
	h.q.Shape = shapes[r.IntN(len(shapes))]
	v := &domain.VisitQuery{Of: domain.DefinitionID(r.IntN(3)), By: domain.VisitGroup(r.IntN(2)), Totals: r.IntN(2) == 0}
	if r.IntN(4) == 0 {
		v.Domain = places[r.IntN(len(places))].Domain
	}
	if r.IntN(6) == 0 {
		v.Page = places[r.IntN(len(places))].Page
	}
	if h.q.Shape == domain.ShapeTally && r.IntN(3) == 0 {
		v.Valid = true
	}
	h.q.Visits = v
}

// Every way of counting visits gives what the reference does: many places, members, groups; rows
// that are deleted, in chunks and tails, and on disk alone.
func TestVisits_AreCountedExactly(t *testing.T) {
	for _, w := range []population{
		{members: 30, brands: 1, definitions: 3, visits: true}, {members: 2000, brands: 2, definitions: 4, visits: true},
	} {
		seed := rand.Uint64()
		t.Log("seed", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		w.start, w.span = 20_000*86400, 20*86400
		table, m := w.filled(r, rows.Options{}, 20_000, 60, 30, 997)
		table.Settle()
		resident, x := table.Commit(nil), NewScratch()
		resident.Acquire()
		table.Evict(rows.Visits)
		cold := table.Commit(nil)
		for range 500 {
			h := w.question(r)
			if h.q.Visits == nil {
				continue
			}
			want := m.answer(h)
			for i, v := range []*rows.View{resident, cold} {
				got, err := x.Answer(v, h.ask(m.stored(w)))
				if err != nil {
					t.Fatal(err)
				}
				if d := difference(want, ordered(got)); d != "" {
					t.Fatalf("seed %d: cold %d shape %d %+v range %+v services %v members %v (-want +got):\n%s",
						seed, i, h.q.Shape, *h.q.Visits, h.q.Range, h.q.Filter.Services, h.members != nil, d)
				}
			}
		}
	}
}

// A question about activities prepares nothing for the kinds of visits, and counts none.
func TestVisits_AreNoActivity(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	table := rows.NewTable(rows.Options{})
	for i := range 200 {
		row := domain.Row{Seq: uint64(i + 1), Time: 1_600_000_000, Definition: visitDefinition(r), Service: domain.Email}
		table.Append(rows.Visits, []domain.Row{row})
	}
	table.Append(1, []domain.Row{{Seq: 999, Time: 1_600_000_000, Definition: 100, Brand: 1, Service: domain.Email}})
	v := table.Commit(nil)
	q := &domain.Question{Shape: domain.ShapeTally, Range: domain.AllTime, Groups: []domain.Group{
		{Definition: domain.Registration}, {Definition: domain.Login}, {Definition: 100},
	}}
	got, err := NewScratch().Answer(v, &Ask{Plan: NewPlan(q), Brand: rows.EveryBrand})
	if err != nil || got.Tally.Total.Actions != 1 || len(v.Kinds) != 1 {
		t.Fatalf("%+v of %d kinds, %v", got.Tally, len(v.Kinds), err)
	}
}

// BenchmarkVisits counts 1,000,000 visits of 100,000 members at 1,000 places.
func BenchmarkVisits(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	table, sites := rows.NewTable(rows.Options{}), make([]domain.VisitPlace, 1000)
	for i := range sites {
		sites[i] = domain.VisitPlace{Domain: fmt.Sprintf("%d.example", i%50), Page: fmt.Sprint(i)}
	}
	batch := make([]domain.Row, 1000)
	for i := range 1000 {
		for k := range batch {
			seq := i*1000 + k
			batch[k] = domain.Row{
				Seq: uint64(seq + 1), Time: 1_600_000_000 + uint32(seq)*15, Ord: domain.Ordinal(r.IntN(100_000)),
				Service:    domain.Service(1 + r.IntN(4)),
				Definition: domain.VisitDefinition(1+domain.DefinitionID(r.IntN(2)), uint32(r.IntN(len(sites)))),
			}
		}
		table.Append(rows.Visits, batch)
		table.Commit(nil)
	}
	table.Settle()
	v, x := table.Commit(nil), NewScratch()
	valid := make([][]uint64, domain.Services)
	for s := range valid {
		valid[s] = make([]uint64, 100_000/64+1)
		for o := range uint32(100_000) {
			valid[s][o>>6] |= uint64(bitset.Bit(o%9 > 0)) << (o & 63)
		}
	}
	for name, q := range map[string]domain.Question{
		"services": {Shape: domain.ShapeTally, Visits: &domain.VisitQuery{Of: domain.Registration}},
		"valid":    {Shape: domain.ShapeTally, Visits: &domain.VisitQuery{Of: domain.Registration, Valid: true}},
		"days":     {Shape: domain.ShapeTimeline, Visits: &domain.VisitQuery{Of: domain.Registration, Totals: true}},
		"domains":  {Shape: domain.ShapeDomains, Visits: &domain.VisitQuery{}},
		"members":  {Shape: domain.ShapeLeaders, Visits: &domain.VisitQuery{}, Top: domain.Top{Order: domain.ByActions, Limit: 10}},
	} {
		q.Range = domain.Range{From: 1_600_000_000, To: 1_616_000_000}
		a := &Ask{Plan: NewPlan(&q), Brand: rows.Visits, Places: sites, Valid: valid, ID: memberOf, At: lastSeen}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Answer(v, a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
