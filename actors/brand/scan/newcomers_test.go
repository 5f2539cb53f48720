package scan

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// A member with any action before the range is no newcomer: the filters on actions
// and members do not apply to earlier actions.
func TestNewcomers_HaveNoRowBefore(t *testing.T) {
	const start = 20_000 * 86400
	row := func(seq uint64, dense uint32, ord domain.Ordinal, at uint32, d domain.DefinitionID) domain.Row {
		return domain.Row{Seq: seq, Account: 1, Ord: ord, Time: at, Brand: domain.BrandID(dense + 1000), Definition: d, Service: domain.Spotify}
	}
	for name, promote := range map[string]int{"small": 1000, "with columns": 2} {
		table := rows.NewTable(rows.Options{Promote: promote})
		list := []domain.Row{
			row(1, 1, 0, start-1, 101), // of another definition, a second before
			row(2, 1, 1, start-9, 100), // taken out again
			row(3, 2, 2, start-9, 100), // for another brand
			row(4, 1, 0, start, 100), row(5, 1, 1, start+1, 100), row(6, 1, 2, start+2, 100), row(7, 1, 2, start+2, 100),
			row(8, 1, 3, start+9, 100), // after the range
		}
		for _, r := range list {
			table.Append(uint32(r.Brand-1000), []domain.Row{r})
		}
		table.Remove(1, &list[1])
		q := &domain.Question{
			Shape: domain.ShapeNewcomers, Range: domain.Range{From: start, To: start + 9}, Groups: []domain.Group{{Definition: 100, Group: 7}},
			Filter: domain.Filter{Services: []domain.Service{domain.Spotify}},
		}
		a := &Ask{Plan: NewPlan(q), Brand: 1}
		ask := func() *domain.Tally {
			t.Helper()
			got, err := NewScratch().newcomers.answer(table.Commit(nil), a)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return got
		}
		if got := ask(); got.Total != (domain.Count{Actions: 4, Members: 3}) || got.Before != 1 {
			t.Errorf("%s: %+v", name, got)
		}
		a.Brand = rows.EveryBrand
		if got := ask(); got.Before != 2 {
			t.Errorf("%s: for any brand %+v", name, got)
		}
		q.Range.From = 0
		a = &Ask{Plan: NewPlan(q), Brand: 1}
		if got := ask(); got.Before != 0 || got.Total.Members != 3 {
			t.Errorf("%s: of all time %+v", name, got)
		}
	}
}

func TestNewcomers_OfAColdBrandReadTheirSources(t *testing.T) {
	w, r := population{members: 50, brands: 1, definitions: 4, start: 20_000 * 86400, span: 86400}, rand.New(rand.NewPCG(1, 2))
	table, m := rows.NewTable(rows.Options{Promote: 10}), newModel()
	var list []domain.Row
	for i := range 100 {
		f := w.row(r, uint64(i+1), w.start+uint32(i)*10)
		f.dense = 1
		list = append(list, f.Row)
		m.put(&f)
		table.Append(1, []domain.Row{f.Row})
	}
	table.Commit(nil)
	if !table.Evict(1) {
		t.Fatal("not evicted")
	}
	h := &question{dense: 1, q: domain.Question{
		Shape: domain.ShapeNewcomers, Range: domain.Range{From: w.start + 500, To: w.start + 1000}, Groups: []domain.Group{{Definition: 102}, {Definition: 103}},
	}}
	v, broken := table.Commit(nil), errors.New("broken")
	disk := func(_ rows.Cold, _ domain.Range, f func([]domain.Row)) error { f(list); return nil }
	a := h.ask(disk)
	if got, err := NewScratch().newcomers.answer(v, a); err != nil || got.Before == 0 || got.Before != m.answer(h).Tally.Before {
		t.Errorf("%+v %v, want %+v", got, err, m.answer(h).Tally)
	}
	if a.Earlier = nil; !errors.Is(second(NewScratch().newcomers.answer(v, a)), rows.ErrCold) {
		t.Error("answered without the rows before the range")
	}
	if a.Earlier = func(rows.Cold, domain.Range, func([]domain.Row)) error { return broken }; !errors.Is(second(NewScratch().newcomers.answer(v, a)), broken) {
		t.Error("a source that fails is no error")
	}
}

func second[T any](_ T, err error) error { return err }
