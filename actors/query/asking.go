package query

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// asking is one question under way, in rounds until the views that it is answered from agree.
type asking struct {
	c        *Coordinator
	question *domain.Question // as it was asked
	plan     *plan
	wait     domain.Position

	about  *domain.Question // the question, about those that merged members stand for
	names  names
	shards []Shard // that it is asked of, by id; nil: not of that one
	floors floors  // nil: all views agreed so far
	apart  []Apart // shards whose views did not agree when they were compared last
	gather gather
}

// answer asks the shards, and again those that are behind. Where they do not agree in time, the error names them.
func (a *asking) answer(ctx context.Context) (*domain.Answer, error) {
	out, err := a.rounds(ctx)
	if len(a.apart) > 0 && errors.Is(err, domain.ErrUnavailable) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = a.c.o.Apart.note(a.apart)
	}
	return out, err
}

func (a *asking) rounds(ctx context.Context) (*domain.Answer, error) {
	if err := a.name(ctx); err != nil {
		return nil, err
	}
	for {
		if err := a.round(ctx); err != nil {
			return nil, err
		}
		if a.agree() {
			return a.merge(ctx)
		}
		if !retry.Pause(ctx, roundPause) {
			return nil, domain.ErrUnavailable
		}
		if a.namesAreBehind() {
			if err := a.name(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// name looks up the members that the question names and chooses the shards. Where others than before
// stand for them, or it is the first time, no shard has answered yet.
func (a *asking) name(ctx context.Context) error {
	f := &a.question.Filter
	ids := f.Members
	if len(f.Exclude) > 0 {
		ids = slices.Concat(ids, f.Exclude)
	}
	about := a.question
	a.names = names{}
	if len(ids) > 0 {
		var err error
		if a.names, err = a.c.survivors(ctx, a.question.Account, ids, a.wait, a.floors); err != nil {
			return err
		}
		about = a.names.replaced(a.question)
	}
	if a.about != nil && slices.Equal(a.about.Filter.Members, about.Filter.Members) &&
		slices.Equal(a.about.Filter.Exclude, about.Filter.Exclude) {
		return nil
	}
	a.about, a.gather.parts = about, nil
	if a.shards = a.names.shards; len(f.Exclude) > 0 || about != a.question || about.Among() == nil {
		a.shards = a.c.shardsOf(about)
	}
	return a.c.limit(&Ask{Question: about, plan: a.plan})
}

// round asks the shards side by side that have not answered, or are behind.
func (a *asking) round(ctx context.Context) (err error) {
	g := &a.gather
	if a.floors != nil {
		g.parts = slices.DeleteFunc(g.parts, func(p *Part) bool { return !reached(p.Handovers, a.floors[p.Shard]) })
	}
	left := 0
	for i := range a.shards {
		if !a.answered(i) {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	ask := make([]Ask, 0, left)
	for i := range a.shards {
		if a.answered(i) {
			continue
		}
		m := Ask{Question: a.about, Next: a.wait.Next(i), plan: a.plan, shard: i}
		if a.floors != nil {
			m.Handovers = a.floors[i]
		}
		ask = append(ask, m)
	}
	ctx, span := trace.Start(ctx, "ask")
	span.Int("ovation.shards", int64(left))
	defer func() { span.Failed(err) }()
	g.expect(left)
	for i := range ask {
		a.shards[ask[i].shard].Answer(ctx, &ask[i], g.take)
	}
	select {
	case err := <-g.reply:
		return err
	case <-ctx.Done():
		return domain.ErrUnavailable
	}
}

// answered reports that there is a part of the shard, or that it is not asked.
func (a *asking) answered(shard int) bool {
	return a.shards[shard] == nil || slices.ContainsFunc(a.gather.parts, func(p *Part) bool { return p.Shard == shard })
}

// agree reports that all views agree. Where nothing was ever handed over they do; those of a stream need not.
func (a *asking) agree() bool {
	if a.question.Shape == domain.ShapeStream {
		return true
	}
	handed := func(p *Part) bool { return len(p.Handovers) > 0 }
	if a.floors == nil && !slices.ContainsFunc(a.gather.parts, handed) && len(a.names.views) == 0 {
		return true
	}
	if a.floors == nil {
		a.floors = make(floors, len(a.c.o.Shards))
	}
	views := make([]viewState, 0, len(a.gather.parts)+len(a.names.shards))
	for _, p := range a.gather.parts {
		views = append(views, viewState{p.Shard, p.Handovers})
	}
	views = a.names.seen(views)
	if a.floors.check(views) {
		a.c.o.Apart.agreed(views)
		return true
	}
	a.apart = apart(views)
	return false
}

// namesAreBehind reports that a view that names were looked up in does not reach its floor.
func (a *asking) namesAreBehind() bool {
	return slices.ContainsFunc(a.names.seen(nil), func(v viewState) bool { return !reached(v.handovers, a.floors[v.shard]) })
}

// merge makes the answer of all parts. The position is that of the parts, and of the views that told
// who was merged.
func (a *asking) merge(ctx context.Context) (*domain.Answer, error) {
	defer trace.From(ctx).Start("merge").End()
	out, err := a.gather.merge(a.about, len(a.shards))
	if err != nil {
		return nil, err
	}
	if out.Merged = a.names.merged; len(out.Merged) == 0 {
		return out, nil
	}
	for i := range a.names.views {
		if v := &a.names.views[i]; a.shards[v.shard] == nil {
			out.Position.Shards = append(out.Position.Shards, domain.ShardOffset{Shard: v.shard, Next: v.Next})
		}
	}
	slices.SortFunc(out.Position.Shards, func(x, y domain.ShardOffset) int { return cmp.Compare(x.Shard, y.Shard) })
	return out, nil
}
