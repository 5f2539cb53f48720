package shape

import (
	"cmp"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// drawCrossovers are parts of shards, some of them without any, of brands whose ids lie close
// together or far apart.
func drawCrossovers(r *rapid.T) []*domain.Crossover {
	ids := rapid.SampledFrom([]domain.BrandID{30, math.MaxUint32}).Draw(r, "greatest id")
	return rapid.SliceOfN(rapid.Custom(func(r *rapid.T) *domain.Crossover {
		if rapid.IntRange(0, 4).Draw(r, "none") == 0 {
			return nil
		}
		p := &domain.Crossover{Members: rapid.Uint64Range(0, 9).Draw(r, "members")}
		some := []domain.BrandID{7, ids - 1} // brands that several shards have
		brands := rapid.SliceOfNDistinct(
			rapid.OneOf(rapid.SampledFrom(some), rapid.Custom(func(r *rapid.T) domain.BrandID {
				return domain.BrandID(rapid.Uint32Range(1, uint32(ids)).Draw(r, "id"))
			})), 0, 12, rapid.ID[domain.BrandID]).Draw(r, "brands")
		slices.Sort(brands)
		for _, id := range brands {
			p.Brands = append(p.Brands, domain.BrandMembers{Brand: id, Members: rapid.Uint64Range(1, 4).Draw(r, "of brand")})
		}
		return p
	}), 0, 5).Draw(r, "parts")
}

// A crossover has each brand once with the members of all shards, most first and ties by id, however
// far the ids lie apart; any window of it, and each page after another's last row, is a part of that.
func TestMergeCrossover_SumsInOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		parts := drawCrossovers(r)
		sums, members := map[domain.BrandID]uint64{}, uint64(0)
		for _, p := range parts {
			if p != nil {
				members += p.Members
				for _, b := range p.Brands {
					sums[b.Brand] += b.Members
				}
			}
		}
		var all []domain.BrandMembers
		for id, n := range sums {
			all = append(all, domain.BrandMembers{Brand: id, Members: n})
		}
		slices.SortFunc(all, func(a, b domain.BrandMembers) int {
			return cmp.Or(cmp.Compare(b.Members, a.Members), cmp.Compare(a.Brand, b.Brand))
		})
		check := func(top domain.Top, want []domain.BrandMembers) {
			whole := &domain.Crossover{Brands: want, Total: uint64(len(all)), Members: members}
			if d := gocmp.Diff(whole, MergeCrossover(top, parts), cmpopts.EquateEmpty()); d != "" {
				r.Fatalf("%+v: %s", top, d)
			}
		}
		limit := rapid.IntRange(1, 9).Draw(r, "limit")
		offset := min(rapid.IntRange(0, 20).Draw(r, "offset"), len(all))
		check(domain.Top{Limit: 1000}, all)
		check(domain.Top{Offset: offset}, nil)
		check(domain.Top{Offset: offset, Limit: limit}, all[offset:min(offset+limit, len(all))])
		for from := 0; from < len(all); from += limit {
			top := domain.Top{Limit: limit}
			if from > 0 {
				last := all[from-1]
				top.After = &domain.After{Rank: last.Members, Member: domain.MemberID(last.Brand)}
			}
			check(top, all[from:min(from+limit, len(all))])
		}
	})
}
