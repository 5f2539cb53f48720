package shape

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// byTime orders items as a feed does.
func byTime(l *domain.Listing) func(a, b domain.FeedItem) int {
	return func(a, b domain.FeedItem) int {
		by := cmp.Compare(a.Row.Time, b.Row.Time)
		if l.Recorded {
			by = cmp.Compare(a.Recorded, b.Recorded)
		}
		if !l.Up {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.Row.ID(), b.Row.ID()))
	}
}

// A feed of many shards is what a feed of one shard with all rows would be, whatever the
// order of the parts, and its pages follow one another.
func TestI12PagesOfMergedFeedsAreThoseOfOneList(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		l := domain.Listing{Recorded: r.IntN(3) == 0, Up: r.IntN(2) == 0, Limit: r.IntN(20)}
		parts := make([]*domain.Feed, r.IntN(9))
		all := []domain.FeedItem{}
		for s := range parts {
			if r.IntN(5) == 0 {
				continue
			}
			p := &domain.Feed{}
			for i := range r.IntN(40) {
				p.Items = append(p.Items, domain.FeedItem{
					Row: domain.Row{Seq: uint64(i), Slot: domain.Slot(s*100 + r.IntN(100)), Time: uint32(r.IntN(25))}, Recorded: int64(r.IntN(25)),
				})
			}
			slices.SortFunc(p.Items, byTime(&l))
			p.Total = uint64(len(p.Items))
			all, parts[s] = append(all, p.Items...), p
		}
		slices.SortFunc(all, byTime(&l))
		for l.Offset = 0; l.Offset <= len(all); l.Offset += max(l.Limit, 7) {
			first := make([]*domain.Feed, len(parts))
			for i, p := range parts {
				if p != nil {
					first[i] = &domain.Feed{Total: p.Total, Items: p.Items[:min(len(p.Items), l.End())]}
				}
			}
			r.Shuffle(len(first), func(i, j int) { first[i], first[j] = first[j], first[i] })
			want := &domain.Feed{Total: uint64(len(all)), Items: append([]domain.FeedItem{}, all[l.Offset:min(l.End(), len(all))]...)}
			if d := diff.Diff(want, MergeFeed(&l, first)); d != "" {
				t.Fatalf("seed %d, %+v: %s", seed, l, d)
			}
		}
	}
}

func BenchmarkMergeFeed(b *testing.B) {
	for name, l := range map[string]domain.Listing{"first page": {Limit: 10}, "last page": {Offset: 100_000, Limit: 1000}} {
		parts := make([]*domain.Feed, 8)
		for s := range parts {
			parts[s] = &domain.Feed{}
			for i := range l.End() {
				parts[s].Items = append(parts[s].Items, domain.FeedItem{Row: domain.Row{Seq: uint64(i), Slot: domain.Slot(s), Time: uint32(1<<30 - i)}})
			}
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				MergeFeed(&l, parts)
			}
		})
	}
}
