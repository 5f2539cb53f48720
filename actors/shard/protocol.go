package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// The messages, by conversation. All are values of this process: they never cross
// nodes. A message is its receiver's once it is sent.

// Shard, catalog → itself: go on with the pages that wait.
type goOn struct{}

// Anyone → shard: see internal/waiters for what is awaited.
type (
	// WhichApplied is answered with *lastApplied: the highest origin of the stream, zero
	// where nothing of it was applied.
	WhichApplied struct{ Stream Stream }
	LastApplied  struct{ Origin domain.Origin }
)

// Outbox publisher → shard.
type (
	// published says how far the outbox is in its logs.
	published struct {
		kind outbox.Kind
		upTo uint64
	}
	// ackPublished comes a second after the first published: time to note it.
	ackPublished struct{}
)

// Catalog → shards: a new view is there. Sent after it is published.
type CatalogMoved struct{}

// awaitOutcome notes the waiter of an outcome, and answers at once where it is known.
func (s *shard) awaitOutcome(ctx actor.Context, m *waiters.AwaitOutcome) {
	if m.Known && s.machine.store != nil {
		q, err := s.machine.effects.requests.find(s.machine.effects.today(), m.ID)
		if staged := s.machine.effects.requests.isStaged(m.ID); err == nil && q != nil && !q.Pending && !staged {
			out := q.Outcome
			out.Position.Shards = []domain.ShardOffset{{Shard: s.env.ID, Next: s.env.Handle.Applied.Load()}}
			ctx.Respond(&waiters.Completed{Outcome: out})
			return
		}
	}
	s.waiting.Expect(m.Request, ctx.Sender())
}

// reached reports that the sender's stream has reached the sequence.
func (s *shard) reached(m waiters.AwaitStream) bool {
	return s.machine.sources.reached(Stream{s.machine.state.Journal, int32(m.From)}, m.Sequence)
}
