package shard

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// command applies a record that is no activity. Nothing of a group is pending.
func (s *shard) command(ctx actor.Context, r *domain.Record) error {
	if asked := askedBy(r); !asked.IsZero() {
		if known, err := s.replayed(asked, r); known || err != nil {
			return err
		}
	}
	switch c := r.Command.(type) {
	case *domain.RegisterMember:
		return s.register(ctx, r, own(c))
	case *domain.AttachService:
		return s.attach(ctx, r, c, own(&c.Register))
	case *domain.OptIn:
		return s.opt(ctx, r, c.Member, &members.Opt{Opt: c.Opt, In: true, At: c.At})
	case *domain.OptOut:
		return s.opt(ctx, r, c.Member, &members.Opt{Opt: c.Opt, At: c.At})
	case *domain.DeleteAction:
		return s.deleteAction(ctx, r, c)
	case *domain.Claim:
		return s.claim(ctx, r, c)
	case *domain.Usage:
		s.batch.change(domain.Change{
			Kind: domain.UsagePut, Value: &domain.UsageCount{Account: r.Account, Usage: *c},
		})
	case *domain.Published:
		s.trim(c)
	case *domain.Tick: // its record's time has moved the clock; its hour is a node's belief
	case *domain.Rules:
		if c.Version > domain.RulesVersion {
			return fmt.Errorf("the journal asks for rules %d, this binary knows %d: %w", c.Version, domain.RulesVersion, domain.ErrNewer)
		}
		s.state.Rules = c.Version
	default:
		return fmt.Errorf("record %d is of kind %d, which a shard does not apply: %w", r.Offset, r.Kind, domain.ErrNewer)
	}
	return nil
}

// trim takes published entries out of the outbox, at the same place in every
// replica.
func (s *shard) trim(c *domain.Published) {
	s.state.Published = max(s.state.Published, c.UpTo)
	s.state.DeadUpTo = max(s.state.DeadUpTo, c.DeadUpTo)
	s.batch.change(domain.Change{
		Kind: domain.OutboxTrim, Value: &domain.Published{UpTo: s.state.Published, DeadUpTo: s.state.DeadUpTo},
	})
}

// newRecord is an id for a service record.
func (s *shard) newRecord(slot domain.Slot) uint64 {
	s.state.Sequence++
	return uint64(domain.ActionIDOf(s.state.Sequence, slot))
}
