package actors

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query"
)

// queryActor is one question: it asks every shard, merges what comes back, and
// ends. Shards have disjoint members, so numbers add.
type queryActor struct {
	ask   *ask
	wait  domain.Position
	desks []*actor.PID // by shard; nil: it is not asked
	reply chan<- *merged

	left   int
	tallys []*domain.Tally
	lines  []*domain.Timeline
	lists  [][]uint64
	union  uint64
	feeds  []*domain.Feed
	ranks  []*domain.Leaders
	cross  []*domain.Crossover
	depths []*domain.Depths
	stands []*domain.Standings
	rolls  []*domain.Roll
	shards []domain.ShardOffset
}

// merged is the end of a question.
type merged struct {
	answer domain.Answer
	err    error
}

// Receive is the mailbox. A panic is an error of this question alone; what comes after
// its end is dropped.
func (a *queryActor) Receive(ctx actor.Context) {
	defer func() {
		if r := recover(); r != nil {
			a.end(ctx, &merged{err: &domain.Error{Code: domain.Internal, Op: "query", Err: fmt.Errorf("%v\n%s", r, debug.Stack())}})
		}
	}()
	if a.reply == nil {
		return
	}
	switch m := ctx.Message().(type) {
	case *actor.Started:
		for i, d := range a.desks {
			if d == nil {
				continue
			}
			a.left++
			one := *a.ask
			one.next = a.wait.Next(i)
			ctx.Request(d, &one)
		}
	case *partial:
		a.take(ctx, m)
	case *notReady:
		a.end(ctx, &merged{err: domain.ErrUnavailable})
	}
}

func (a *queryActor) take(ctx actor.Context, p *partial) {
	if p.err != nil {
		a.end(ctx, &merged{err: p.err})
		return
	}
	if p.tally != nil {
		a.tallys = append(a.tallys, p.tally)
	}
	if p.timeline != nil {
		a.lines = append(a.lines, p.timeline)
	}
	a.lists, a.union = append(a.lists, p.lists), a.union+p.union
	a.feeds = append(a.feeds, p.feed)
	a.ranks, a.cross = append(a.ranks, p.leaders), append(a.cross, p.cross)
	a.depths = append(a.depths, p.depths)
	a.stands, a.rolls = append(a.stands, p.stands), append(a.rolls, p.roll)
	a.shards = append(a.shards, domain.ShardOffset{Shard: p.shard, Next: p.next})
	if a.left--; a.left > 0 {
		return
	}
	out := &merged{}
	switch a.ask.question.Shape {
	case domain.ShapeTally, domain.ShapeLocation, domain.ShapeGender, domain.ShapeAge, domain.ShapeNewcomers:
		out.answer.Tally = query.MergeTally(a.tallys)
	case domain.ShapeTimeline, domain.ShapeDaily:
		out.answer.Timeline, out.err = query.MergeTimeline(a.ask.question.Range, a.lines)
	case domain.ShapeLists:
		out.answer.Lists, out.answer.Union = query.MergeLists(len(a.ask.question.Lists), a.lists), a.union
	case domain.ShapeFeed:
		out.answer.Feed = query.MergeFeed(&a.ask.question.Listing, a.feeds)
	case domain.ShapeLeaders:
		out.answer.Leaders = query.MergeLeaders(a.ask.question.Top, a.ranks)
	case domain.ShapeStandings:
		out.answer.Standings = query.MergeStandings(a.ask.question.Top, a.stands)
	case domain.ShapeRoll:
		out.answer.Roll = query.MergeRoll(a.ask.question.Roll, a.rolls)
	case domain.ShapeCrossover:
		out.answer.Crossover = query.MergeCrossover(a.ask.question.Top, a.cross)
	case domain.ShapeDepths:
		out.answer.Depths = query.MergeDepths(a.depths)
	}
	if a.ask.question.Explain {
		out.answer.Feed = query.MergeFeed(&a.ask.question.Listing, a.feeds)
	}
	// Desks answer in any order; a position names shards ascending.
	slices.SortFunc(a.shards, func(x, y domain.ShardOffset) int { return cmp.Compare(x.Shard, y.Shard) })
	out.answer.Position.Shards = a.shards
	a.end(ctx, out)
}

// end tells the one who asked, once.
func (a *queryActor) end(ctx actor.Context, m *merged) {
	if a.reply != nil {
		a.reply <- m
		a.reply = nil
	}
	ctx.Stop(ctx.Self())
}
