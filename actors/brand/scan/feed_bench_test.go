package scan

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// wideAccount is the hot brand's rows spread over 17,632 brands, few of which have most.
var wideAccount = sync.OnceValue(func() (views [benchShards]*rows.View) {
	brand, r := zipf(17_632, 1), rand.New(rand.NewPCG(6, 6))
	for s, list := range hotBrand().rows {
		t := rows.NewTable(rows.Options{})
		for i := range list {
			dense := 1 + uint32(brand(r))
			t.Target(dense).Append(dense, list[i:i+1])
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
	for where, views := range map[string][benchShards]*rows.View{"hot": h.views, "account": wideAccount()} {
		dense := uint32(7)
		if where == "account" {
			dense = rows.EveryBrand
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
								a := &Ask{Plan: plan, Brand: dense, Label: labelOf, Contents: func(list []domain.Row, f func(int, int64, []byte)) error {
									for i := range list {
										f(i, int64(list[i].Seq/50), said)
									}
									return nil
								}}
								if filter == "6%" {
									a.Members = h.six[s]
								}
								if _, err := h.x[s].Answer(views[s], a); err != nil {
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
