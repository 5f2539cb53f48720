package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// deleteAction takes an action out of everything that counts or shows it. What it is
// named by is the id of a feed item: an action that another one took the place of, or
// that was deleted before, is none any more.
func (s *shard) deleteAction(ctx actor.Context, r *domain.Record, c *domain.DeleteAction) error {
	k, err := s.active(ctx, r, c.Member)
	if k == nil || err != nil {
		return err
	}
	at, m := k.Place(), &members.Delete{}
	there := c.Action.Slot() == c.Member.Slot() && c.Action.Sequence() <= s.state.Sequence
	if there {
		if m.Row, there, err = s.store.Action(at.Account, at.Ord, c.Action.Sequence()); err != nil {
			return err
		}
	}
	if there {
		s.batch.changes = k.Send(ctx, m, s.batch.changes)
	}
	if !m.Counted {
		s.concludeRequest(askedBy(r), r, domain.Failed(domain.Bad(domain.NotFound, "actionid", "the member has no such action")))
		return nil
	}
	s.env.Handle.Stats.deleted.Add(1)
	s.concludeRequest(askedBy(r), r, domain.Outcome{Member: c.Member})
	return nil
}
