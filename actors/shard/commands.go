package shard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// command applies a record that is no activity. Nothing of a group is pending.
func (s *machine) command(ctx actor.Context, r *domain.Record) error {
	if asked := r.AskedBy(); !asked.IsZero() {
		if known, err := s.effects.replayed(asked, r); known || err != nil {
			return err
		}
	}
	switch c := r.Command.(type) {
	case *domain.RegisterMember:
		return s.registrar.Register(ctx, r, own(c))
	case *domain.AttachService:
		return s.registrar.Attach(ctx, r, c, own(&c.Register))
	case *domain.OptIn:
		return s.opt(ctx, r, c.Member, &members.Opt{Opt: c.Opt, In: true, At: c.At})
	case *domain.OptOut:
		return s.opt(ctx, r, c.Member, &members.Opt{Opt: c.Opt, At: c.At})
	case *domain.DeleteAction:
		return s.deleteAction(ctx, r, c)
	case *domain.Claim:
		return s.registrar.Claim(ctx, r, c)
	case *domain.Usage:
		s.effects.Change(domain.Change{
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
func (s *machine) trim(c *domain.Published) {
	s.state.Published = max(s.state.Published, c.UpTo)
	s.state.DeadUpTo = max(s.state.DeadUpTo, c.DeadUpTo)
	s.effects.Change(domain.Change{
		Kind: domain.OutboxTrim, Value: &domain.Published{UpTo: s.state.Published, DeadUpTo: s.state.DeadUpTo},
	})
}

// opt opts a member in or out.
func (s *machine) opt(ctx actor.Context, r *domain.Record, id domain.MemberID, m *members.Opt) error {
	k, err := s.Active(ctx, r, id)
	if k == nil || err != nil {
		return err
	}
	s.effects.Apply(ctx, k, m)
	s.effects.Conclude(r, domain.Outcome{Member: id})
	return nil
}

// own is a copy that shares no memory with a page: a member lives longer.
func own(in *domain.RegisterMember) *domain.RegisterMember {
	c := *in
	c.UID, c.Domain, c.Password = strings.Clone(c.UID), strings.Clone(c.Domain), strings.Clone(c.Password)
	c.PartnerCode, c.PartnerID = strings.Clone(c.PartnerCode), strings.Clone(c.PartnerID)
	c.Given, c.Record = ownFields(c.Given), ownFields(c.Record)
	return &c
}

func ownFields(in domain.Fields) domain.Fields {
	f := slices.Clone(in)
	for i := range f {
		f[i].Value = strings.Clone(f[i].Value)
	}
	return f
}

// deleteAction takes an action out of everything that counts or shows it. What it is
// named by is the id of a feed item: an action that another one took the place of, or
// that was deleted before, is none any more.
func (s *machine) deleteAction(ctx actor.Context, r *domain.Record, c *domain.DeleteAction) error {
	k, err := s.Active(ctx, r, c.Member)
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
		s.effects.Apply(ctx, k, m)
	}
	if !m.Counted {
		s.effects.Conclude(r, domain.Failed(domain.Bad(domain.NotFound, "actionid", "the member has no such action")))
		return nil
	}
	s.env.Handle.Stats.deleted.Add(1)
	s.effects.Conclude(r, domain.Outcome{Member: c.Member})
	return nil
}

// Active is the actor of a member that a command names; nil: the command is
// concluded, there is no such member.
func (s *machine) Active(ctx actor.Context, r *domain.Record, id domain.MemberID) (*members.Actor, error) {
	if at, ok := s.roster.Find(id); ok && at.Account == r.Account {
		if k, err := s.awake.Wake(ctx, at); err != nil || k.State().Active() {
			return k, err
		}
	}
	s.effects.Conclude(r, domain.Failed(domain.Bad(domain.NotFound, "memberid", "no such member")))
	return nil, nil
}
