package actors

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// rowsIn is how many rows there are of a brand, or with 0 of all.
func rowsIn(m *reference.Model, brand domain.BrandID, in domain.Range) uint64 {
	q := allOf(domain.ShapeTally, brand)
	q.Range = in
	n := uint64(0)
	for range m.Counted(q) {
		n++
	}
	return n
}

// inMonths is the range widened to whole months.
func inMonths(r domain.Range) domain.Range {
	return domain.Range{From: domain.MonthOf(r.From).Start(), To: (domain.MonthOf(r.To-1) + 1).Start()}
}

// A question is refused with code 12, which names the bound, exactly if it would read
// more rows than the bound, over all shards: those in the range, and of what is on disk
// alone those in the range's months.
func TestScanLimit_RefusesExactlyAboveTheLimit(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 13))
	const fans, brands, bound = 30, 4, 1500
	r := newHarness(t, 2, Options{Memory: Memory{ResidentBytes: 30_000}, Questions: Questions{MaxRows: bound}})
	g := newGraveyard(r, fans, brands)
	for range 6000 {
		g.did(g.act(rnd, len(g.acts), brands))
	}
	g.publish(0)
	r.settled()
	r.close() // what is read at a start is evicted at once where there is no room
	r.open()
	want, refused, answered := g.wants(), 0, 0
	shapes := []domain.Shape{domain.ShapeTally, domain.ShapeTimeline, domain.ShapeFeed, domain.ShapeCrossover, domain.ShapeNewcomers, domain.ShapeLists, domain.ShapeLeaders}
	for range 300 {
		q := &domain.Question{
			Account: 1, Shape: shapes[rnd.IntN(len(shapes))], Brand: domain.BrandID(rnd.IntN(brands + 1)), Groups: []domain.Group{{Definition: 100}},
		}
		q.Range.From = 1_600_000_000 + uint32(rnd.IntN(9_000_000))
		q.Range.To = q.Range.From + 1 + uint32(rnd.IntN(6_000_000))
		parts := map[domain.BrandID]domain.Range{q.Brand: q.Range}
		switch q.Shape {
		case domain.ShapeCrossover:
			if q.Brand != 0 {
				parts[0] = q.Range
			}
		case domain.ShapeNewcomers:
			parts[q.Brand] = domain.Range{To: q.Range.To}
		case domain.ShapeLists:
			rule := &domain.Rule{Definitions: []domain.DefinitionID{100}, Brand: q.Brand, Threshold: 1, Range: q.Range}
			q.Lists, q.Brand = []domain.List{{Segment: 1, Rule: rule}, {Segment: 1}}, 0
		default:
			if rnd.IntN(3) == 0 {
				q.Filter.AnyOf = []domain.Performed{{Definition: 100}}
				parts[brands+1] = q.Range // all, once more
			}
		}
		lower, upper := uint64(0), uint64(0)
		for b, in := range parts {
			if b > brands {
				b = 0
			}
			lower += rowsIn(want, b, in)
			upper += rowsIn(want, b, inMonths(in))
		}
		_, err := r.node.Ask(context.Background(), q, domain.Position{})
		switch code := domain.CodeOf(err); {
		case code == domain.PlanLimit:
			if refused++; upper <= bound || !strings.Contains(err.Error(), "1500") {
				t.Fatalf("seed %d: %+v would read at most %d rows: %v", seed, q, upper, err)
			}
		case err != nil:
			t.Fatalf("seed %d: %+v: %v", seed, q, err)
		default:
			if answered++; lower > bound {
				t.Fatalf("seed %d: %+v read %d rows", seed, q, lower)
			}
		}
	}
	if refused < 50 || answered < 50 {
		t.Errorf("seed %d: %d refused, %d answered", seed, refused, answered)
	}
	whole := domain.Range{To: 1<<32 - 1}
	bounded := query.New(query.Options{
		Shards: r.node.queried(), Logs: r.node, Yield: &r.node.questions, MaxRows: rowsIn(want, 0, whole), // all rows once, not twice
	})
	for shape, code := range map[domain.Shape]domain.Code{domain.ShapeTally: domain.OK, domain.ShapeCrossover: domain.PlanLimit} {
		q := &domain.Question{Account: 1, Shape: shape, Range: whole, Groups: []domain.Group{{Definition: 100}}}
		if shape == domain.ShapeCrossover {
			q.Brand = 1
		}
		if _, err := bounded.Ask(context.Background(), q, domain.Position{}); domain.CodeOf(err) != code {
			t.Errorf("seed %d: shape %d over all rows: %v", seed, shape, err)
		}
	}
	evicted := int64(0)
	for _, s := range r.node.running {
		evicted += s.Stats.Evicted.Load()
	}
	if evicted == 0 {
		t.Errorf("seed %d: nothing was on disk alone", seed)
	}
}
