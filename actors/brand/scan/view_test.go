package scan

import (
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// TestAnswer_IsExactAtEverySize puts tens of thousands of rows into chunks of their real size, so
// that every way of counting is met: masks, bitsets, many groups, chunks with very
// many kinds.
func TestAnswer_IsExactAtEverySize(t *testing.T) {
	for _, c := range []struct {
		name string
		w    population
	}{
		{"few kinds", population{members: 3000, brands: 3, definitions: 4}},
		{"many members", population{members: 4*columnPage - 77, brands: 2, definitions: 5}},
		{"many definitions", population{members: 900, brands: 2, definitions: 60}},
		{"thousands of definitions", population{members: 2000, brands: 2, definitions: 3000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, r := c.w, rand.New(rand.NewPCG(7, 7))
			w.start, w.span = 20_000*86400, 20*86400
			table, m := w.filled(r, rows.Options{}, 30_000, 50, 50, 997)
			table.Settle()
			v, x := table.Commit(nil), NewScratch()
			for range 40 {
				h := w.question(r)
				got, err := x.Answer(v, h.ask(nil))
				if err != nil {
					t.Fatal(err)
				}
				if d := difference(m.answer(h), ordered(got)); d != "" {
					t.Fatalf("brand %d shape %d range %+v services %v members %v (-want +got):\n%s",
						h.dense, h.q.Shape, h.q.Range, h.q.Filter.Services, h.members != nil, d)
				}
			}
		})
	}
}

func TestAnswer_AllocatesItselfOnly(t *testing.T) {
	w, r := population{members: 500, brands: 5, definitions: 6, start: 20_000 * 86400, span: 86400}, rand.New(rand.NewPCG(1, 1))
	table, _ := w.filled(r, rows.Options{Promote: 300}, 5000, 10, 5000, 5000)
	v, x := table.Commit(nil), NewScratch()
	q := &domain.Question{
		Shape: domain.ShapeTally, Range: domain.Range{From: w.start, To: w.start + w.span},
		Groups: []domain.Group{{Definition: 102, Group: 1}, {Definition: 103, Group: 2}},
	}
	for _, shape := range []domain.Shape{domain.ShapeTally, domain.ShapeLocation, domain.ShapeGender, domain.ShapeAge, domain.ShapeNewcomers} {
		for _, dense := range []uint32{1, 4, rows.EveryBrand} {
			q.Shape = shape
			a := &Ask{Plan: NewPlan(q), Brand: dense, Members: make([]uint64, 8), Column: columns[shape]}
			a.Members[2] = ^uint64(0)
			if n := testing.AllocsPerRun(100, func() {
				if _, err := x.Answer(v, a); err != nil {
					t.Fatal(err)
				}
			}); n > 2 {
				t.Errorf("shape %d of brand %d: %v allocations", shape, int32(dense), n)
			}
		}
	}
}

func TestAnswer_UnknownShapeIsAnError(t *testing.T) {
	v := rows.NewTable(rows.Options{}).Acquire()
	if _, err := NewScratch().Answer(v, &Ask{Plan: NewPlan(&domain.Question{Shape: 99})}); domain.CodeOf(err) != domain.Internal {
		t.Errorf("got %v", err)
	}
}
