package shard

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// pauseForOutbox applies nothing more until entries are published, which published says.
// What was applied is committed, and routers no longer wait for this shard: its records
// wait in the journal, as a stopped shard's do.
func (s *shard) pauseForOutbox(ctx actor.Context) {
	s.running = false
	s.env.Handle.Apart.Store(true)
	if s.uncommitted > 0 {
		if err := s.commit(ctx); err != nil {
			s.failed(ctx, err)
		}
	}
}

// rejoin has routers wait for the shard again, once it publishes and is near the end of its
// partition.
func (s *shard) rejoin() {
	shared := s.env.Handle
	if shared.Apart.Load() && shared.End.Load()-s.state.Next <= NearEnd && !s.outbox.Full() {
		shared.Apart.Store(false)
	}
}

// published notes how far the publishers came. A record says so once a second, or
// after many entries: it trims the outbox at the same place in every
// replica.
func (s *shard) published(ctx actor.Context, m *published) {
	switch m.kind {
	case outbox.Forwards:
		s.acked.UpTo = max(s.acked.UpTo, m.upTo)
	case outbox.DeadLetters:
		s.acked.DeadUpTo = max(s.acked.DeadUpTo, m.upTo)
	}
	if s.acked.UpTo >= s.state.Published+publishedMost || s.acked.DeadUpTo >= s.state.DeadUpTo+publishedMost {
		s.ackPublished()
	} else if !s.ackScheduled {
		s.ackScheduled = true
		self, root := ctx.Self(), ctx.ActorSystem().Root
		time.AfterFunc(time.Second, func() { root.Send(self, &ackPublished{}) })
	}
	s.rejoin()
	if !s.running && len(s.queue) > 0 {
		s.running = true
		ctx.Send(ctx.Self(), &goOn{})
	}
}

// publishedMost is the number of published entries from which the record is appended
// at once.
const publishedMost = 1000

func (s *shard) ackPublished() {
	s.ackScheduled = false
	if s.acked.UpTo <= s.state.Published && s.acked.DeadUpTo <= s.state.DeadUpTo {
		return
	}
	acked := s.acked
	s.env.Appender.Post(domain.Record{Kind: domain.KindPublished, Command: &acked})
}
