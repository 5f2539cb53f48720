package core

import (
	"fmt"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
	"github.com/ovation-analytics/ovation/actors/shard/identity"
	"github.com/ovation-analytics/ovation/actors/shard/merge"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// commands is the table of what a record that is no activity does.
type commands struct {
	actions    Actions
	registrar  *identity.Registrar
	merger     *merge.Merger
	activities *activity.Activities
	knows      func(rules uint16) error
	deleted    *atomic.Int64                       // actions
	counted    func(*domain.Record)                // nil: not asked for
	delivered  func(r *domain.Record, counts bool) // likewise
	followList func(*tx.Tx, *domain.Record, *domain.FollowList) error
}

// apply applies a command. Nothing of a group is pending.
func (c *commands) apply(t *tx.Tx, r *domain.Record) error {
	if !r.AskedBy().IsZero() {
		q, err := t.Replayed(r)
		if err != nil {
			return err
		}
		if q != nil {
			return c.registrar.Repeated(t, r, q)
		}
	}
	switch m := r.Command.(type) {
	case *domain.RegisterMember:
		return c.registrar.Register(t, r, m)
	case *domain.AttachService:
		return c.registrar.Attach(t, r, m)
	case *domain.LogIn:
		return c.registrar.Login(t, r, m)
	case *domain.UpdateMember:
		return c.registrar.Update(t, r, m)
	case *domain.RemoveService:
		return c.registrar.RemoveService(t, r, m)
	case *domain.ResetPassword:
		return c.registrar.ResetPassword(t, r, m)
	case *domain.EraseMember:
		return c.erase(t, r, m)
	case *domain.MergeMembers:
		return c.merge(t, r, m)
	case *domain.UnmergeMember:
		return c.unmerge(t, r, m)
	case *domain.Lend:
		return c.merger.Lend(t, r, m)
	case *domain.OptIn:
		return c.optIn(t, r, m)
	case *domain.OptOut:
		return c.optOut(t, r, m)
	case *domain.DeleteAction:
		return c.deleteAction(t, r, m)
	case *domain.Claim:
		return c.claim(t, r, m)
	case *domain.Usage:
		t.Change(domain.Change{
			Kind: domain.UsagePut, Value: &domain.UsageCount{Account: r.Account, Usage: *m},
		})
		if c.counted != nil {
			c.counted(r)
		}
	case *domain.Delivered:
		changed := delivered(t, r, m)
		if c.delivered != nil {
			c.delivered(r, changed)
		}
	case *domain.FollowList:
		return c.followList(t, r, m)
	case *domain.Published:
		t.Published(m)
	case *domain.Tick: // its record's time has moved the clock; its hour is a node's belief
	case *domain.Rules:
		if err := c.knows(m.Version); err != nil {
			return err
		}
		t.State.Shard.Rules = max(t.State.Shard.Rules, m.Version)
	default:
		return fmt.Errorf("record %d is of kind %d, which a shard does not apply: %w", r.Offset, r.Kind, domain.ErrNewer)
	}
	return nil
}

// claim applies a step of a claim. What a member did while its registration was pending is applied with the last
// one.
func (c *commands) claim(t *tx.Tx, r *domain.Record, step *domain.Claim) error {
	entered, err := c.registrar.Claim(t, r, step)
	if entered == nil || err != nil {
		return err
	}
	return c.activities.Unpark(t, r, *entered)
}

// erase erases a member, with those merged into it.
func (c *commands) erase(t *tx.Tx, r *domain.Record, e *domain.EraseMember) error {
	m, err := c.registrar.Active(t, r, e.Member)
	if m == nil || err != nil {
		return err
	}
	if err := c.merger.Release(t, r, m, e.At); err != nil {
		return err
	}
	if err := c.registrar.Erase(t, r, m, e); err != nil {
		return err
	}
	t.Notify(domain.Notice{Kind: domain.EventErased, Account: r.Account, Member: e.Member})
	c.merger.Erased(t, m)
	return nil
}

// merge begins to merge a member into another.
func (c *commands) merge(t *tx.Tx, r *domain.Record, of *domain.MergeMembers) error {
	m, err := c.registrar.Active(t, r, of.Member)
	if m == nil || err != nil {
		return err
	}
	return c.merger.Merge(t, r, m, of)
}

// unmerge takes a merge back.
func (c *commands) unmerge(t *tx.Tx, r *domain.Record, of *domain.UnmergeMember) error {
	m, err := c.registrar.Active(t, r, of.Member)
	if m == nil || err != nil {
		return err
	}
	return c.merger.Unmerge(t, r, m, of)
}

// optIn opts a member in.
func (c *commands) optIn(t *tx.Tx, r *domain.Record, o *domain.OptIn) error {
	m, err := c.registrar.Active(t, r, o.Member)
	if m == nil || err != nil {
		return err
	}
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change { return s.OptIn(dst, o.Opt, o.At) })
	t.Complete(r, domain.Outcome{Member: o.Member})
	return nil
}

// optOut opts a member out, and those merged into it.
func (c *commands) optOut(t *tx.Tx, r *domain.Record, o *domain.OptOut) error {
	m, err := c.registrar.Active(t, r, o.Member)
	if m == nil || err != nil {
		return err
	}
	c.merger.OptOut(t, r, &m.State().Member, o.Opt, o.At)
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change { return s.OptOut(dst, o.Opt, o.At) })
	t.Complete(r, domain.Outcome{Member: o.Member})
	return nil
}

// deleteAction takes an action out of everything that counts or shows it. What it is
// named by is the id of a feed item: an action that another one took the place of, or
// that was deleted before, is none any more.
func (c *commands) deleteAction(t *tx.Tx, r *domain.Record, d *domain.DeleteAction) error {
	m, err := c.registrar.Active(t, r, d.Member)
	if m == nil || err != nil {
		return err
	}
	var row domain.Row
	at, counted := m.Place(), false
	there := d.Action.Slot() == d.Member.Slot() && d.Action.Sequence() <= t.State.Shard.Sequence
	if there {
		if row, there, err = c.actions.Action(at.Account, at.Ord, d.Action.Sequence()); err != nil {
			return err
		}
	}
	if there && !row.IsVisit() {
		t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
			dst, counted = s.Delete(dst, row)
			return dst
		})
	}
	if !counted {
		t.Complete(r, domain.Failed(domain.Bad(domain.NotFound, "actionid", "the member has no such action")))
		return nil
	}
	t.Notify(domain.Notice{
		Kind: domain.EventRemoved, Account: at.Account, Member: d.Member, Action: d.Action,
		Brand: row.Brand, Definition: row.Definition, Service: row.Service,
	})
	c.deleted.Add(1)
	t.Complete(r, domain.Outcome{Member: d.Member})
	return nil
}
