package shard

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// memberActor is one member touched lately: a child of its shard, on the shard's
// goroutine. The thinking is in package member.
type memberActor struct{ state *member.State }

// Receive is the mailbox. A panic leaves done unset: the shard sees it.
func (a *memberActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *activities:
		a.record(m)
	case *enter:
		a.enter(m)
	case *settle:
		m.changes, m.end = a.state.Settle(m.changes, m.claim, m.record)
		m.done = true
	case *opt:
		a.opt(m)
	case *deletion:
		m.changes, m.there = a.state.Delete(m.changes, m.row)
		m.done = true
	}
}

func (a *memberActor) record(m *activities) {
	a.state.Begin(len(m.acts))
	for i := range m.acts {
		t := &m.acts[i]
		act := &t.record.Activity
		if m.changes, t.verdict, m.err = a.state.Record(m.changes, act, t.seq, t.at.clock, t.content, m.history); m.err != nil {
			break
		}
	}
	m.done = true
}

// enter registers at once, or when the claims that other shards decide are granted.
func (a *memberActor) enter(m *enter) {
	m.changes, m.guess, m.retryAfter = a.state.Guess(m.changes, m.command, m.now)
	switch {
	case m.guess != member.GuessRight:
	case slices.ContainsFunc(m.waits.Claims, func(c domain.PendingClaim) bool { return !c.Granted }):
		m.waits.Register = *m.command
		m.changes = a.state.Await(m.changes, m.waits, m.isNew)
	default:
		m.entered = true
		m.changes = a.state.Register(m.changes, m.command, m.record)
	}
	m.done = true
}

func (a *memberActor) opt(m *opt) {
	if m.in {
		m.changes = a.state.OptIn(m.changes, m.opt, m.at)
	} else {
		m.changes = a.state.OptOut(m.changes, m.opt, m.at)
	}
	m.done = true
}

// pairHistory is the past of one member, as the store has it.
type pairHistory struct {
	store Store
	at    member.Place
}

// Seen is the member's row with that hash.
func (h *pairHistory) Seen(months domain.RepeatMonths, hash uint64) (domain.Row, bool, error) {
	return h.store.Seen(h.at.Account, h.at.Ord, months, hash)
}

// OneTime is the action that counts for a pair.
func (h *pairHistory) OneTime(definition domain.DefinitionID, brand domain.BrandID) (domain.OneTime, bool, error) {
	return h.store.OneTime(h.at.Account, h.at.Ord, definition, brand)
}
