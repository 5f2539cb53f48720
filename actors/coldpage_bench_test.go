package actors

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/store"
)

var (
	coldRows    = flag.Int("coldpage.rows", 300_000, "rows of BenchmarkColdPage")
	coldColumns = flag.Int("coldpage.columns", 4, "bytes of columns in memory for each of them")
)

// BenchmarkColdPage is what questions cost whose rows are on disk, as a rule, with the store's blocks in its
// cache: pages of feeds, which read the page's rows; beside them statistics, which read all rows of the range.
// Go by the buckets of the store that an answer reads; times compare within a run. The largest brand has 18 %
// of the rows, the others share the rest by a Zipf distribution:
//
//	go test ./actors -run '^$' -bench ColdPage -coldpage.rows 10000000 -timeout 1h
func BenchmarkColdPage(b *testing.B) {
	const members, brands, days = 300, 3000, 180
	r := &harness{
		t: b, fs: vfs.NewMem(), journal: newMemLog(1, 8), catalog: newMemLog(2, 1), source: newMemSource(), letters: &letters{},
		options: Options{Memory: Memory{ResidentBytes: *coldRows * *coldColumns}, markEvery: 100_000},
		disk:    store.Options{CacheBytes: 256 << 20, MemTableBytes: 16 << 20, SyncWithin: time.Hour},
	}
	r.open()
	defer r.close()
	r.furnish(brands)
	ids := r.members(members)
	rnd := rand.New(rand.NewPCG(1, 25))
	from, width := int64(1_600_000_000), int64(days*86400)
	logs := math.Log(brands)
	var records []domain.Record
	for i := range *coldRows {
		a := domain.Activity{
			Member: ids[rnd.IntN(members)], Definition: 100, Brand: 1, Hash: rnd.Uint64(),
			Time: from + int64(i)*width/int64(*coldRows) - rnd.Int64N(3600),
		}
		if rnd.IntN(100) >= 18 {
			a.Brand = domain.BrandID(1 + min(brands-1, int(math.Exp(rnd.Float64()*logs))))
		}
		records = append(records, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: a})
		if len(records) == 1000 || i == *coldRows-1 {
			_, _ = r.source.Append(context.Background(), i/1000%2, records)
			records = nil
		}
		if i%200_000 == 0 { // no more wait than are applied in time
			r.settled()
		}
	}
	r.settled()
	now := domain.Second(from + width)
	feed := domain.Listing{Every: true, Limit: 10}
	for _, c := range []struct {
		name    string
		shape   domain.Shape
		brand   domain.BrandID
		days    uint32
		listing domain.Listing
		top     domain.Top
	}{
		{"feed of the account 175 days", domain.ShapeFeed, 0, 175, feed, domain.Top{}},
		{"feed of the account 7 days", domain.ShapeFeed, 0, 7, feed, domain.Top{}},
		{"feed of the largest brand 7 days", domain.ShapeFeed, 1, 7, feed, domain.Top{}},
		{"feed of a small brand 175 days", domain.ShapeFeed, 700, 175, feed, domain.Top{}},
		{"feed of the account, after a cursor", domain.ShapeFeed, 0, 175, domain.Listing{
			Every: true, Limit: 10, After: &domain.FeedAfter{At: int64(now) - 90*86400, ID: 1 << 30},
		}, domain.Top{}},
		{"feed of the account, by recording", domain.ShapeFeed, 0, 175, domain.Listing{Every: true, Recorded: true, Limit: 10}, domain.Top{}},
		{"the latest action of each member", domain.ShapeFeed, 0, 175, domain.Listing{Limit: 10}, domain.Top{}},
		{"first members, with their latest action", domain.ShapeLeaders, 0, 175, domain.Listing{}, domain.Top{Limit: 10, Latest: true}},
		{"tally of the account 175 days", domain.ShapeTally, 0, 175, domain.Listing{}, domain.Top{}},
	} {
		q := &domain.Question{
			Account: 1, Brand: c.brand, Shape: c.shape, Range: domain.Range{From: now - c.days*86400 + 12345, To: now},
			Groups: []domain.Group{{Definition: 100}, {Definition: 101}}, Listing: c.listing, Top: c.top,
		}
		b.Run(c.name, func(b *testing.B) {
			before, asked := bucketsRead(r), 0
			for b.Loop() {
				if _, err := r.node.Ask(b.Context(), q, domain.Position{}); err != nil {
					b.Fatal(err)
				}
				asked++
			}
			b.ReportMetric(float64(bucketsRead(r)-before)/float64(asked), "buckets/op")
		})
	}
}

// bucketsRead is how many of them readers of the store read.
func bucketsRead(r *harness) uint64 { return r.stats().Buckets }
