package shape

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestMergeLeaders_RanksByTheOrderAndTiesByID(t *testing.T) {
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
