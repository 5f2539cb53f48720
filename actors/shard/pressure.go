package shard

import (
	"log/slog"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
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
	upTo      domain.Published
	scheduled bool // ackPublished is on its way
}

// maxUnacked is the number of published entries from which the record is appended
// at once.
const maxUnacked = 1000

func (a *publisherAcks) note(m *published) {
	switch m.kind {
	case outbox.Forwards:
		a.upTo.UpTo = max(a.upTo.UpTo, m.upTo)
	case outbox.DeadLetters:
		a.upTo.DeadUpTo = max(a.upTo.DeadUpTo, m.upTo)
	case outbox.KeyDeletions:
		a.upTo.KeysUpTo = max(a.upTo.KeysUpTo, m.upTo)
	}
}

// acknowledge appends the record that says how far the publishers came, now or a second later: also where
// there is no room for it now, since an idle shard publishes nothing more.
func (a *publisherAcks) acknowledge(
	now bool, s *domain.ShardState, to *journal.PartitionAppender, tell func(any),
) {
	if now && a.append(s, to) || a.scheduled {
		return
	}
	a.scheduled = true
	time.AfterFunc(time.Second, func() { tell(&ackPublished{}) })
}

// due is acknowledge once the second is over.
func (a *publisherAcks) due(s *domain.ShardState, to *journal.PartitionAppender, tell func(any)) {
	a.scheduled = false
	a.acknowledge(true, s, to, tell)
}

// append appends the record, unless the state knows of all that was published; false: there is no room for
// it now.
func (a *publisherAcks) append(s *domain.ShardState, to *journal.PartitionAppender) bool {
	if a.upTo.UpTo > s.Published || a.upTo.DeadUpTo > s.DeadUpTo || a.upTo.KeysUpTo > s.KeysUpTo {
		upTo := a.upTo
		upTo.Partition = uint32(to.Partition())
		return to.Post(domain.Record{Kind: domain.KindPublished, Command: &upTo})
	}
	return true
}

// many reports that the record is appended at once.
func (a *publisherAcks) many(s *domain.ShardState) bool {
	return a.upTo.UpTo >= s.Published+maxUnacked || a.upTo.DeadUpTo >= s.DeadUpTo+maxUnacked ||
		a.upTo.KeysUpTo >= s.KeysUpTo+maxUnacked
}
