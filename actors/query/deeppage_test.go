package query

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/querytest"
	"github.com/ovation-analytics/ovation/actors/query/shape"
)

// tables are the rows of one brand in some shards, without actors.
type tables struct {
	t     []*rows.Table
	views []*rows.View
	x     *scan.Scratch
	rows  [][]domain.Row // by shard, those that count
	seq   []uint64
	asked int // rows that the shards gave
	dirty bool
}

func newTables(shards int) *tables {
	s := &tables{t: make([]*rows.Table, shards), views: make([]*rows.View, shards), x: scan.NewScratch(), rows: make([][]domain.Row, shards), seq: make([]uint64, shards)}
	for i := range s.t {
		s.t[i] = rows.NewTable(rows.Options{Promote: 50, TailMax: 256})
	}
	return s
}

func (s *tables) add(shard int, ord domain.Ordinal, at domain.Second, points uint16) {
	s.seq[shard]++
	row := domain.Row{Seq: s.seq[shard], Account: 1, Ord: ord, Time: at, Brand: 7, Definition: 100, Points: points, Service: domain.LastFM}
	s.t[shard].Append(3, []domain.Row{row})
	s.rows[shard] = append(s.rows[shard], row)
	s.dirty = true
}

func (s *tables) remove(rnd *rand.Rand, shard int) {
	if n := len(s.rows[shard]); n > 0 {
		i := rnd.IntN(n)
		if !s.t[shard].Remove(3, &s.rows[shard][i]) {
			panic("a row is not there")
		}
		s.rows[shard][i] = s.rows[shard][n-1]
		s.rows[shard] = s.rows[shard][:n-1]
		s.dirty = true
	}
}

// ask asks all shards once, as the node does.
func (s *tables) ask(q *domain.Question) (*domain.Answer, error) {
	out, plan := &domain.Answer{}, scan.NewPlan(q)
	var feeds []*domain.Feed
	var leaders []*domain.Leaders
	var histograms []*domain.RankHistogram
	for i, t := range s.t {
		if s.views[i] == nil || s.dirty {
			s.views[i] = t.Commit(nil)
		}
		id := func(o domain.Ordinal) domain.MemberID { return domain.MemberIDOf(uint64(o)+1, domain.Slot(i)) }
		a, err := s.x.Answer(s.views[i], &scan.Ask{
			Plan: plan, Brand: 3, ID: id, At: func(o domain.Ordinal) domain.Second { return querytest.Start + domain.Second(o)*37%50 },
			Label: func(uint32) domain.BrandID { return 7 }, Contents: contentsOfRows,
		})
		if err != nil {
			return nil, err
		}
		if a.Feed != nil {
			for k := range a.Feed.Items {
				item := &a.Feed.Items[k]
				item.Member, item.Row.Slot = id(item.Row.Ord), domain.Slot(i)
			}
			s.asked += len(a.Feed.Items)
		}
		if a.Leaders != nil {
			s.asked += len(a.Leaders.Members)
		}
		feeds, leaders, histograms = append(feeds, a.Feed), append(leaders, a.Leaders), append(histograms, a.Histogram)
	}
	s.dirty = false
	switch q.Shape {
	case domain.ShapeFeed:
		out.Feed = shape.MergeFeed(&q.Listing, feeds)
	case domain.ShapeLeaders:
		out.Leaders = shape.MergeLeaders(q.Top, leaders)
	case domain.ShapeRankHistogram:
		out.Histogram = shape.MergeRankHistograms(histograms)
	}
	return out, nil
}

// contentsOfRows is what rows say: several of a shard are recorded in one millisecond, as are
// rows of other shards.
func contentsOfRows(rows []domain.Row, f func(i int, recorded int64, content []byte)) error {
	for i := range rows {
		f(i, 1e12+int64(rows[i].Seq/7), fmt.Appendf(nil, "said %d", rows[i].Seq%3))
	}
	return nil
}

// move lets some rows come and go.
func (s *tables) move(rnd *rand.Rand, maxRows int) {
	for range rnd.IntN(1 + maxRows) {
		shard := rnd.IntN(len(s.t))
		if rnd.IntN(3) == 0 {
			s.remove(rnd, shard)
			continue
		}
		s.add(shard, domain.Ordinal(rnd.IntN(40)), querytest.Start+domain.Second(rnd.IntN(1+rnd.IntN(5000))), uint16(rnd.IntN(4)))
	}
}

// A page that is found in rounds is, to the row, what one round gives at the moment of
// the last, whatever comes and goes between the rounds.
func TestDeepPager_PageIsThatOfTheList(t *testing.T) {
	short, single := 0, 0
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 14))
		s := newTables(1 + rnd.IntN(5))
		for range 1 + rnd.IntN(12) {
			s.move(rnd, 200)
		}
		moves := rnd.IntN(3) * rnd.IntN(9)
		for range 6 {
			q, rounds := querytest.Question(rnd), 0
			d := &deepPager{enough: uint64(rnd.IntN(12)), slack: uint64(rnd.IntN(6)), ask: func(q *domain.Question) (*domain.Answer, error) {
				if rounds++; rounds > 1 {
					s.move(rnd, moves)
				}
				if q.Shape != domain.ShapeRankHistogram && q.Listing.Offset+q.Top.Offset > 0 {
					single++
				}
				return s.ask(q)
			}}
			got, err := d.page(q)
			if err != nil {
				t.Fatal(err)
			}
			want, err := s.ask(q)
			if err != nil {
				t.Fatal(err)
			}
			if want.Leaders != nil && want.Leaders.Members == nil && len(got.Leaders.Members) == 0 {
				got.Leaders.Members = nil
			}
			if df := diff.Diff(want, got); df != "" {
				t.Fatalf("seed %d: %+v %+v, at most %d moves (-want +got):\n%s", seed, q.Listing, q.Top, moves, df)
			}
			if a := got.Feed; a != nil && len(a.Items) > 0 && len(a.Items) < q.Listing.Limit {
				short++
			}
		}
	}
	if short < 20 || single < 20 {
		t.Errorf("only %d pages at the end of a list, %d asked for in one round", short, single)
	}
}

// Shards give few rows of a page far down.
func TestDeepPager_AsksForFewRows(t *testing.T) {
	s, rnd := newTables(8), rand.New(rand.NewPCG(1, 14))
	for i := range 60_000 {
		s.add(rnd.IntN(8), domain.Ordinal(rnd.IntN(5000)), querytest.Start+domain.Second(i), 1)
	}
	for _, q := range []*domain.Question{
		{Shape: domain.ShapeFeed, Listing: domain.Listing{Every: true, Offset: 50_000, Limit: 10}},
		{Shape: domain.ShapeFeed, Listing: domain.Listing{Offset: 30_000, Limit: 10}},
		{Shape: domain.ShapeLeaders, Top: domain.Top{Offset: 20_000, Limit: 10}}, // very many have the same score
		{Shape: domain.ShapeLeaders, Top: domain.Top{Offset: 20_000, Limit: 10, Order: domain.ByLastLogin, Up: true}},
	} {
		q.Account, q.Brand, q.Groups, q.Range = 1, 7, []domain.Group{{Definition: 100}}, domain.Range{From: querytest.Start, To: querytest.Start + 100_000}
		if !deep(q) {
			t.Fatalf("%+v %+v is not far down", q.Listing, q.Top)
		}
		want, err := s.ask(q)
		if err != nil {
			t.Fatal(err)
		}
		s.asked = 0
		got, err := (&deepPager{ask: s.ask, enough: 2048, slack: 1024}).page(q)
		if err != nil {
			t.Fatal(err)
		}
		if d := diff.Diff(want, got); d != "" {
			t.Errorf("%+v %+v: %s", q.Listing, q.Top, d)
		}
		if maxAsked := 8 * (2048 + 2*1024 + 10); s.asked > maxAsked {
			t.Errorf("%+v %+v: %d rows, at most %d", q.Listing, q.Top, s.asked, maxAsked)
		}
	}
}

// hotTables is one brand of 2 M rows of 500,000 members in eight shards.
var hotTables = sync.OnceValue(func() *tables {
	s, rnd := newTables(8), rand.New(rand.NewPCG(2, 14))
	for i := range s.t {
		s.t[i] = rows.NewTable(rows.Options{})
	}
	for i := range 2_000_000 {
		s.add(rnd.IntN(8), domain.Ordinal(min(rnd.IntN(62_500), rnd.IntN(62_500))), querytest.Start+domain.Second(i*7), uint16(1+rnd.IntN(3)))
		if i%50_000 == 0 {
			for _, t := range s.t {
				t.Commit(nil)
				t.Settle()
			}
		}
	}
	return s
})

// BenchmarkDeepPage_Rounds is a page at offset 100,000 in one round and in several, and one
// after a row there, beside the first page.
func BenchmarkDeepPage_Rounds(b *testing.B) {
	s := hotTables()
	for name, q := range map[string]domain.Question{
		"feed, every":  {Shape: domain.ShapeFeed, Listing: domain.Listing{Every: true}},
		"feed, latest": {Shape: domain.ShapeFeed},
		"leaders":      {Shape: domain.ShapeLeaders},
	} {
		q.Account, q.Brand, q.Groups, q.Range = 1, 7, []domain.Group{{Definition: 100}}, domain.Range{From: querytest.Start, To: 1<<32 - 1}
		q.Range.To = querytest.Start + 14_000_000
		run := func(how string, offset int, f func(*domain.Question) (*domain.Answer, error)) (a *domain.Answer) {
			q := q
			q.Listing.Limit, q.Top.Limit, q.Listing.Offset, q.Top.Offset = 10, 10, offset, offset
			b.Run(fmt.Sprint(name, "/", how), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if a, err = f(&q); err != nil {
						b.Fatal(err)
					}
				}
			})
			return a
		}
		run("first page", 0, s.ask)
		run("one round", 100_000, s.ask)
		a := run("rounds", 100_000, (&deepPager{ask: s.ask, enough: 2048, slack: 1024}).page)
		if a == nil {
			continue
		}
		switch {
		case a.Feed != nil:
			row := &a.Feed.Items[0].Row
			q.Listing.After = &domain.FeedAfter{At: int64(row.Time), ID: row.ID()}
		default:
			q.Top.After = &domain.After{Rank: a.Leaders.Members[0].Score, Member: a.Leaders.Members[0].Member}
		}
		run("behind a row", 0, s.ask)
	}
}
