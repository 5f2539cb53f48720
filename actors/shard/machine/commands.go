package machine

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/merging"
)

// commands applies the records that are no activities. It is owned by its machine.
type commands struct {
	state     *domain.ShardState
	store     Store
	effects   *effects
	registrar *identity.Registrar
	merger    *merging.Merger
	counted   func(*domain.Record) // nil: not asked for
}

// apply applies a command. Nothing of a group is pending.
func (c *commands) apply(r *domain.Record) error {
	if asked := r.AskedBy(); !asked.IsZero() {
		q, err := c.effects.replayed(asked, r)
		if err != nil {
			return err
		}
		if q != nil {
			return c.registrar.Repeated(r, q)
		}
	}
	switch m := r.Command.(type) {
	case *domain.RegisterMember:
		return c.registrar.Register(r, own(m))
	case *domain.AttachService:
		return c.registrar.Attach(r, m, own(&m.Register))
	case *domain.LogIn:
		return c.registrar.Login(r, ownLogin(m))
	case *domain.UpdateMember:
		return c.registrar.Update(r, ownUpdate(m))
	case *domain.RemoveService:
		return c.registrar.RemoveService(r, ownRemoval(m))
	case *domain.ResetPassword:
		return c.registrar.ResetPassword(r, ownReset(m))
	case *domain.EraseMember:
		return c.registrar.Erase(r, m)
	case *domain.MergeMembers:
		return c.merger.Merge(r, m)
	case *domain.UnmergeMember:
		return c.merger.Unmerge(r, m)
	case *domain.Lend:
		return c.merger.Lend(r, m)
	case *domain.OptIn:
		return c.optIn(r, m)
	case *domain.OptOut:
		return c.optOut(r, m)
	case *domain.DeleteAction:
		return c.deleteAction(r, m)
	case *domain.Claim:
		return c.registrar.Claim(r, m)
	case *domain.Usage:
		c.effects.Change(domain.Change{
			Kind: domain.UsagePut, Value: &domain.UsageCount{Account: r.Account, Usage: *m},
		})
		if c.counted != nil {
			c.counted(r)
		}
	case *domain.Published:
		c.trim(m)
	case *domain.Tick: // its record's time has moved the clock; its hour is a node's belief
	case *domain.Rules:
		if m.Version > domain.RulesVersion {
			return fmt.Errorf("the journal asks for rules %d, this binary knows %d: %w",
				m.Version, domain.RulesVersion, domain.ErrNewer)
		}
		c.state.Rules = m.Version
	default:
		return fmt.Errorf("record %d is of kind %d, which a shard does not apply: %w", r.Offset, r.Kind, domain.ErrNewer)
	}
	return nil
}

// trim takes published entries out of the outbox, at the same place in every
// replica.
func (c *commands) trim(p *domain.Published) {
	c.state.Published = max(c.state.Published, p.UpTo)
	c.state.DeadUpTo = max(c.state.DeadUpTo, p.DeadUpTo)
	c.state.KeysUpTo = max(c.state.KeysUpTo, p.KeysUpTo)
	c.effects.Change(domain.Change{Kind: domain.OutboxTrim, Value: &domain.Published{
		UpTo: c.state.Published, DeadUpTo: c.state.DeadUpTo, KeysUpTo: c.state.KeysUpTo,
	}})
}

// optIn opts a member in.
func (c *commands) optIn(r *domain.Record, o *domain.OptIn) error {
	k, err := c.registrar.Active(r, o.Member)
	if k == nil || err != nil {
		return err
	}
	c.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change { return s.OptIn(dst, o.Opt, o.At) })
	c.effects.Complete(r, domain.Outcome{Member: o.Member})
	return nil
}

// optOut opts a member out, and those merged into it.
func (c *commands) optOut(r *domain.Record, o *domain.OptOut) error {
	k, err := c.registrar.Active(r, o.Member)
	if k == nil || err != nil {
		return err
	}
	c.merger.OptOut(r, &k.State().Member, o.Opt, o.At)
	c.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change { return s.OptOut(dst, o.Opt, o.At) })
	c.effects.Complete(r, domain.Outcome{Member: o.Member})
	return nil
}

// deleteAction takes an action out of everything that counts or shows it. What it is
// named by is the id of a feed item: an action that another one took the place of, or
// that was deleted before, is none any more.
func (c *commands) deleteAction(r *domain.Record, d *domain.DeleteAction) error {
	k, err := c.registrar.Active(r, d.Member)
	if k == nil || err != nil {
		return err
	}
	var row domain.Row
	at, counted := k.Place(), false
	there := d.Action.Slot() == d.Member.Slot() && d.Action.Sequence() <= c.state.Sequence
	if there {
		if row, there, err = c.store.Action(at.Account, at.Ord, d.Action.Sequence()); err != nil {
			return err
		}
	}
	if there && !row.IsVisit() {
		c.effects.Apply(k, func(s *member.State, dst []domain.Change) []domain.Change {
			dst, counted = s.Delete(dst, row)
			return dst
		})
	}
	if !counted {
		c.effects.Complete(r, domain.Failed(domain.Bad(domain.NotFound, "actionid", "the member has no such action")))
		return nil
	}
	c.effects.stats.Deleted.Add(1)
	c.effects.Complete(r, domain.Outcome{Member: d.Member})
	return nil
}
