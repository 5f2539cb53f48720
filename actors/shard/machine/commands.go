package machine

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/members"
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
		return c.opt(r, m.Member, &members.Opt{Opt: m.Opt, In: true, At: m.At})
	case *domain.OptOut:
		return c.opt(r, m.Member, &members.Opt{Opt: m.Opt, At: m.At})
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

// opt opts a member in or out.
func (c *commands) opt(r *domain.Record, id domain.MemberID, m *members.Opt) error {
	k, err := c.registrar.Active(r, id)
	if k == nil || err != nil {
		return err
	}
	if !m.In {
		c.merger.OptOut(r, &k.State().Member, m.Opt, m.At)
	}
	c.effects.Apply(k, m)
	c.effects.Complete(r, domain.Outcome{Member: id})
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
	at, m := k.Place(), &members.Delete{}
	there := d.Action.Slot() == d.Member.Slot() && d.Action.Sequence() <= c.state.Sequence
	if there {
		if m.Row, there, err = c.store.Action(at.Account, at.Ord, d.Action.Sequence()); err != nil {
			return err
		}
	}
	if there && !m.Row.IsVisit() {
		c.effects.Apply(k, m)
	}
	if !m.Counted {
		c.effects.Complete(r, domain.Failed(domain.Bad(domain.NotFound, "actionid", "the member has no such action")))
		return nil
	}
	c.effects.stats.Deleted.Add(1)
	c.effects.Complete(r, domain.Outcome{Member: d.Member})
	return nil
}
