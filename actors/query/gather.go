package query

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/shape"
)

// gather collects the parts of one answer. Shards have disjoint members, so numbers add.
type gather struct {
	mu    sync.Mutex
	left  int
	parts []*Part
	reply chan error // gets nil after the last part that is expected, or the first error
}

// expect is called before so many more parts are asked for, once those before are there.
func (g *gather) expect(parts int) {
	g.left = parts
	if g.reply == nil {
		g.reply = make(chan error, 1)
	}
}

// take is called once a shard, on any goroutine. What comes after an error is dropped.
func (g *gather) take(p *Part) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.left == 0 {
		return
	}
	g.parts = append(g.parts, p)
	g.left--
	if p.Err != nil {
		g.left = 0
	}
	if g.left == 0 {
		g.reply <- p.Err
	}
}

// merge makes the answer of all parts. A panic is an error of this question alone.
func (g *gather) merge(q *domain.Question, shards int) (out *domain.Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &domain.Error{Code: domain.Internal, Op: "query", Err: fmt.Errorf("%v\n%s", r, debug.Stack())}
		}
	}()
	// Shards answer in any order; a position names them ascending.
	slices.SortFunc(g.parts, func(x, y *Part) int { return cmp.Compare(x.Shard, y.Shard) })
	out = &domain.Answer{}
	for _, p := range g.parts {
		out.Position.Shards = append(out.Position.Shards, domain.ShardOffset{Shard: p.Shard, Next: p.Next})
		out.Union += p.Union
		out.PlacesFull = out.PlacesFull || p.PlacesFull
	}
	switch q.Shape {
	case domain.ShapeTally, domain.ShapeLocation, domain.ShapeGender, domain.ShapeAge, domain.ShapeNewcomers:
		out.Tally = shape.MergeTally(some(g.parts, func(p *Part) *domain.Tally { return p.Tally }))
	case domain.ShapeTimeline, domain.ShapeDaily:
		out.Timeline, err = shape.MergeTimeline(q.Range, some(g.parts, func(p *Part) *domain.Timeline { return p.Timeline }))
		if q.Visits != nil && q.Visits.Totals {
			out.Tally = shape.MergeTally(some(g.parts, func(p *Part) *domain.Tally { return p.Tally }))
		}
	case domain.ShapeDomains:
		out.Domains = shape.MergeDomains(some(g.parts, func(p *Part) *domain.Domains { return p.Domains }))
	case domain.ShapeLists:
		out.Lists = shape.MergeLists(len(q.Lists), all(g.parts, func(p *Part) []uint64 { return p.Lists }))
	case domain.ShapeLeaders:
		out.Leaders = shape.MergeLeaders(q.Top, all(g.parts, func(p *Part) *domain.Leaders { return p.Leaders }))
	case domain.ShapeStandings:
		out.Standings = shape.MergeStandings(q.Top, all(g.parts, func(p *Part) *domain.Standings { return p.Standings }))
	case domain.ShapeSummaries:
		out.Summaries = shape.MergeSummaries(q.Top, all(g.parts, func(p *Part) []domain.MemberSummary { return p.Summaries }))
	case domain.ShapeMemberList:
		lists := all(g.parts, func(p *Part) *domain.MemberList { return p.MemberList })
		out.MemberList = shape.MergeMemberLists(q.MemberListing, lists)
	case domain.ShapeCrossover:
		out.Crossover = shape.MergeCrossover(q.Top, all(g.parts, func(p *Part) *domain.Crossover { return p.Crossover }))
	case domain.ShapeRankHistogram:
		out.Histogram = shape.MergeRankHistograms(all(g.parts, func(p *Part) *domain.RankHistogram { return p.Histogram }))
	case domain.ShapeStream:
		out.Stream = mergeStream(&q.Stream, g.parts, shards)
	case domain.ShapeFeed: // as with Explain
	}
	if q.Shape == domain.ShapeFeed || q.Explain {
		out.Feed = shape.MergeFeed(&q.Listing, all(g.parts, func(p *Part) *domain.Feed { return p.Feed }))
	}
	return out, err
}

// all is a field of each part.
func all[T any](parts []*Part, field func(*Part) T) []T {
	out := make([]T, len(parts))
	for i, p := range parts {
		out[i] = field(p)
	}
	return out
}

// some is a field of the parts that have it.
func some[T any](parts []*Part, field func(*Part) *T) []*T {
	return slices.DeleteFunc(all(parts, field), func(x *T) bool { return x == nil })
}
