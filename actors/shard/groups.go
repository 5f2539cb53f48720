package shard

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// group adds the activity to its member's message.
func (s *shard) group(ctx actor.Context, r *domain.Record, at member.Place) error {
	s.state.Sequence++
	g := s.asleep(at, &r.Activity)
	if g == nil {
		k, err := s.wake(ctx, at)
		if err != nil {
			return err
		}
		if !k.state().Active() {
			s.notActive(k, r)
			return nil
		}
		g = s.awakeGroup(k, at)
	}
	r.Activity.Content.Recorded = s.batch.at.clock
	g.msg.acts = append(g.msg.acts, act{record: r, content: &r.Activity.Content, seq: s.state.Sequence, at: s.batch.at})
	return nil
}

// asleep is the group of a member that is not woken for the activity; nil: it is awake, or
// has to be. An activity that is not one-time needs to know of its member what the
// audience knows, and the store has the rest. One-time pairs are remembered by a member
// that is awake, until they are committed.
func (s *shard) asleep(at member.Place, a *domain.Activity) *group {
	if a.OneTime || s.awake.at(at) != nil {
		return nil
	}
	if g := s.batch.asleep[at]; g != nil {
		return g
	}
	audience := s.accounts.Of(at.Account).Audience
	muted, active := audience.Active(at.Ord)
	if !active {
		return nil
	}
	g := s.batch.group()
	g.id, g.muted, g.history = audience.ID(at.Ord), muted, pairHistory{s.store, at}
	s.batch.asleep[at] = g
	return g
}

// awakeGroup is the group of a member that is awake. One that slept when the micro-batch began
// goes on with the group it has.
func (s *shard) awakeGroup(k *child, at member.Place) *group {
	if k.group != nil {
		return k.group
	}
	if k.group = s.batch.asleep[at]; k.group != nil {
		delete(s.batch.asleep, at)
		k.group.child = k
		return k.group
	}
	k.group = s.batch.group()
	k.group.child, k.group.id, k.group.history = k, k.state().Member.ID, pairHistory{s.store, at}
	return k.group
}

// change adds a change to those of the micro-batch.
func (s *microBatch) change(c domain.Change) { s.changes = append(s.changes, c) }

// group is the next one, empty.
func (s *microBatch) group() *group {
	if s.used == len(s.groups) {
		made := make([]group, groupsAtOnce)
		for i := range made {
			g := &made[i]
			g.msg.acts, g.msg.history = g.one[:0], &g.history
			s.groups = append(s.groups, g)
		}
	}
	s.used++
	return s.groups[s.used-1]
}

// wake is the member's actor; it reads the member if it sleeps.
func (s *shard) wake(ctx actor.Context, at member.Place) (*child, error) {
	if k := s.awake.find(at); k != nil {
		return k, nil
	}
	m, err := s.store.Member(at.Account, at.Ord)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fmt.Errorf("member %d of account %d is in the roster but not in the store", at.Ord, at.Account)
	}
	s.env.Handle.Stats.woken.Add(1)
	return s.awake.spawn(ctx, at, member.NewState(m)), nil
}
