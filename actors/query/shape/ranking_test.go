package shape

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// split deals what a shard alone may have out to shards, some of them none.
func split[T any](r *rand.Rand, all []T, shards int) [][]T {
	out := make([][]T, shards)
	for _, v := range all {
		k := r.IntN(shards)
		out[k] = append(out[k], v)
	}
	return out
}

func TestI12LeadersDoNotDependOnHowMembersAreSpread(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		top := domain.Top{
			Order: domain.Order(r.IntN(4)), Up: r.IntN(2) == 0, Offset: r.IntN(2) * r.IntN(60), Limit: r.IntN(30), Latest: r.IntN(2) == 0,
		}
		all := make([]domain.Leader, r.IntN(100))
		total := domain.Count{Members: uint64(len(all))}
		for i := range all {
			all[i] = domain.Leader{Member: domain.MemberID(1000 - i), Score: r.Uint64N(9), Actions: 1 + r.Uint64N(5), At: domain.Second(r.IntN(9))}
			total.Actions += all[i].Actions
		}
		order := func(a, b domain.Leader) int { return compareLeaders(top, &a, &b) }
		latest := func(l []domain.Leader) (rows []domain.Row) {
			for _, m := range l {
				if top.Latest {
					rows = append(rows, domain.Row{Seq: uint64(m.Member) * 3})
				}
			}
			return rows
		}
		var parts []*domain.Leaders
		for _, of := range split(r, all, 1+r.IntN(8)) {
			p := &domain.Leaders{Audience: uint64(len(of)) + 2, Total: domain.Count{Members: uint64(len(of))}}
			for _, m := range of {
				p.Total.Actions += m.Actions
			}
			slices.SortFunc(of, order)
			p.Members = of[:min(len(of), top.End())]
			p.Latest = latest(p.Members)
			parts = append(parts, p)
		}
		want := &domain.Leaders{Total: total, Audience: uint64(len(all) + 2*len(parts))}
		slices.SortFunc(all, order)
		if to := min(len(all), top.End()); top.Offset < to {
			want.Members = all[top.Offset:to]
			want.Latest = latest(want.Members)
		}
		before := fmt.Sprint(parts)
		got := MergeLeaders(top, append(parts, nil))
		if d := diff.Diff(want, got); d != "" || before != fmt.Sprint(parts) {
			t.Fatalf("seed %d, %+v: %s", seed, top, d)
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		first := top
		first.Offset, first.Limit = 0, top.End()
		cut := r.IntN(len(parts) + 1)
		twice := MergeLeaders(top, []*domain.Leaders{MergeLeaders(first, parts[:cut]), MergeLeaders(first, parts[cut:])})
		if d := diff.Diff(got, twice); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

func TestLeadersAreRankedByWhatIsAskedForAndTiesByID(t *testing.T) {
	parts := []*domain.Leaders{
		{Members: []domain.Leader{{Member: 9, Score: 5, At: 1}, {Member: 2, Score: 4, At: 3}}},
		{Members: []domain.Leader{{Member: 7, Score: 5, At: 2}, {Member: 3, Score: 4, At: 3}}},
		nil,
	}
	for _, c := range []struct {
		top  domain.Top
		want []domain.MemberID
	}{
		{domain.Top{Limit: 9}, []domain.MemberID{7, 9, 2, 3}},
		{domain.Top{Limit: 9, Up: true}, []domain.MemberID{2, 3, 7, 9}},
		{domain.Top{Limit: 9, Order: domain.ByCreated}, []domain.MemberID{2, 3, 7, 9}},
		{domain.Top{Limit: 9, Order: domain.ByLastLogin, Up: true}, []domain.MemberID{9, 7, 2, 3}},
		{domain.Top{Offset: 1, Limit: 2}, []domain.MemberID{9, 2}},
		{domain.Top{Offset: 4, Limit: 2}, nil},
		{domain.Top{Offset: 1}, nil},
	} {
		for _, p := range parts[:2] {
			slices.SortFunc(p.Members, func(a, b domain.Leader) int { return compareLeaders(c.top, &a, &b) })
		}
		var got []domain.MemberID
		for _, l := range MergeLeaders(c.top, parts).Members {
			got = append(got, l.Member)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.top, got, c.want)
		}
	}
}

// Ids are near one another in one installation and far apart in another: both ways
// of adding give the same.
func TestI12ACrossoverDoesNotDependOnHowMembersAreSpread(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		far := domain.BrandID([]int{1, 5, 1000}[seed%3])
		top := domain.Top{Offset: r.IntN(2) * r.IntN(60), Limit: r.IntN(40)}
		var met []domain.BrandMembers // one member each
		sum := map[domain.BrandID]uint64{}
		for range r.IntN(300) {
			b := domain.BrandID(1+min(r.IntN(80), r.IntN(80))) * far
			met = append(met, domain.BrandMembers{Brand: b, Members: 1})
			sum[b]++
		}
		var parts []*domain.Crossover
		members := uint64(0)
		for k, of := range split(r, met, 1+r.IntN(8)) {
			p := &domain.Crossover{Members: uint64(k + 1)}
			members += p.Members
			shard := map[domain.BrandID]uint64{}
			for _, b := range of {
				shard[b.Brand]++
			}
			for b, n := range shard { // in any order
				p.Brands = append(p.Brands, domain.BrandMembers{Brand: b, Members: n})
			}
			parts = append(parts, p)
		}
		want := &domain.Crossover{Members: members, Total: uint64(len(sum))}
		var all []domain.BrandMembers
		for b, n := range sum {
			all = append(all, domain.BrandMembers{Brand: b, Members: n})
		}
		slices.SortFunc(all, func(a, b domain.BrandMembers) int {
			return cmp.Or(cmp.Compare(b.Members, a.Members), cmp.Compare(a.Brand, b.Brand))
		})
		if to := min(len(all), top.End()); top.Offset < to {
			want.Brands = all[top.Offset:to]
		}
		before := fmt.Sprint(parts)
		got := MergeCrossover(top, append(parts, nil))
		if len(got.Brands) == 0 {
			got.Brands = nil
		}
		if d := diff.Diff(want, got); d != "" || before != fmt.Sprint(parts) {
			t.Fatalf("seed %d, %+v: %s", seed, top, d)
		}
	}
}

// BenchmarkMergeCrossover is an account's question of 17,632 brands.
func BenchmarkMergeCrossover(b *testing.B) {
	for _, shards := range []int{8, 64} {
		r := rand.New(rand.NewPCG(1, 1))
		parts := make([]*domain.Crossover, shards)
		for i := range parts {
			parts[i] = &domain.Crossover{}
			for id := range domain.BrandID(17_632) {
				parts[i].Brands = append(parts[i].Brands, domain.BrandMembers{Brand: id + 1, Members: r.Uint64N(100)})
			}
		}
		b.Run(fmt.Sprint(shards, " shards"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				MergeCrossover(domain.Top{Limit: 10}, parts)
			}
		})
	}
}

// BenchmarkMergeLeaders is the first page, and one far down.
func BenchmarkMergeLeaders(b *testing.B) {
	for _, end := range []int{10, 100_000} {
		r := rand.New(rand.NewPCG(1, 1))
		top := domain.Top{Offset: end - 10, Limit: 10}
		parts := make([]*domain.Leaders, 8)
		for i := range parts {
			parts[i] = &domain.Leaders{}
			for k := range end {
				parts[i].Members = append(parts[i].Members, domain.Leader{Member: domain.MemberID(k*8 + i), Score: r.Uint64N(1e6)})
			}
			slices.SortFunc(parts[i].Members, func(a, b domain.Leader) int { return compareLeaders(top, &a, &b) })
		}
		b.Run(fmt.Sprint("to ", end), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				MergeLeaders(top, parts)
			}
		})
	}
}
