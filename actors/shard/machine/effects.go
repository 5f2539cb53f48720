package machine

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// effects is what applying records does beside the members: changes, entries of the outbox, dead
// letters, outcomes of requests. It is owned by the shard.
type effects struct {
	shard, shards int
	state         *domain.ShardState
	batch         *microBatch // of the records being applied; nil: none
	requests      requests
	waiting       *waiters.Waiters
	outbox        *outbox.Outbox
	sent          map[int]uint64 // last sequence of the outbox sent to each shard, of this life
	stats         *RecordStats
}

// Change adds a change to those of the micro-batch.
func (e *effects) Change(c domain.Change) { e.batch.changes = append(e.batch.changes, c) }

// Apply has a member do work, and adds its changes.
func (e *effects) Apply(k *members.Actor, w members.Work) {
	e.batch.changes = k.Do(w, e.batch.changes)
}

// Clock is the shard's at the record being applied.
func (e *effects) Clock() int64 { return e.batch.at.clock }

// NewRecord is an id for a service record, or for a visit.
func (e *effects) NewRecord(slot domain.Slot) uint64 {
	e.state.Sequence++
	return uint64(domain.ActionIDOf(e.state.Sequence, slot))
}

// disposed passes on the disposition of a member's activity: to counters, waiters, dead
// letters.
func (e *effects) disposed(t *members.Activity, id domain.MemberID) {
	r, v := t.Record, &t.Disposition
	switch {
	case v.Reason != domain.Accepted:
		e.refuse(r, &r.Activity, v.Reason, "")
		return
	case v.Repeat:
		e.stats.Duplicates.Add(1)
	default:
		e.stats.Recorded.Add(1)
	}
	if !r.AskedBy().IsZero() {
		e.Complete(r, domain.Outcome{Member: id, Row: v.Row, New: !v.Repeat})
	}
}

// refuse makes a dead letter of an activity that came from a log or that no
// request waits for, and an error for the request that waits.
func (e *effects) refuse(r *domain.Record, a *domain.Activity, reason domain.Reason, detail string) {
	if reason == domain.GoneMember {
		a.Raw = "" // of a member who is erased nothing is kept
	}
	if asked := r.AskedBy(); !asked.IsZero() {
		e.Complete(r, refusal(reason))
		if a.Raw == "" {
			e.state.Dead[reason]++
			return
		}
	}
	e.deadLetter(r, a, reason, detail)
}

// refusal is a reason in the contract's codes.
func refusal(reason domain.Reason) domain.Outcome {
	e := domain.Fail(domain.InvalidParameter, "the activity is refused: "+reason.String())
	switch reason {
	case domain.UnknownMember:
		e = domain.Fail(domain.NotFound, "no such member")
	case domain.GoneMember:
		e = domain.ErrErased
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
		e = domain.Bad(domain.InvalidParameter, "timestamp",
			"the timestamp is before 2000, too far ahead, or in a month that is given up")
	case domain.Accepted, domain.BadJSON, domain.BadEvent, domain.MissingField, domain.UnknownType,
		domain.UnknownAccount, domain.OverSize, domain.Corrupt, domain.Foreign: // an invalid parameter
	}
	return domain.Failed(e)
}

// deadLetter puts the activity into the outbox as a dead letter. The origin of a forward is a place in its
// sender's outbox, in which no original is.
func (e *effects) deadLetter(r *domain.Record, a *domain.Activity, reason domain.Reason, detail string) {
	origin := a.Cause
	if origin.IsZero() && r.Origin.Topic != e.state.Journal {
		origin = r.Origin
	}
	if origin.IsZero() && a.Raw == "" { // it has no original: counted
		e.state.Dead[reason]++
		return
	}
	request := r.AskedBy()
	if origin.IsZero() && request.IsZero() {
		request = nameOf(a)
	}
	e.letter(&domain.DeadLetter{
		Origin: origin, Request: request, Account: r.Account, Reason: reason,
		Detail: strings.Clone(detail), Raw: strings.Clone(a.Raw), At: cmp.Or(a.Received, r.Time),
	})
}

// foreign makes a dead letter of a value of another program, or of a record for another partition. It
// changes nothing else, the clock and the progress of its stream neither: what a copy says is not known to
// be true here.
func (e *effects) foreign(r *domain.Record) {
	detail := "a record for another partition"
	if r.Kind == domain.KindForeign {
		detail = "a value of another program"
	}
	e.deadRecord(r, domain.Foreign, detail)
}

// deadRecord puts a record of the journal that is not applied into the outbox as a dead letter, which names
// the record's place.
func (e *effects) deadRecord(r *domain.Record, reason domain.Reason, detail string) {
	detail = fmt.Sprintf("%s, in partition %d of the journal at offset %d", detail, e.shard, r.Offset)
	at := domain.Origin{Topic: e.state.Journal, Partition: int32(e.shard), Epoch: r.Epoch, Offset: r.Offset}
	e.letter(&domain.DeadLetter{Origin: at, Account: r.Account, Reason: reason, Detail: detail, At: r.Time})
}

func (e *effects) letter(d *domain.DeadLetter) {
	e.state.Dead[d.Reason]++
	e.Send(&domain.Outgoing{To: -1, Dead: d})
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
func (e *effects) forward(r *domain.Record, id domain.MemberID) {
	a := r.Activity
	cause := a.Cause
	if cause.IsZero() {
		cause = r.Origin
	}
	a.Member, a.Identity, a.Cause, a.Asked = id, domain.IdentityHash{}, cause, r.AskedBy()
	to := id.Slot().Shard(e.shards)
	e.stats.Forwarded.Add(1)
	e.Send(&domain.Outgoing{To: to, Forward: &domain.Record{
		Kind: domain.KindForward, Account: r.Account, Application: r.Application, BodyHash: r.BodyHash, Activity: a,
	}})
	e.ForwardOutcome(r, to, id)
}

// ForwardOutcome tells the waiters of the record's request that another shard completes it, for a member.
func (e *effects) ForwardOutcome(r *domain.Record, to int, id domain.MemberID) {
	asked := r.AskedBy()
	if asked.IsZero() {
		return
	}
	moved := domain.Outcome{MovedTo: to + 1, Member: id}
	e.remember(&domain.Request{ID: asked, BodyHash: r.BodyHash, Pending: true, Outcome: moved})
	moved.Position = e.position(r)
	e.waiting.Outcome(waiters.Request{ID: asked, Body: r.BodyHash}, r.Offset, moved)
}

// Send puts an entry into the outbox, whose sequence is part of the state (I3). What is
// completed member by member is sent in the order of the records all the same, wherever a
// micro-batch ended: the sequence is the entry's origin, and the same in every replica (I6).
func (e *effects) Send(o *domain.Outgoing) {
	e.batch.sends = append(e.batch.sends, sending{e.batch.at.offset, o})
}

// sending is what a record sends.
type sending struct {
	offset int64 // of the record
	o      *domain.Outgoing
}

// sequence numbers what was sent since the last time.
func (e *effects) sequence() {
	sends := e.batch.sends
	slices.SortStableFunc(sends, func(a, b sending) int { return cmp.Compare(a.offset, b.offset) })
	for _, sent := range sends {
		o := sent.o
		e.state.Outbox++
		o.Sequence = e.state.Outbox
		if o.Forward != nil {
			e.sent[o.To] = o.Sequence
			o.Forward.Origin = domain.Origin{
				Topic: e.state.Journal, Partition: int32(e.shard), Epoch: e.state.Life, Offset: int64(o.Sequence),
			}
		}
		e.Change(domain.Change{Kind: domain.OutboxPut, Value: o})
		e.outbox.Stage(o)
	}
	clear(sends)
	e.batch.sends = sends[:0]
}

// replayed answers a request id that is known, and gives the request: the record changes nothing.
func (e *effects) replayed(asked domain.RequestID, r *domain.Record) (*domain.Request, error) {
	q, err := e.requests.find(e.today(), asked)
	if q == nil || err != nil {
		return nil, err
	}
	out := q.Outcome
	switch {
	case q.BodyHash != r.BodyHash && q.BodyHash != 0: // 0: forgotten before the last step came (BodyOf)
		out = domain.Failed(domain.KeyMisused)
	case q.Pending && out.MovedTo == 0:
		return q, nil // the answer comes with its last step
	}
	out.Replayed = true
	out.Position = e.position(r)
	e.waiting.Outcome(waiters.Request{ID: asked, Body: r.BodyHash}, r.Offset, out)
	return q, nil
}

// dayMs is a day in the unit of the shard's clock.
const dayMs = 24 * 3600 * 1000

// today is the day of the record being applied or completed; between micro-batches the day
// of the last.
func (e *effects) today() uint32 {
	clock := e.state.Clock
	if e.batch != nil {
		clock = e.batch.at.clock
	}
	return uint32(clock / dayMs)
}

func (e *effects) position(r *domain.Record) domain.Position {
	return domain.Position{Journal: e.state.Journal, Shards: []domain.ShardOffset{{Shard: e.shard, Next: r.Offset + 1}}}
}

// Complete remembers the outcome of the record's request, and its waiters get it once it is
// committed.
func (e *effects) Complete(r *domain.Record, out domain.Outcome) {
	asked := r.AskedBy()
	if asked.IsZero() {
		return
	}
	e.remember(&domain.Request{ID: asked, BodyHash: r.BodyHash, Outcome: out})
	out.Position = e.position(r)
	e.waiting.Outcome(waiters.Request{ID: asked, Body: r.BodyHash}, r.Offset, out)
}

// Await says that a later record of the member completes the record's request.
func (e *effects) Await(r *domain.Record, id domain.MemberID) {
	asked := r.AskedBy()
	if asked.IsZero() {
		return
	}
	e.remember(&domain.Request{ID: asked, BodyHash: r.BodyHash, Pending: true, Outcome: domain.Outcome{Member: id}})
	e.waiting.Begin(waiters.Request{ID: asked, Body: r.BodyHash}, r.Offset)
}

// BodyOf is the hash of a request's body, 0 where the request is not known.
func (e *effects) BodyOf(asked domain.RequestID) uint64 {
	q, err := e.requests.find(e.today(), asked)
	if q == nil || err != nil {
		return 0
	}
	return q.BodyHash
}

// remember stages a request; its day is the shard's.
func (e *effects) remember(q *domain.Request) {
	q.Day = e.today()
	e.Change(e.requests.put(q))
}
