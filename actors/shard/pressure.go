package shard

import (
	"log/slog"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// diskGate counts the looks at a disk without headroom.
type diskGate struct{ failures int }

func (d *diskGate) checked(err error, state *retry.State, log *slog.Logger, shard int) {
	if err != nil {
		d.failures++
		state.Failed(log, d.failures, err, "shard", shard)
		return
	}
	if d.failures > 0 {
		state.Recovered(log, "shard", shard)
	}
	d.failures = 0
}

// publisherAcks is how far the outbox was published, which no record says yet. It is owned by the
// shard.
type publisherAcks struct {
	sent      [outbox.Kinds]uint64
	posted    [outbox.Kinds]uint64 // as the last record says
	scheduled bool                 // ackPublished is on its way
}

// maxUnacked is the number of published entries from which the record is appended
// at once.
const maxUnacked = 1000

func (a *publisherAcks) note(m *published) { a.sent[m.kind] = max(a.sent[m.kind], m.upTo) }

// acknowledge appends the record that says how far the publishers came, now or a second later: also where
// there is no room for it now, since an idle shard publishes nothing more.
func (a *publisherAcks) acknowledge(now bool, s *shard) {
	if now && a.append(s) || a.scheduled {
		return
	}
	a.scheduled = true
	tell := s.tell
	time.AfterFunc(time.Second, func() { tell(&ackPublished{}) })
}

// due is acknowledge once the second is over.
func (a *publisherAcks) due(s *shard) {
	a.scheduled = false
	a.acknowledge(true, s)
}

// append appends the record, unless the state knows of all that was published and others are not to hear of this
// node; false: there is no room for it now.
func (a *publisherAcks) append(s *shard) bool {
	known, out := s.machine.State.Shard.Cursors(), s.machine.Outbox
	cursors, kinds, news := known, uint32(0), s.duties.claim
	for k := range outbox.Kinds {
		if a.sent[k] > known[k] {
			cursors[k] = a.sent[k]
			news = true
		}
		if s.duties.claims(k) {
			kinds |= 1 << k
		}
	}
	if !news {
		return true
	}
	upTo := domain.PublishedUpTo(cursors)
	upTo.Partition = uint32(s.env.ID)
	upTo.Node, upTo.Kinds = s.env.Duty.Node(), kinds
	r := domain.Record{Kind: domain.KindPublished, Command: &upTo}
	if !s.env.Appender.Post(r, func() { out.Acked(&upTo) }) {
		return false
	}
	a.posted = cursors
	s.duties.claim = false
	return true
}

// many reports that the record is appended at once.
func (a *publisherAcks) many(s *domain.ShardState) bool {
	for k, known := range s.Cursors() {
		if a.sent[k] >= max(known, a.posted[k])+maxUnacked {
			return true
		}
	}
	return false
}
