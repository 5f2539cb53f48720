package shape

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ovation-analytics/ovation/actors/domain"
)

func group(g uint32, actions, members uint64) domain.GroupCount {
	return domain.GroupCount{Group: g, Count: domain.Count{Actions: actions, Members: members}}
}

// randomTally is a shard's answer.
func randomTally(r *rand.Rand) *domain.Tally {
	if r.IntN(5) == 0 {
		return nil
	}
	t := &domain.Tally{}
	for g := range uint32(20) {
		if r.IntN(3) == 0 {
			n := 1 + r.Uint64N(50)
			t.Groups = append(t.Groups, group(g*3, n, 1+r.Uint64N(n)))
			t.Total.Actions += n
			t.Total.Members += n / 2
			t.Before += n / 3
		}
	}
	return t
}

func TestI12MergingTalliesDoesNotDependOnTheirOrderOrGrouping(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		parts := make([]*domain.Tally, r.IntN(10))
		sum, total, earlier := map[uint32]domain.Count{}, domain.Count{}, uint64(0)
		for i := range parts {
			parts[i] = randomTally(r)
			if parts[i] == nil {
				continue
			}
			for _, g := range parts[i].Groups {
				c := sum[g.Group]
				c.Add(g.Count)
				sum[g.Group] = c
			}
			total.Add(parts[i].Total)
			earlier += parts[i].Before
		}
		before := fmt.Sprint(parts)
		got := MergeTally(parts)
		if before != fmt.Sprint(parts) {
			t.Fatalf("seed %d: a part was changed", seed)
		}
		if len(got.Groups) != len(sum) || got.Total != total || got.Before != earlier {
			t.Fatalf("seed %d: %d groups and %+v, %d earlier, want %d and %+v, %d", seed, len(got.Groups), got.Total, got.Before, len(sum), total, earlier)
		}
		for i, g := range got.Groups {
			if sum[g.Group] != g.Count || i > 0 && got.Groups[i-1].Group >= g.Group {
				t.Fatalf("seed %d: group %d has %+v, want %+v", seed, g.Group, g.Count, sum[g.Group])
			}
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		cut := r.IntN(len(parts) + 1)
		twice := MergeTally([]*domain.Tally{MergeTally(parts[:cut]), MergeTally(parts[cut:])})
		if d := cmp.Diff(got, twice); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

func BenchmarkMergeTally(b *testing.B) {
	for _, groups := range []int{20, 2000} {
		parts := make([]*domain.Tally, 64)
		for i := range parts {
			parts[i] = &domain.Tally{}
			for g := range groups {
				parts[i].Groups = append(parts[i].Groups, group(uint32(100+g), 7, 5))
			}
		}
		b.Run(fmt.Sprint("64 parts/", groups), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				MergeTally(parts)
			}
		})
	}
}
