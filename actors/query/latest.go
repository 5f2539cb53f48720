package query

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// times are what members are ranked by; nil: by their scores.
func times(o domain.Order, index *member.Index) func(domain.Ordinal) domain.Second {
	switch o {
	case domain.ByCreated:
		return index.Created
	case domain.ByLastLogin:
		return index.LastLogin
	}
	return nil
}

// passing is how many members pass the filters on members, whatever they did, where the
// question asks for it.
func passing(q *domain.Question, set []uint64, index *member.Index) uint64 {
	if !q.Top.Audience {
		return 0
	}
	return audience(set, index)
}

// audience is how many members are in the set; nil: all that answers show.
func audience(set []uint64, index *member.Index) uint64 {
	if set == nil {
		return uint64(index.Alive())
	}
	return membersIn(set)
}

// farDown is the row from which on a page of leaders takes two rounds: the
// members on it, then the latest action of each. One round would look that up for all rows
// above, in every shard. The longest page after a row is one longer than a page.
const farDown = 1001

// deepLeaders answers a question for leaders in two rounds. Who did nothing any more when the
// second one was asked has no latest action. A page with one who was merged into another by then is
// looked for again.
func (c *Coordinator) deepLeaders(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error) {
	for n := 1; ; n++ {
		a, merged, err := c.deepLeadersOnce(ctx, q, wait)
		if err != nil || !merged || n == deepAttempts {
			return a, err
		}
	}
}

// deepLeadersOnce is one attempt; merged: a member of the page was merged into another meanwhile.
func (c *Coordinator) deepLeadersOnce(
	ctx context.Context, q *domain.Question, wait domain.Position,
) (a *domain.Answer, merged bool, err error) {
	one := *q
	one.Top.Latest = false
	if a, err = c.Ask(ctx, &one, wait); err != nil {
		return nil, false, err
	}
	page := a.Leaders.Members
	a.Leaders.Latest = make([]domain.Row, len(page))
	if len(page) == 0 {
		return a, false, nil
	}
	what := *q
	what.Top = domain.Top{Limit: len(page), Latest: true}
	what.Filter.Members = make([]domain.MemberID, len(page))
	for i := range page {
		what.Filter.Members[i] = page[i].Member
	}
	slices.Sort(what.Filter.Members)
	b, err := c.ask(ctx, &what, wait.Reach(a.Position))
	if err != nil {
		return nil, false, err
	}
	latest := map[domain.MemberID]domain.Row{}
	for i, l := range b.Leaders.Members {
		latest[l.Member] = b.Leaders.Latest[i]
	}
	for i := range page {
		a.Leaders.Latest[i] = latest[page[i].Member]
	}
	a.Position, a.LagMs = a.Position.Reach(b.Position), b.LagMs
	return a, len(b.Merged) > 0, nil
}
