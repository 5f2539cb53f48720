package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
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
	parts  []*Part
	floors floors // nil: all views agreed so far
}

// answer asks the shards, and again those that are behind.
func (a *asking) answer(ctx context.Context) (*domain.Answer, error) {
	if err := a.name(ctx); err != nil {
		return nil, err
	}
	for {
		if err := a.round(ctx); err != nil {
			return nil, err
		}
		if a.agree() {
			return a.merge()
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
	a.about, a.parts = about, nil
	if a.shards = a.names.shards; len(f.Exclude) > 0 || about != a.question || about.Among() == nil {
		a.shards = a.c.shardsOf(about)
	}
	return a.c.limit(&Ask{Question: about, plan: a.plan})
}

// round asks the shards side by side that have not answered, or are behind.
func (a *asking) round(ctx context.Context) error {
	if a.floors != nil {
		a.parts = slices.DeleteFunc(a.parts, func(p *Part) bool { return !reached(p.Handovers, a.floors[p.Shard]) })
	}
	left := 0
	for i, s := range a.shards {
		if s != nil && !a.answered(i) {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	g := newGather(left)
	for i, s := range a.shards {
		if s == nil || a.answered(i) {
			continue
		}
		m := &Ask{Question: a.about, Next: a.wait.Next(i), plan: a.plan}
		if a.floors != nil {
			m.Handovers = a.floors[i]
		}
		s.Answer(ctx, m, g.take)
	}
	select {
	case err := <-g.reply:
		if a.parts == nil {
			a.parts = g.parts
		} else {
			a.parts = append(a.parts, g.parts...)
		}
		return err
	case <-ctx.Done():
		return domain.ErrUnavailable
	}
}

// answered reports that there is a part of the shard.
func (a *asking) answered(shard int) bool {
	return slices.ContainsFunc(a.parts, func(p *Part) bool { return p.Shard == shard })
}

// agree reports that all views agree. Where nothing was ever handed over they do.
func (a *asking) agree() bool {
	handed := func(p *Part) bool { return len(p.Handovers) > 0 }
	if a.floors == nil && !slices.ContainsFunc(a.parts, handed) && len(a.names.views) == 0 {
		return true
	}
	if a.floors == nil {
		a.floors = make(floors, len(a.c.o.Shards))
	}
	views := make([]seen, 0, len(a.parts)+len(a.names.shards))
	for _, p := range a.parts {
		views = append(views, seen{p.Shard, p.Handovers})
	}
	return a.floors.check(a.names.seen(views))
}

// namesAreBehind reports that a view that names were looked up in does not reach its floor.
func (a *asking) namesAreBehind() bool {
	return slices.ContainsFunc(a.names.seen(nil), func(v seen) bool { return !reached(v.handovers, a.floors[v.shard]) })
}

// merge makes the answer of all parts. The position is that of the parts, and of the views that told
// who was merged.
func (a *asking) merge() (*domain.Answer, error) {
	out, err := (&gather{parts: a.parts}).merge(a.about)
	if err != nil {
		return nil, err
	}
	if out.Merged = a.names.merged; len(out.Merged) == 0 {
		return out, nil
	}
	for i := range a.names.views {
		if v := &a.names.views[i]; !a.answered(v.shard) {
			out.Position.Shards = append(out.Position.Shards, domain.ShardOffset{Shard: v.shard, Next: v.Next})
		}
	}
	slices.SortFunc(out.Position.Shards, func(x, y domain.ShardOffset) int { return cmp.Compare(x.Shard, y.Shard) })
	return out, nil
}
