package scan

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestAtLeast_IsWhatANaiveModelCounts(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 9))
	w := population{members: 700, brands: 4, definitions: 6, start: 20_000 * 86400, span: 20 * 86400}
	table, m := w.filled(r, rows.Options{Promote: 900}, 12_000, 100, 40, 701)
	table.Settle()
	v, x := table.Commit(nil), NewScratch()
	some := 0
	var dst []uint64
	for i := range 150 {
		h := w.question(r)
		h.q.Shape = domain.ShapeTally
		minActions := []int{1, 1, 2, 3, 9, 60}[r.IntN(6)]
		var err error
		if dst, err = x.AtLeast(v, dst, h.ask(nil), uint32(minActions)); err != nil {
			t.Fatal(err)
		}
		counts, ids := map[domain.MemberID]int{}, map[domain.MemberID]bool{}
		for a := range m.reference().Counted(m.question(h)) {
			if counts[a.Member]++; counts[a.Member] == minActions {
				ids[a.Member] = true
			}
		}
		want := setOf(ids, int(v.Members()))
		if d := cmp.Diff(want, dst); d != "" {
			t.Fatalf("%d: brand %d range %+v least %d: %s", i, h.dense, h.q.Range, minActions, d)
		}
		for _, word := range want {
			some += bitset.Bit(word != 0)
		}
	}
	if some < 50 {
		t.Errorf("%d words with atLeast: the test shows little", some)
	}
	// What it counted by is left as other answers need it.
	h := w.question(r)
	h.q.Shape = domain.ShapeTally
	got, err := x.Answer(v, h.ask(nil))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(m.answer(h), ordered(got)); d != "" {
		t.Error(d)
	}
}

func TestAtLeast_OfAColdBrandNeedsASource(t *testing.T) {
	t.Parallel()
	w, r := population{members: 50, brands: 1, definitions: 4, start: 20_000 * 86400, span: 86400}, rand.New(rand.NewPCG(1, 2))
	table := rows.NewTable(rows.Options{Promote: 10})
	for i := range 100 {
		f := w.row(r, uint64(i+1), w.start+uint32(i)*10)
		f.dense = 1
		table.Append(1, []domain.Row{f.Row})
	}
	table.Commit(nil)
	if !table.Evict(1) {
		t.Fatal("not evicted")
	}
	q := &domain.Question{Range: domain.Range{To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 102}}}
	if _, err := NewScratch().AtLeast(table.Commit(nil), nil, &Ask{Plan: NewPlan(q), Brand: 1}, 1); err != rows.ErrCold {
		t.Errorf("%v", err)
	}
}
