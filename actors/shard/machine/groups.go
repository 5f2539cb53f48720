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
	batch := m.effects.batch
	a := members.Activity{Record: r, Sequence: m.State.Sequence, Clock: batch.at.clock}
	if !batch.members.Add(m.loaded, at, m.Accounts.Of(at.Account).Audience, a) {
		k, err := m.loaded.Load(ctx, at)
		if err != nil {
			return err
		}
		if !k.State().Active() {
			m.notActive(k, r)
			return nil
		}
		batch.members.AddTo(k, at, a)
	}
	r.Activity.Content.Recorded = a.Clock
	return nil
}
