package scan

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// crowdedBrands are as many brands as a large account has.
const crowdedBrands = 17_632

// manyMembers is an account of 2 M rows of 200,000 members in eight shards, for
// crowdedBrands brands of which few are large.
type manyMembers struct {
	views     [benchShards]*rows.View
	x         [benchShards]*Scratch
	six       [benchShards][]uint64
	directory *Directory
}

var crowdedAccount = sync.OnceValue(func() *manyMembers {
	const n, members = 2_000_000, 200_000
	r := rand.New(rand.NewPCG(7, 7))
	h, who, brand, kinds := &manyMembers{}, zipf(members, 0.7), zipf(crowdedBrands, 1), zipf(benchKinds, 0.9)
	place := r.Perm(members)
	ids := make([]domain.BrandID, crowdedBrands)
	for i := range ids {
		ids[i] = domain.BrandID(i + 1)
	}
	h.directory = NewDirectory(ids, nil)
	var tables [benchShards]*rows.Table
	for s := range tables {
		tables[s] = rows.NewTable(rows.Options{})
	}
	for i := range n {
		m := place[who(r)]
		k, b := kinds(r), uint32(1+brand(r))
		t := tables[m%benchShards]
		t.Target(b).Append(b, []domain.Row{{
			Seq: uint64(i + 1), Time: benchStart + uint32(uint64(i)*benchDays*86400/n), Ord: domain.Ordinal(m / benchShards), Brand: domain.BrandID(b),
			Definition: domain.DefinitionID(100 + k), Service: domain.Service(1 + k%8), Points: uint16(r.IntN(100)),
		}})
		if i%20_000 == 19_999 {
			for _, t := range tables {
				t.Commit(nil)
				t.Settle()
			}
		}
	}
	for s, t := range tables {
		h.views[s], h.x[s] = t.Commit(nil), NewScratch()
		h.six[s] = make([]uint64, members/benchShards/64+1)
		for o := range members / benchShards {
			if r.IntN(16) == 0 {
				h.six[s][o>>6] |= 1 << (o & 63)
			}
		}
	}
	return h
})

// BenchmarkRanking asks all eight shards one after the other; tally is what it is to be
// compared with.
func BenchmarkRanking(b *testing.B) {
	hot, account := hotBrand(), crowdedAccount()
	for _, c := range []struct {
		name  string
		views *[benchShards]*rows.View
		x     *[benchShards]*Scratch
		six   *[benchShards][]uint64
		dense uint32
	}{
		{"hot", &hot.views, &hot.x, &hot.six, 7},
		{"account", &account.views, &account.x, &account.six, rows.EveryBrand},
		{"first of the account", &account.views, &account.x, &account.six, 1},
		{"100th of the account", &account.views, &account.x, &account.six, 100},
	} {
		for _, days := range []uint32{7, 180} {
			for _, filter := range []string{"all", "6%"} {
				for name, shape := range map[string]domain.Shape{"tally": domain.ShapeTally, "leaders": domain.ShapeLeaders, "crossover": domain.ShapeCrossover} {
					if c.name == "hot" && shape == domain.ShapeCrossover {
						continue
					}
					q := benchQuestion(shape, days, benchKinds)
					q.Top = domain.Top{Limit: 10, Latest: true}
					plan := NewPlan(q)
					b.Run(fmt.Sprintf("%s/%dd/%s/%s", c.name, days, filter, name), func(b *testing.B) {
						b.ReportAllocs()
						spread(b, func() {
							for s := range benchShards {
								a := &Ask{Plan: plan, Brand: c.dense, ID: memberOf, Label: labelOf, Brands: account.directory}
								if filter == "6%" {
									a.Members = c.six[s]
								}
								if _, err := c.x[s].Answer(c.views[s], a); err != nil {
									b.Fatal(err)
								}
							}
						})
					})
				}
			}
		}
	}
}
