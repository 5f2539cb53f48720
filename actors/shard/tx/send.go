package tx

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// sending is an entry that a record sends.
type sending struct {
	offset int64 // of the record
	o      *domain.Outgoing
}

// Send puts an entry into the outbox, whose sequence is part of the state (I3). What is
// completed member by member is sent in the order of the records all the same, wherever a
// micro-batch ended: the sequence is the entry's origin, and the same in every replica (I6).
func (t *Tx) Send(o *domain.Outgoing) { t.sends = append(t.sends, sending{t.At.Offset, o}) }

// Forward sends a record to the shard of a member.
func (t *Tx) Forward(to domain.MemberID, r *domain.Record) {
	t.Send(&domain.Outgoing{To: to.Slot().Shard(t.State.Shards), Forward: r})
}

// Dead sends a dead letter, and counts it.
func (t *Tx) Dead(d *domain.DeadLetter) {
	t.State.Shard.Dead[d.Reason]++
	t.Send(&domain.Outgoing{To: -1, Dead: d})
}

// Published notes that entries are in their logs. They leave the store at the same place in every replica.
func (t *Tx) Published(p *domain.Published) {
	s := &t.State.Shard
	s.Published = max(s.Published, p.UpTo)
	s.DeadUpTo = max(s.DeadUpTo, p.DeadUpTo)
	s.KeysUpTo = max(s.KeysUpTo, p.KeysUpTo)
	upTo := domain.PublishedUpTo(s.Cursors())
	t.Change(domain.Change{Kind: domain.OutboxTrim, Value: &upTo})
	t.State.outbox.Published(p)
}

// sequence numbers what was sent since the last time.
func (t *Tx) sequence() {
	if len(t.sends) == 0 {
		return
	}
	s := t.State
	slices.SortStableFunc(t.sends, func(a, b sending) int { return cmp.Compare(a.offset, b.offset) })
	for _, sent := range t.sends {
		o := sent.o
		s.Shard.Outbox++
		o.Sequence = s.Shard.Outbox
		if o.Forward != nil {
			s.LastSent[o.To] = o.Sequence
			o.Forward.Origin = domain.Origin{
				Topic: s.Shard.Journal, Partition: int32(s.ID), Epoch: s.Shard.Life, Offset: int64(o.Sequence),
			}
		}
		t.Change(domain.Change{Kind: domain.OutboxPut, Value: o})
		s.outbox.Stage(o)
	}
	clear(t.sends)
	t.sends = t.sends[:0]
}
