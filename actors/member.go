package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// memberActor is one member touched lately: a child of its shard, on the shard's
// goroutine. The thinking is in package member.
type memberActor struct{ state *member.State }

// childProps are the props of an actor that runs on its shard's goroutine: when
// Send returns, the message has been processed. Only the shard may send to it.
func childProps(produce func() actor.Actor) *actor.Props {
	return actor.PropsFromProducer(produce, actor.WithMailbox(func() actor.Mailbox { return new(mailbox) }))
}

// Receive is the mailbox. A panic leaves done unset: the shard sees it.
func (a *memberActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *activities:
		a.record(m)
	case *register:
		a.register(m)
	case *park:
		m.changes = a.state.Park(m.changes, m.what)
		m.done = true
	case *settle:
		a.settle(m)
	}
}

func (a *memberActor) record(m *activities) {
	a.state.Begin()
	for i := range m.acts {
		t := &m.acts[i]
		act := &t.record.Activity
		if m.changes, t.verdict, m.err = a.state.Record(m.changes, act, t.seq, t.content, m.history); m.err != nil {
			break
		}
	}
	m.done = true
}

func (a *memberActor) register(m *register) {
	var record uint64
	m.changes, record = a.state.Register(m.changes, m.command, m.record, m.partner)
	if m.claim != nil {
		m.claim.Record = record
		m.changes = a.state.Claim(m.changes, *m.claim, m.isNew)
	}
	m.done = true
}

// settle ends a claim of the member's.
func (a *memberActor) settle(m *settle) {
	pending := a.state.Pending()
	parked := a.state.Member.Parked
	switch {
	case m.granted:
		m.changes = a.state.Settle(m.changes, m.claim)
	case pending:
		m.changes = a.state.Refuse(m.changes)
		m.refused = true
	default:
		m.changes = a.state.Abandon(m.changes, m.claim)
	}
	if pending && !a.state.Pending() {
		m.parked = parked
	}
	m.done = true
}

// pairHistory is the past of one member, as the store has it.
type pairHistory struct {
	store ShardStore
	at    member.Place
}

// Seen is the member's row with that hash.
func (h *pairHistory) Seen(time domain.Second, hash uint64) (domain.Row, bool, error) {
	return h.store.Seen(h.at.Account, h.at.Ord, time, hash)
}

// OneTime is the action that counts for a pair.
func (h *pairHistory) OneTime(definition domain.DefinitionID, brand domain.BrandID) (domain.OneTime, bool, error) {
	return h.store.OneTime(h.at.Account, h.at.Ord, definition, brand)
}
