package scan

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

const testTime = 20_000 * 86400

// rowsOf are n rows of definition 100 by members 0, 1, …, a minute apart, with
// sequences from seq on.
func rowsOf(n int, seq uint64) (some []domain.Row) {
	for i := range n {
		some = append(some, domain.Row{
			Seq: seq + uint64(i), Ord: domain.Ordinal(i), Time: testTime + uint32(i)*60,
			Brand: 1005, Definition: 100, Service: domain.Spotify,
		})
	}
	return some
}

func tallyOf(t *testing.T, v *rows.View, dense uint32, cold rows.Source) domain.Count {
	t.Helper()
	q := &domain.Question{
		Shape: domain.ShapeTally, Range: domain.Range{To: ^uint32(0)},
		Groups: []domain.Group{{Definition: domain.Registration, Group: 1}, {Definition: 100, Group: 100}},
	}
	got, err := NewScratch().tally.answer(v, &Ask{Plan: NewPlan(q), Brand: dense, Cold: cold})
	if err != nil {
		t.Fatal(err)
	}
	return got.Total
}

// A cold brand is read from the question's source, whose error is the answer's; without one the error is ErrCold.
func TestScratch_ReadsAColdBrandFromItsSource(t *testing.T) {
	w := rows.NewTable(rows.Options{Promote: 10})
	list := rowsOf(50, 1)
	w.Append(5, list)
	w.Append(6, rowsOf(2, 100))
	w.Commit(nil)
	hot := w.Bytes()
	if !w.Evict(5) || w.Evict(5) || w.Evict(6) {
		t.Fatal("evicted the wrong ones")
	}
	v := w.Commit(nil)
	if d := cmp.Diff([]rows.Cold{{Dense: 5, Brand: 1005}}, v.Cold(rows.EveryBrand)); d != "" {
		t.Error(d)
	}
	if w.Bytes() >= hot {
		t.Errorf("%d bytes hot, %d cold", hot, w.Bytes())
	}
	if n := v.RowsIn(5, domain.Range{To: ^uint32(0)}); n != 50 {
		t.Errorf("a question reads %d rows", n)
	}
	plan := NewPlan(&domain.Question{Shape: domain.ShapeTimeline, Range: domain.Range{To: ^uint32(0)}, Groups: []domain.Group{{Definition: 100}}})
	if _, err := NewScratch().timeline.answer(v, &Ask{Plan: plan, Brand: 5}); !errors.Is(err, rows.ErrCold) {
		t.Errorf("got %v", err)
	}
	broken := errors.New("disk")
	if _, err := NewScratch().tally.answer(v, &Ask{Plan: plan, Brand: rows.EveryBrand, Cold: func(rows.Cold, domain.Range, func([]domain.Row)) error { return broken }}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	disk := func(_ rows.Cold, _ domain.Range, f func([]domain.Row)) error { f(list); return nil }
	if got := tallyOf(t, v, rows.EveryBrand, disk); got != (domain.Count{Actions: 52, Members: 50}) {
		t.Errorf("got %+v", got)
	}
}
