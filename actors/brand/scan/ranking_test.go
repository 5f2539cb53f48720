package scan

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// memberOf names members against the order of their ordinals.
func memberOf(o domain.Ordinal) domain.MemberID {
	return domain.MemberIDOf(uint64(100_000-o), domain.Slot(o%7))
}

// lastSeen is a time with many ties.
func lastSeen(o domain.Ordinal) domain.Second { return domain.Second(o) * 37 % 50 }

// drawRanking gives a random question what a ranking needs. Brands with the greatest
// numbers are not in the directory.
func (w *population) drawRanking(r *rand.Rand, h *question) {
	h.q.Top = domain.Top{
		Order: domain.Order(max(0, r.IntN(6)-2)), Up: r.IntN(3) == 0, Offset: r.IntN(2) * r.IntN(20), Limit: r.IntN(4) * r.IntN(40),
		Latest: r.IntN(3) > 0,
	}
	if r.IntN(4) == 0 {
		h.q.Top = domain.Top{Above: new(r.Uint64N(300))}
	}
	switch h.q.Shape {
	case domain.ShapeLeaders, domain.ShapeStandings, domain.ShapeSummaries:
		h.q.Groups = slices.Clone(h.q.Groups)
		for i := range h.q.Groups {
			if r.IntN(4) == 0 {
				h.q.Groups[i].Own, h.q.Groups[i].Points = true, uint16(r.IntN(1<<16))
			}
		}
	}
	ids := make([]domain.BrandID, max(0, w.brands-3))
	for i := range ids {
		ids[i] = domain.BrandID(1001 + i)
		if r.IntN(6) == 0 {
			h.q.Without = append(h.q.Without, ids[i])
		}
	}
	h.brands = NewDirectory(ids, h.q.Without)
}

// Many rows of few brands are grouped by counting, few rows of many by sorting.
func TestCrossover_CountsSmallBrandsByGroupingAndBySorting(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, w := range []population{
		{members: 50, brands: 4000, definitions: 5, start: 20_000 * 86400, span: 86400},
		{members: 900, brands: 12, definitions: 5, start: 20_000 * 86400, span: 86400},
	} {
		table, m := rows.NewTable(rows.Options{TailMax: 64, Promote: 1 << 30}), newModel()
		for seq := range uint64(500) {
			f := w.row(r, seq+1, w.start+uint32(r.IntN(86400)))
			f.dense = 1 + r.Uint32N(uint32(w.brands-1))
			f.Brand = domain.BrandID(f.dense + 1000)
			m.put(&f)
			table.Append(f.dense, []domain.Row{f.Row})
		}
		v, x := table.Commit(nil), NewScratch()
		for range 200 {
			h := w.question(r)
			h.q.Shape = domain.ShapeCrossover
			if r.IntN(3) > 0 {
				h.dense = rows.EveryBrand
			}
			got, err := x.crossover.answer(v, h.ask(nil))
			if err != nil {
				t.Fatal(err)
			}
			if d := difference(m.answer(h), ordered(domain.Answer{Crossover: got})); d != "" {
				t.Fatalf("%d brands, %+v of %d: %s", w.brands, h.q, h.dense, d)
			}
		}
	}
}

// A row may lie below the newest chunk and still be its member's latest.
func TestLatestRows_AreFoundInAnyChunk(t *testing.T) {
	table := rows.NewTable(rows.Options{Promote: 1, TailMin: 2, TailMax: 2, FanIn: 100})
	row := func(seq uint64, at uint32, ord domain.Ordinal) {
		table.Append(5, []domain.Row{{Seq: seq, Time: testTime + at, Ord: ord, Brand: 1005, Definition: 100, Service: domain.Spotify, Points: 65535}})
		table.Commit(nil)
	}
	row(1, 500, 1) // a chunk of 500 and 100, then of 90 and 400, then of 90 and 300
	row(2, 100, 2)
	row(3, 90, 1)
	row(4, 400, 3)
	row(5, 90, 2)
	row(6, 300, 1)
	row(7, 100, 2) // a tail
	plan := NewPlan(&domain.Question{
		Account: 1, Shape: domain.ShapeLeaders, Groups: []domain.Group{{Definition: 100}},
		Range: domain.Range{From: testTime, To: testTime + 1000}, Top: domain.Top{Limit: 3, Latest: true},
	})
	v := table.Acquire()
	defer v.Release()
	got, err := NewScratch().ranking.answer(v, &Ask{Plan: plan, Brand: 5, ID: memberOf, Label: labelOf})
	if err != nil {
		t.Fatal(err)
	}
	var seqs []uint64
	for _, r := range got.Latest {
		seqs = append(seqs, r.Seq)
	}
	if !slices.Equal(seqs, []uint64{2, 1, 4}) || got.Members[0].Score != 3*65535 {
		t.Errorf("%v of %+v", seqs, got.Members)
	}
}

// Of two actions of one second the one with the lower sequence is the latest, as in a feed; either may be in the
// chunk that is read first, and the rows may be on disk, in any order.
func TestLatestRows_OfOneSecondHaveTheLowestSequence(t *testing.T) {
	for _, last := range [][2]uint32{{299, 10}, {10, 299}} {
		table := rows.NewTable(rows.Options{Promote: 1, TailMin: 2, TailMax: 2, FanIn: 100})
		var list []domain.Row
		for i, at := range []uint32{1, last[0], 300, last[1], 300, 1} {
			row := domain.Row{Seq: uint64(i + 1), Time: testTime + at, Ord: 1, Brand: 1005, Definition: 100, Points: 1}
			if i == 0 || i == 5 { // another's: for it the brand gets its columns, and the second tail is sealed
				row.Ord, row.Points = 2, 0
			}
			list = append(list, row)
			table.Append(5, []domain.Row{row})
			table.Commit(nil)
		}
		disk := func(_ rows.Cold, in domain.Range, f func([]domain.Row)) error {
			f(slices.DeleteFunc(slices.Clone(list), func(r domain.Row) bool { return r.Time < in.From || r.Time >= in.To }))
			return nil
		}
		plan := NewPlan(&domain.Question{
			Shape: domain.ShapeLeaders, Groups: []domain.Group{{Definition: 100}}, Range: domain.Range{From: testTime, To: testTime + 1000},
			Top: domain.Top{Limit: 1, Latest: true},
		})
		for _, from := range []string{"memory", "disk", "disk, turned round"} {
			switch from {
			case "disk":
				table.Evict(5)
				table.Commit(nil)
			case "disk, turned round":
				slices.Reverse(list)
			}
			v := table.Acquire()
			got, err := NewScratch().ranking.answer(v, &Ask{Plan: plan, Brand: 5, Cold: disk, ID: memberOf, Label: labelOf})
			v.Release()
			if err != nil || got.Latest[0].Seq != 3 {
				t.Errorf("%v, from %s: %+v, %v", last, from, got.Latest, err)
			}
		}
	}
}

func TestScratch_ColdBrandWithoutASourceIsAnError(t *testing.T) {
	table := rows.NewTable(rows.Options{Promote: 1})
	table.Append(5, []domain.Row{{Seq: 1, Time: testTime, Ord: 1, Brand: 1005, Definition: 100}})
	table.Append(6, []domain.Row{{Seq: 2, Time: testTime, Ord: 1, Brand: 1006, Definition: 100}})
	table.Commit(nil)
	table.Evict(5)
	v := table.Commit(nil)
	for _, shape := range []domain.Shape{domain.ShapeLeaders, domain.ShapeCrossover} {
		for _, dense := range []uint32{5, 6, rows.EveryBrand} {
			plan := NewPlan(&domain.Question{Shape: shape, Groups: []domain.Group{{Definition: 100}}, Range: domain.Range{To: ^uint32(0)}})
			x := NewScratch()
			_, err := x.Answer(v, &Ask{Plan: plan, Brand: dense, ID: memberOf, Label: labelOf, Brands: NewDirectory([]domain.BrandID{1, 2, 3, 4, 1005, 1006}, nil)})
			if want := shape == domain.ShapeCrossover || dense != 6; (err != nil) != want {
				t.Errorf("shape %d, brand %d: %v", shape, dense, err)
			}
			for o, s := range x.ranking.sums.of {
				if s != 0 {
					t.Errorf("member %d keeps %x after the question", o, s)
				}
			}
		}
	}
}
