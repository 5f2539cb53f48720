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
		s.told.UpTo = max(s.told.UpTo, m.upTo)
	case outbox.DeadLetters:
		s.told.DeadUpTo = max(s.told.DeadUpTo, m.upTo)
	}
	if s.told.UpTo >= s.state.Published+publishedMost || s.told.DeadUpTo >= s.state.DeadUpTo+publishedMost {
		s.sayPublished()
	} else if !s.telling {
		s.telling = true
		self, root := ctx.Self(), ctx.ActorSystem().Root
		time.AfterFunc(time.Second, func() { root.Send(self, &sayPublished{}) })
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

func (s *shard) sayPublished() {
	s.telling = false
	if s.told.UpTo <= s.state.Published && s.told.DeadUpTo <= s.state.DeadUpTo {
		return
	}
	told := s.told
	s.env.Appender.Post(domain.Record{Kind: domain.KindPublished, Command: &told})
}
