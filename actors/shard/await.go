package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
)

// awaitOutcome notes the waiter of an outcome, and answers at once where it is known.
func (s *shard) awaitOutcome(ctx actor.Context, m *waiters.AwaitOutcome) {
	if m.Known && s.store != nil {
		q, err := s.requests.find(s.today(), m.ID)
		if staged := s.requests.isStaged(m.ID); err == nil && q != nil && !q.Pending && !staged {
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
	return s.sources.reached(Stream{s.state.Journal, int32(m.From)}, m.Sequence)
}
