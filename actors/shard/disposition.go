package shard

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// concluded passes on the disposition of a member's activity: to counters, waiters, dead
// letters.
func (s *shard) concluded(t *members.Activity, id domain.MemberID) {
	r, v := t.Record, &t.Disposition
	switch {
	case v.Reason != domain.Accepted:
		s.refuse(r, &r.Activity, v.Reason, "")
		return
	case v.Repeat:
		s.env.Handle.Stats.duplicates.Add(1)
	default:
		s.env.Handle.Stats.recorded.Add(1)
	}
	if asked := askedBy(r); !asked.IsZero() {
		s.concludeRequest(asked, r, domain.Outcome{Member: id, Row: v.Row, New: !v.Repeat})
	}
}

// askedBy is the request that waits for the record.
func askedBy(r *domain.Record) domain.RequestID {
	if !r.Activity.Asked.IsZero() {
		return r.Activity.Asked
	}
	if c, ok := r.Command.(*domain.AttachService); ok && !c.Asked.IsZero() {
		return c.Asked
	}
	return r.Request
}

// refuse makes a dead letter of an activity that came from a log or that no
// request waits for, and an error for the request that waits.
func (s *shard) refuse(r *domain.Record, a *domain.Activity, reason domain.Reason, detail string) {
	if asked := askedBy(r); !asked.IsZero() {
		s.concludeRequest(asked, r, refusal(reason))
		if a.Raw == "" {
			s.state.Dead[reason]++
			return
		}
	}
	s.deadLetter(r, a, reason, detail)
}

// refusal is a reason in the contract's codes.
func refusal(reason domain.Reason) domain.Outcome {
	e := domain.Fail(domain.InvalidParameter, "the activity is refused: "+reason.String())
	switch reason {
	case domain.UnknownMember:
		e = domain.Fail(domain.NotFound, "no such member")
	case domain.UnknownActivity:
		e = domain.Bad(domain.NotFound, "activityid", "no such activity")
	case domain.UnknownBrand:
		e = domain.Bad(domain.NotFound, "brandid", "no such brand")
	case domain.SharingDisabled:
		e = domain.Fail(domain.Conflict, "the member does not share activities of this service")
	case domain.ConflictingDuplicate:
		e = domain.Bad(domain.Conflict, "marker", "the marker was used for another activity")
	case domain.Poison:
		e = domain.Fail(domain.Internal, "the record of the request could not be applied and was set aside")
	case domain.BadTime, domain.FutureTime, domain.TooOld:
		e = domain.Bad(domain.InvalidParameter, "timestamp", "the timestamp is before 2000, too far ahead, or in a month that is given up")
	}
	return domain.Failed(e)
}

// deadLetter puts the record into the outbox as a dead letter.
func (s *shard) deadLetter(r *domain.Record, a *domain.Activity, reason domain.Reason, detail string) {
	s.state.Dead[reason]++
	origin := r.Origin
	if !a.Cause.IsZero() {
		origin = a.Cause
	}
	if origin.IsZero() && a.Raw == "" {
		return // a command has no original: counted
	}
	request := askedBy(r)
	if origin.IsZero() && request.IsZero() {
		request = nameOf(a)
	}
	s.send(&domain.Outgoing{To: -1, Dead: &domain.DeadLetter{
		Origin: origin, Request: request, Account: r.Account, Reason: reason,
		Detail: strings.Clone(detail), Raw: strings.Clone(a.Raw), At: r.Time,
	}})
}

// nameOf is the request that a dead letter is known by. An activity that came in a
// batch and without a request has none: its address and dedup key name it, the same
// whenever it comes again.
func nameOf(a *domain.Activity) (id domain.RequestID) {
	copy(id[:8], a.Identity[:])
	if a.Member != 0 {
		binary.BigEndian.PutUint64(id[:], uint64(a.Member))
	}
	binary.BigEndian.PutUint64(id[8:], a.Hash)
	return id
}

// forward sends the activity to the shard of its member.
func (s *shard) forward(r *domain.Record, id domain.MemberID) {
	a := r.Activity
	cause := a.Cause
	if cause.IsZero() {
		cause = r.Origin
	}
	a.Member, a.Identity, a.Cause, a.Asked = id, domain.IdentityHash{}, cause, askedBy(r)
	to := id.Slot().Shard(s.env.Shards)
	s.env.Handle.Stats.Forwarded.Add(1)
	s.queue.keep()
	s.send(&domain.Outgoing{To: to, Forward: &domain.Record{
		Kind: domain.KindForward, Account: r.Account, Application: r.Application, BodyHash: r.BodyHash, Activity: a,
	}})
	s.movedOn(a.Asked, r, to)
}

// movedOn tells who waits for the request that another shard has the last word.
func (s *shard) movedOn(asked domain.RequestID, r *domain.Record, to int) {
	if asked.IsZero() {
		return
	}
	moved := domain.Outcome{MovedTo: to + 1}
	s.remember(&domain.Request{ID: asked, BodyHash: r.BodyHash, Pending: true, Outcome: moved})
	moved.Position = s.position(r)
	s.waiting.Outcome(waiters.Request{ID: asked, Body: r.BodyHash}, r.Offset, moved)
}

// send puts an entry into the outbox, whose sequence is part of the state (I3). What is
// concluded member by member is sent in the order of the records all the same, wherever a
// micro-batch ended: the sequence is the entry's origin, and the same in every replica (I6).
func (s *shard) send(o *domain.Outgoing) {
	s.batch.sends = append(s.batch.sends, sending{s.batch.at.offset, o})
}

// sending is what a record sends.
type sending struct {
	offset int64 // of the record
	o      *domain.Outgoing
}

// sequence numbers what was sent since the last time.
func (s *shard) sequence() {
	sends := s.batch.sends
	slices.SortStableFunc(sends, func(a, b sending) int { return cmp.Compare(a.offset, b.offset) })
	for _, e := range sends {
		o := e.o
		s.state.Outbox++
		o.Sequence = s.state.Outbox
		if o.Forward != nil {
			s.sent[o.To] = o.Sequence
			o.Forward.Origin = domain.Origin{
				Topic: s.state.Journal, Partition: int32(s.env.ID), Epoch: s.state.Life, Offset: int64(o.Sequence),
			}
		}
		s.batch.change(domain.Change{Kind: domain.OutboxPut, Value: o})
		s.outbox.Stage(o)
	}
	clear(sends)
	s.batch.sends = sends[:0]
}

// replayed answers a request id that is known: the record changes nothing.
func (s *shard) replayed(asked domain.RequestID, r *domain.Record) (bool, error) {
	q, err := s.requests.find(s.today(), asked)
	if q == nil || err != nil {
		return false, err
	}
	out := q.Outcome
	switch {
	case q.BodyHash != r.BodyHash:
		out = domain.Failed(domain.KeyMisused)
	case q.Pending && out.MovedTo == 0:
		return true, nil // the answer comes with its last step
	}
	out.Replayed = true
	out.Position = s.position(r)
	s.waiting.Outcome(waiters.Request{ID: asked, Body: r.BodyHash}, r.Offset, out)
	return true, nil
}

// dayMs is a day in the unit of the shard's clock.
const dayMs = 24 * 3600 * 1000

// today is the day of the record being applied or concluded; between micro-batches the day
// of the last.
func (s *shard) today() uint32 {
	clock := s.state.Clock
	if s.batch != nil {
		clock = s.batch.at.clock
	}
	return uint32(clock / dayMs)
}

func (s *shard) position(r *domain.Record) domain.Position {
	return domain.Position{Journal: s.state.Journal, Shards: []domain.ShardOffset{{Shard: s.env.ID, Next: r.Offset + 1}}}
}

// concludeRequest remembers what became of a request and tells who waits for it,
// once it is committed.
func (s *shard) concludeRequest(id domain.RequestID, r *domain.Record, out domain.Outcome) {
	if id.IsZero() {
		return
	}
	s.remember(&domain.Request{ID: id, BodyHash: r.BodyHash, Outcome: out})
	out.Position = s.position(r)
	s.waiting.Outcome(waiters.Request{ID: id, Body: r.BodyHash}, r.Offset, out)
}

// remember stages a request; its day is the shard's.
func (s *shard) remember(q *domain.Request) {
	q.Day = s.today()
	s.batch.change(s.requests.put(q))
}
