package actors

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// What BenchmarkMerged_Questions asks: of so many members with so many actions each, of which one in
// a hundred is merged into another.
const costFans, costActs, costMerged = 10_000, 50, costFans / 100

// costNode is a node of four shards with members and actions, which are the same in each.
func costNode(b *testing.B) (*harness, []domain.MemberID) {
	const brands = 40
	r := furnished(b, 4, brands, Options{})
	ids := make([]domain.MemberID, costFans)
	for i := range ids {
		ids[i] = r.register(i)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	acts := make([]domain.Activity, 0, costFans)
	for range costActs {
		acts = acts[:0]
		for _, id := range ids {
			brand := 1 + min(rnd.IntN(brands), rnd.IntN(brands))
			acts = append(acts, domain.Activity{
				Member: id, Definition: domain.DefinitionID(100 + rnd.IntN(9)/8), Brand: domain.BrandID(brand),
				Time: 1_600_000_000 + rnd.Int64N(15_000_000), Hash: rnd.Uint64(),
			})
		}
		r.publish(acts...)
		r.settled()
	}
	return r, ids
}

// BenchmarkMerged_Questions is what questions cost where 1 % of members are merged, as a ratio to the
// same where none is: of the fastest of many rounds, in which both take turns.
func BenchmarkMerged_Questions(b *testing.B) {
	never, ids := costNode(b)
	merged, same := costNode(b)
	if !slices.Equal(ids, same) {
		b.Fatal("the nodes have other members")
	}
	for i := range costMerged {
		into := ids[i]
		merged.submit(domain.Submission{Account: 1, Slot: into.Slot(), Command: &domain.MergeMembers{Member: into, From: ids[costMerged+i]}})
	}
	merged.settled()
	unmerged := slices.Sorted(slices.Values(ids[2*costMerged:][:500]))
	week := domain.Range{From: 1_605_000_000, To: 1_605_000_000 + 7*86_400}
	questions := map[string]func(q *domain.Question){
		"all":       func(*domain.Question) {},
		"week":      func(q *domain.Question) { q.Range = week },
		"one":       func(q *domain.Question) { q.Filter.Members = unmerged[:1] },
		"some":      func(q *domain.Question) { q.Filter.Members = unmerged },
		"performed": func(q *domain.Question) { q.Filter.AnyOf = []domain.Performed{{Definition: 101}} },
	}
	shapes := map[string]domain.Shape{
		"tally": domain.ShapeTally, "timeline": domain.ShapeTimeline, "leaders": domain.ShapeLeaders,
		"feed": domain.ShapeFeed, "crossover": domain.ShapeCrossover,
	}
	for shaped, shape := range shapes {
		for named, change := range questions {
			q := allOf(shape, 1)
			q.Top, q.Listing = domain.Top{Order: domain.ByActions, Limit: 10}, domain.Listing{Limit: 10}
			change(q)
			b.Run(shaped+"/"+named, func(b *testing.B) { costRatio(b, q, never, merged) })
		}
	}
}

// costRatio reports what the second node takes for a question, and its ratio to what the first takes.
func costRatio(b *testing.B, q *domain.Question, nodes ...*harness) {
	fastest := make([]time.Duration, len(nodes))
	for b.Loop() {
		for i, r := range nodes {
			began := time.Now()
			if _, err := r.node.Ask(context.Background(), q, domain.Position{}); err != nil {
				b.Fatal(err)
			}
			if took := time.Since(began); fastest[i] == 0 || took < fastest[i] {
				fastest[i] = took
			}
		}
	}
	b.ReportMetric(float64(fastest[1].Nanoseconds())/1000, "us")
	b.ReportMetric(float64(fastest[1])/float64(fastest[0]), "ratio")
}

// A merge reads each row of the member that is merged a few times, however many steps they come in.
func TestMerge_ReadsRowsOnceAStep(t *testing.T) {
	large(t)
	read := func(rows int) (n int64) {
		inBubble(t, func(t *testing.T) {
			x := &powers{harness: newHarness(t, 2, Options{})}
			x.close()
			counter := new(atomic.Int64)
			x.wrapShard(1, func(s shard.Store) shard.Store { return readRows{s, counter} })
			x.open()
			x.furnish(1)
			into, from := x.memberOf(0), x.memberOf(1)
			for i := range uint64(rows) {
				a := x.actOf(from, i+1)
				a.Time += int64(i) * 30
				a.Content.Content = strings.Repeat("x", 2<<10)
				x.publish(a)
			}
			x.settled()
			before := counter.Load()
			x.must(x.do(into, &domain.MergeMembers{Member: into, From: from}))
			x.settled()
			x.wantActions(rows)
			n = counter.Load() - before
			steps := x.lends(0, domain.LendRows)
			t.Logf("%d rows in %d steps: %d read", rows, steps, n)
			if steps < rows/500 {
				t.Errorf("%d rows in %d steps", rows, steps)
			}
		})
		return n
	}
	if few, many := read(2000), read(6000); many > 4*few {
		t.Errorf("of 2,000 rows %d are read, of 6,000 %d", few, many)
	}
}

// readRows counts the rows that a shard reads of its members.
type readRows struct {
	shard.Store
	n *atomic.Int64
}

func (s readRows) Past(account domain.AccountID, ord domain.Ordinal) ([]domain.Row, error) {
	past, err := s.Store.Past(account, ord)
	s.n.Add(int64(len(past)))
	return past, err
}

func (s readRows) At(
	account domain.AccountID, ord domain.Ordinal, time domain.Second, seq uint64,
) (domain.Row, bool, error) {
	s.n.Add(1)
	return s.Store.At(account, ord, time, seq)
}
