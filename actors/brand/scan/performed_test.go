package scan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// performed is the set of the members that performed any of some actions and all of others.
func (m *model) performed(in domain.Range, any, all []Required, members int) []uint64 {
	of := func(list []Required) (out []domain.Performed) {
		for _, d := range list {
			out = append(out, domain.Performed{Definition: d.Definition, Brand: brandOf(d.Brand)})
		}
		return out
	}
	q := &domain.Question{Range: in, Filter: domain.Filter{AnyOf: of(any), AllOf: of(all)}}
	return setOf(m.reference().Passing(q), members)
}

// required is a random requirement: of one brand, which may not exist, or of any brand.
func (w *population) required(r *rand.Rand) Required {
	d := Required{w.definition(r), rows.EveryBrand}
	if d.Definition < domain.FirstDefinition { // none is of what is built in
		d.Definition = domain.FirstDefinition + 2
	}
	if r.IntN(2) == 0 {
		d.Brand = 1 + uint32(r.IntN(w.brands+2))
	}
	return d
}

// mixed is a table with own brands, small ones, deleted rows and chunks of many ages, and a model
// of it.
func (w *population) mixed(r *rand.Rand) (*rows.Table, *model) {
	return w.filled(r, rows.Options{Promote: 900, ChunkMax: 2000, TailMax: 300}, 14_000, 100, 30, 701)
}

// stored reads a model's rows as a store would.
func (m *model) stored(w population) rows.Source {
	return func(b rows.Cold, in domain.Range, f func(list []domain.Row)) error {
		var list []domain.Row
		for _, x := range m.rows {
			if x.dense == b.Dense && x.Time >= in.From && x.Time < in.To {
				list = append(list, x.Row)
			}
		}
		list = append(list, // who is not in the view yet, what came after it, and what counts no more
			domain.Row{Ord: domain.Ordinal(w.members) + 64, Time: w.start + 5, Seq: 3, Definition: 102, Brand: b.Brand},
			domain.Row{Ord: 1, Time: w.start + 5, Seq: 1 << 40, Definition: 103, Brand: b.Brand},
			domain.Row{Ord: 2, Time: w.start + 5, Seq: 4, Definition: 103, Brand: b.Brand, Flags: domain.Deleted},
		)
		f(list[:len(list)/2])
		f(list[len(list)/2:])
		return nil
	}
}

func TestPerformed_IsWhatANaiveModelFinds(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 12))
	w := population{members: 150, brands: 5, definitions: 7, start: 20_000 * 86400, span: 20 * 86400}
	table, m := w.mixed(r)
	x := NewScratch()
	var dst []uint64
	met := 0
	for i := range some(300) {
		if i == some(150) && !table.Evict(1) {
			t.Fatal("not evicted")
		}
		v := table.Commit(nil)
		in := domain.Range{From: w.start - 5 + uint32(r.IntN(int(w.span)))/2}
		in.To = in.From + uint32(r.IntN(int(w.span)))
		var any, all []Required
		for range r.IntN(3) * r.IntN(40) {
			any = append(any, w.required(r))
		}
		for range r.IntN(3) * (1 + r.IntN(3)*r.IntN(4)) {
			all = append(all, w.required(r))
		}
		if i%40 == 0 { // three rounds
			any = append(any, Required{102, rows.EveryBrand})
			for d := range domain.DefinitionID(140) {
				all = append(all, Required{102 + d%3, 1 + uint32(d)%3}, Required{102 + d%4, rows.EveryBrand})
			}
			in = domain.Range{To: ^uint32(0)}
		}
		d := NewPerformed(in, any, all)
		var err error
		if dst, err = x.Performed(v, dst, d, m.stored(w)); err != nil {
			t.Fatal(err)
		}
		want := m.performed(in, any, all, int(v.Members()))
		if len(any)+len(all) == 0 {
			want = make([]uint64, len(want)) // who asks for nothing does not ask
		}
		if d := cmp.Diff(want, dst); d != "" {
			t.Fatalf("seed %d, %d: any %v all %v in %+v: %s", seed, i, any, all, in, d)
		}
		met += bitset.Bit(bitset.Count(want) > 0)
	}
	if met < some(60) {
		t.Errorf("%d questions found somebody: the test shows little", met)
	}
	// What it counted by is left as other answers need it.
	h := w.question(r)
	h.q.Shape = domain.ShapeTally
	got, err := x.Answer(table.Commit(nil), h.ask(m.stored(w)))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(m.answer(h), ordered(got)); d != "" {
		t.Error(d)
	}
}

func TestPerformed_RequiresAllOfMoreThanARound(t *testing.T) {
	t.Parallel()
	table := rows.NewTable(rows.Options{Promote: 100, ChunkMax: 64, TailMax: 64})
	const definitions = 150
	var all []Required
	seq := uint64(0)
	for d := range uint32(definitions) {
		all = append(all, Required{100 + domain.DefinitionID(d), rows.EveryBrand})
		for ord := range uint32(200) { // member n misses what is numbered n
			if seq++; ord != d {
				table.Append(1+d%3, []domain.Row{{Seq: seq, Ord: domain.Ordinal(ord), Time: 1000 + d, Brand: 7, Definition: 100 + domain.DefinitionID(d)}})
			}
		}
	}
	v := table.Commit(nil)
	for _, n := range []int{1, 2, 63, 64, 65, 128, 129, definitions} {
		for _, also := range [][]Required{nil, {{99, rows.EveryBrand}, {100, rows.EveryBrand}}} {
			got, err := NewScratch().Performed(v, nil, NewPerformed(domain.Range{To: 5000}, also, all[:n]), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]uint64, len(got))
			for o := range uint32(200) {
				if int(o) >= n && (also == nil || o != 0) {
					want[o>>6] |= 1 << (o & 63)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%d performed, %v: %s", n, also, d)
			}
		}
	}
	reads := func(any, all []Required) (of []uint32) {
		NewPerformed(domain.Range{}, any, all).Reads(func(b uint32) { of = append(of, b) })
		return of
	}
	for want, got := range map[string][]uint32{
		"[4294967295 4294967295 4294967295]": reads(nil, all),
		"[4294967295 4294967295]":            reads(all, all[:64]),
		"[2 77]":                             reads([]Required{{101, 77}}, []Required{{100, 2}, {101, 2}}),
		"[4294967295]":                       reads([]Required{{101, 77}}, all[:1]),
		"[]":                                 reads(nil, nil),
	} {
		if fmt.Sprint(got) != want {
			t.Errorf("reads %v, want %s", got, want)
		}
	}
	if got, _ := NewScratch().Performed(v, nil, NewPerformed(domain.Range{From: 5, To: 5}, all, nil), nil); bitset.Count(got) != 0 {
		t.Errorf("%d members did something in no time", bitset.Count(got))
	}
}

func TestPerformed_OfAColdBrandNeedsASource(t *testing.T) {
	t.Parallel()
	w, r := population{members: 50, brands: 2, definitions: 4, start: 20_000 * 86400, span: 86400}, rand.New(rand.NewPCG(1, 2))
	table := rows.NewTable(rows.Options{Promote: 10})
	for i := range 200 {
		f := w.row(r, uint64(i+1), w.start+uint32(i)*10)
		f.dense = 1 + uint32(i%2)
		table.Append(f.dense, []domain.Row{f.Row})
	}
	table.Commit(nil)
	if !table.Evict(1) {
		t.Fatal("not evicted")
	}
	v, x := table.Commit(nil), NewScratch()
	for brand, want := range map[uint32]error{rows.EveryBrand: rows.ErrCold, 1: rows.ErrCold, 2: nil} {
		for _, n := range []int{1, 2} {
			d := NewPerformed(domain.Range{To: 1<<32 - 1}, nil, []Required{{102, brand}, {103, brand}}[:n])
			if _, err := x.Performed(v, nil, d, nil); err != want {
				t.Errorf("brand %d: %v", brand, err)
			}
		}
	}
	var named []uint32
	NewPerformed(domain.Range{}, []Required{{102, 5}, {103, rows.EveryBrand}}, []Required{{102, 3}}).Brands(func(b uint32) { named = append(named, b) })
	if !slices.Equal(named, []uint32{3, 5}) {
		t.Errorf("%v", named)
	}
}

// BenchmarkPerformed_AnyAndAll is 1 M rows of 100,000 members in a shard: half of one brand, a quarter
// of another, the others of small ones; of 20 definitions. ns/row is by all rows.
func BenchmarkPerformed_AnyAndAll(b *testing.B) {
	const list, people = 1_000_000, 100_000
	r := rand.New(rand.NewPCG(1, 1))
	table := rows.NewTable(rows.Options{})
	batch := make([]domain.Row, 1)
	for i := range list {
		dense := uint32(3 + r.IntN(2000))
		switch r.IntN(4) {
		case 0, 1:
			dense = 1
		case 2:
			dense = 2
		}
		batch[0] = domain.Row{Seq: uint64(i + 1), Ord: domain.Ordinal(r.IntN(people)), Time: 1_600_000_000 + uint32(i), Brand: domain.BrandID(dense), Definition: 100 + domain.DefinitionID(r.IntN(20))}
		table.Append(dense, batch)
		if i%20_000 == 0 {
			table.Commit(nil)
		}
	}
	table.Settle()
	v := table.Commit(nil)
	many := func(n int, brand uint32) (out []Required) {
		for i := range n {
			out = append(out, Required{100 + domain.DefinitionID(i), brand})
		}
		return out
	}
	for _, c := range []struct {
		any, all []Required
		name     string
	}{
		{many(1, rows.EveryBrand), nil, "any of 1"},
		{many(10, rows.EveryBrand), nil, "any of 10"},
		{many(20, rows.EveryBrand), nil, "any of 20"},
		{many(10, 2), nil, "any of 10 of a brand"},
		{many(10, 900), nil, "any of 10 of a small brand"},
		{nil, many(3, rows.EveryBrand), "all of 3"},
		{nil, many(20, rows.EveryBrand), "all of 20"},
		{many(2, rows.EveryBrand), many(3, 1), "any of 2 and all of 3 of a brand"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			x, d := NewScratch(), NewPerformed(domain.Range{From: 1_600_000_000, To: 1_700_000_000}, c.any, c.all)
			var dst []uint64
			for b.Loop() {
				var err error
				if dst, err = x.Performed(v, dst, d, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/list, "ns/row")
			b.ReportMetric(float64(bitset.Count(dst)), "members")
		})
	}
}
