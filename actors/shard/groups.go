package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// group adds the activity to its member's message.
func (s *machine) group(ctx actor.Context, r *domain.Record, at member.Place) error {
	s.state.Sequence++
	g := s.asleep(at, &r.Activity)
	if g == nil {
		k, err := s.awake.Wake(ctx, at)
		if err != nil {
			return err
		}
		if !k.State().Active() {
			s.notActive(k, r)
			return nil
		}
		g = s.effects.batch.members.Of(k, at, s.store)
	}
	r.Activity.Content.Recorded = s.effects.batch.at.clock
	g.Add(members.Activity{Record: r, Sequence: s.state.Sequence, Clock: s.effects.batch.at.clock})
	return nil
}

// asleep is the group of a member that is not woken for the activity; nil: it is awake, or
// has to be. An activity that is not one-time needs to know of its member what the
// audience knows, and the store has the rest. One-time pairs are remembered by a member
// that is awake, until they are committed.
func (s *machine) asleep(at member.Place, a *domain.Activity) *members.Group {
	if a.OneTime || s.awake.At(at) != nil {
		return nil
	}
	if g := s.effects.batch.members.Sleeping(at); g != nil {
		return g
	}
	audience := s.accounts.Of(at.Account).Audience
	muted, active := audience.Active(at.Ord)
	if !active {
		return nil
	}
	return s.effects.batch.members.AddSleeping(at, audience.ID(at.Ord), muted, s.store)
}

// concluded passes on the disposition of a member's activity: to counters, waiters, dead
// letters.
func (s *machine) concluded(t *members.Activity, id domain.MemberID) {
	r, v := t.Record, &t.Disposition
	switch {
	case v.Reason != domain.Accepted:
		s.effects.refuse(r, &r.Activity, v.Reason, "")
		return
	case v.Repeat:
		s.env.Handle.Stats.duplicates.Add(1)
	default:
		s.env.Handle.Stats.recorded.Add(1)
	}
	if !r.AskedBy().IsZero() {
		s.effects.Conclude(r, domain.Outcome{Member: id, Row: v.Row, New: !v.Repeat})
	}
}
