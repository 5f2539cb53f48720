package machine

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// group adds the activity to its member's message.
func (m *Machine) group(ctx actor.Context, r *domain.Record, at member.Place) error {
	m.State.Sequence++
	g := m.unloaded(at, &r.Activity)
	if g == nil {
		k, err := m.loaded.Load(ctx, at)
		if err != nil {
			return err
		}
		if !k.State().Active() {
			m.notActive(k, r)
			return nil
		}
		g = m.effects.batch.members.Of(k, at, m.store)
	}
	r.Activity.Content.Recorded = m.effects.batch.at.clock
	g.Add(members.Activity{Record: r, Sequence: m.State.Sequence, Clock: m.effects.batch.at.clock})
	return nil
}

// unloaded is the group of a member that is not loaded for the activity; nil: it is loaded, or
// has to be. An activity that is not one-time needs to know of its member what the
// audience knows, and the store has the rest. One-time pairs are remembered by a member
// that is loaded, until they are committed.
func (m *Machine) unloaded(at member.Place, a *domain.Activity) *members.Group {
	if a.OneTime || m.loaded.At(at) != nil {
		return nil
	}
	if g := m.effects.batch.members.Unloaded(at); g != nil {
		return g
	}
	audience := m.Accounts.Of(at.Account).Audience
	muted, active := audience.Active(at.Ord)
	if !active {
		return nil
	}
	return m.effects.batch.members.AddUnloaded(at, audience.ID(at.Ord), muted, m.store)
}
