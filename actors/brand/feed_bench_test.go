package brand

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// wideAccount is the hot brand's rows spread over 17,632 brands, few of which have most.
var wideAccount = sync.OnceValue(func() (views [benchShards]*View) {
	brand, r := zipf(17_632, 1), rand.New(rand.NewPCG(6, 6))
	for s, rows := range hotBrand().rows {
		t := NewTable(Options{})
		for i := range rows {
			dense := 1 + uint32(brand(r))
			t.Target(dense).Append(dense, rows[i:i+1])
			if i%5000 == 4999 {
				t.Commit(nil)
				t.Settle()
			}
		}
		views[s] = t.Commit(nil)
	}
	return views
})

// BenchmarkFeed asks all eight shards, one after the other, for pages of feeds, beside the
// tally of the same rows.
func BenchmarkFeed(b *testing.B) {
	h := hotBrand()
	said := []byte(`{"TrackName":"Song 7 of the Lanterns","TrackArtist":"The Lanterns","SpotifyID":"4dpARuHxo51G3z768sgnrY"}`)
	listings := map[string]domain.Listing{
		"latest":          {Limit: 10},
		"every":           {Every: true, Limit: 10},
		"every, deep":     {Every: true, Offset: 100_000, Limit: 1000},
		"latest, upwards": {Up: true, Limit: 10},
		"recorded":        {Every: true, Recorded: true, Limit: 10},
		"keyword":         {Every: true, Limit: 10, Keyword: "lantern"},
	}
	for where, views := range map[string][benchShards]*View{"hot": h.views, "account": wideAccount()} {
		dense := uint32(7)
		if where == "account" {
			dense = EveryBrand
		}
		for _, days := range []uint32{7, 180} {
			q := benchQuestion(domain.ShapeTally, days, benchKinds)
			for i := range q.Groups {
				q.Groups[i].Group = 0
			}
			ask := func(name string, q domain.Question) {
				for _, filter := range []string{"all", "6%"} {
					plan := NewPlan(&q)
					b.Run(fmt.Sprintf("%s/%dd/%s/%s", where, days, name, filter), func(b *testing.B) {
						spread(b, func() {
							for s := range benchShards {
								a := &Ask{Plan: plan, Brand: dense, Label: labelOf, Says: func(rows []domain.Row, f func(int, int64, []byte)) error {
									for i := range rows {
										f(i, int64(rows[i].Seq/50), said)
									}
									return nil
								}}
								if filter == "6%" {
									a.Members = h.six[s]
								}
								if _, err := views[s].Answer(h.x[s], a); err != nil {
									b.Fatal(err)
								}
							}
						})
					})
				}
			}
			ask("tally", *q)
			for name, l := range listings {
				q.Shape, q.Listing = domain.ShapeFeed, l
				ask(name, *q)
			}
		}
	}
}
