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
	if s.open.records > 0 {
		if err := s.commit(ctx); err != nil {
			s.failed(ctx, err)
		}
	}
}

// rejoin has routers wait for the shard again, once it publishes and is near the end of its
// partition.
func (s *shard) rejoin() {
	shared := s.env.Handle
	if shared.Apart.Load() && shared.End.Load()-s.machine.state.Next <= NearEnd && !s.machine.effects.outbox.Full() {
		shared.Apart.Store(false)
	}
}

// published notes how far the publishers came. A record says so once a second, or
// after many entries: it trims the outbox at the same place in every
// replica.
func (s *shard) published(ctx actor.Context, m *published) {
	s.acks.note(m)
	if s.acks.many(&s.machine.state) {
		s.ackPublished()
	} else if !s.acks.scheduled {
		s.acks.scheduled = true
		self, root := ctx.Self(), ctx.ActorSystem().Root
		time.AfterFunc(time.Second, func() { root.Send(self, &ackPublished{}) })
	}
	s.rejoin()
	if !s.running && !s.queue.empty() {
		s.running = true
		ctx.Send(ctx.Self(), &goOn{})
	}
}

func (s *shard) ackPublished() {
	s.acks.scheduled = false
	if !s.acks.any(&s.machine.state) {
		return
	}
	upTo := s.acks.upTo
	s.env.Appender.Post(domain.Record{Kind: domain.KindPublished, Command: &upTo})
}

// publisherAcks is how far the outbox was published, which no record says yet.
type publisherAcks struct {
	upTo      domain.Published
	scheduled bool // ackPublished is on its way
}

// publishedMost is the number of published entries from which the record is appended
// at once.
const publishedMost = 1000

func (a *publisherAcks) note(m *published) {
	switch m.kind {
	case outbox.Forwards:
		a.upTo.UpTo = max(a.upTo.UpTo, m.upTo)
	case outbox.DeadLetters:
		a.upTo.DeadUpTo = max(a.upTo.DeadUpTo, m.upTo)
	}
}

// any reports that the state does not know of all that was published.
func (a *publisherAcks) any(s *domain.ShardState) bool {
	return a.upTo.UpTo > s.Published || a.upTo.DeadUpTo > s.DeadUpTo
}

// many reports that the record is appended at once.
func (a *publisherAcks) many(s *domain.ShardState) bool {
	return a.upTo.UpTo >= s.Published+publishedMost || a.upTo.DeadUpTo >= s.DeadUpTo+publishedMost
}
