package tx

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/waiters"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// MicroBatch is the number of records applied before the shard's next message: enough
// for what they look at to be read side by side, and so few that it stays in the cache.
const MicroBatch = 256

// Follower makes what follows from changes that were staged: it may change and send more.
type Follower func(t *Tx, staged []domain.Change) error

// Tx is what the records of a micro-batch change and send. Its memory is used again by the next one.
type Tx struct {
	State *State
	At    Moment // of the record that is applied or completed

	follow  Follower
	changes []domain.Change // not staged
	sends   []sending       // without a sequence
	keeps   bool
}

// Moment is a record's place in the journal, and the shard's clock then.
type Moment struct{ Offset, Clock int64 }

// Begin begins a micro-batch, whose Tx ended with a Flush.
func (t *Tx) Begin(s *State, f Follower) {
	t.State, t.follow, t.keeps = s, f, false
	t.At = Moment{s.Shard.Next, s.Shard.Clock}
}

// End forgets the shard.
func (t *Tx) End() { t.State, t.follow = nil, nil }

// Keep has the strings of the page live on: what is sent or changed has them.
func (t *Tx) Keep() { t.keeps = true }

// Keeps reports that strings of the page live on.
func (t *Tx) Keeps() bool { return t.keeps }

// Clock is the shard's at the record, in ms since 1970.
func (t *Tx) Clock() int64 { return t.At.Clock }

// NewRecord is an id for a service record, or for a visit.
func (t *Tx) NewRecord(slot domain.Slot) uint64 {
	t.State.Shard.Sequence++
	return uint64(domain.ActionIDOf(t.State.Shard.Sequence, slot))
}

// Find is a member of an account, loaded; nil: the shard has none of that id.
func (t *Tx) Find(account domain.AccountID, id domain.MemberID) (*members.Member, error) {
	at, ok := t.State.Roster.Find(id)
	if !ok || at.Account != account {
		return nil, nil
	}
	return t.State.Loaded.Load(at)
}

// Change adds a change.
func (t *Tx) Change(c domain.Change) { t.changes = append(t.changes, c) }

// Apply has a member do work, and adds what it changes.
func (t *Tx) Apply(m *members.Member, w members.Work) { t.changes = m.Do(w, t.changes) }

// ApplyGroup has a member apply the activities of a group, and adds what they change.
func (t *Tx) ApplyGroup(b *members.Batch, g *members.Group) (err error) {
	t.changes, err = b.Apply(t.State.Loaded, g, t.changes)
	return err
}

// Complete gives the outcome of the record's request. Its waiters get it once it is committed.
func (t *Tx) Complete(r *domain.Record, out domain.Outcome) {
	if asked := r.AskedBy(); !asked.IsZero() {
		t.remember(&domain.Request{ID: asked, BodyHash: r.BodyHash, Nonce: r.Nonce, Outcome: out})
		t.answer(r, r.Nonce, out)
	}
}

// CompleteAsked completes a request that an earlier record began; zero: none.
func (t *Tx) CompleteAsked(r *domain.Record, asked domain.RequestID, out domain.Outcome) {
	if !asked.IsZero() {
		body, nonce := t.firstOf(asked)
		t.Complete(&domain.Record{Offset: r.Offset, Request: asked, BodyHash: body, Nonce: nonce}, out)
	}
}

// Defer says that a later record of the member completes the record's request.
func (t *Tx) Defer(r *domain.Record, id domain.MemberID) {
	if asked := r.AskedBy(); !asked.IsZero() {
		t.begin(r, domain.Outcome{Member: id})
	}
}

// Redirect says that another shard completes the record's request, for a member.
func (t *Tx) Redirect(r *domain.Record, to int, id domain.MemberID) {
	if asked := r.AskedBy(); !asked.IsZero() {
		out := domain.Outcome{MovedTo: to + 1, Member: id}
		t.begin(r, out)
		t.answer(r, r.Nonce, out)
	}
}

// begin remembers the record's request, which a later record or another shard completes.
func (t *Tx) begin(r *domain.Record, out domain.Outcome) {
	t.remember(&domain.Request{ID: r.AskedBy(), BodyHash: r.BodyHash, Nonce: r.Nonce, Pending: true, Outcome: out})
}

// Replayed answers a request id that is known, and gives the request: the record changes nothing.
func (t *Tx) Replayed(r *domain.Record) (*domain.Request, error) {
	q, err := t.State.Requests.Find(t.today(), r.AskedBy())
	if q == nil || err != nil {
		return nil, err
	}
	out := q.Outcome
	switch {
	case q.BodyHash != r.BodyHash && q.BodyHash != 0: // 0: forgotten before the last step came (firstOf)
		out = domain.Failed(domain.KeyMisused)
	case q.Pending && out.MovedTo == 0:
		return q, nil // the answer comes with its last step
	}
	t.answer(r, q.Nonce, out)
	return q, nil
}

// Void tells the waiters of the record's request that the record is void.
func (t *Tx) Void(r *domain.Record) {
	t.State.waiting.Outcome(waiters.Request{ID: r.AskedBy(), Body: r.BodyHash}, &waiters.Completed{
		First: r.Nonce, Void: true, Clock: t.At.Clock,
	})
}

// firstOf is what a request's first record has of it: body and nonce are 0 where the request is not known.
func (t *Tx) firstOf(asked domain.RequestID) (body uint64, nonce domain.Nonce) {
	q, err := t.State.Requests.Find(t.today(), asked)
	if q == nil || err != nil {
		return 0, 0
	}
	return q.BodyHash, q.Nonce
}

// answer gives the waiters of the record's request an outcome, with the nonce of the request's first record.
func (t *Tx) answer(r *domain.Record, first domain.Nonce, out domain.Outcome) {
	s := t.State
	out.Position = domain.Position{
		Journal: s.Shard.Journal, Shards: []domain.ShardOffset{{Shard: s.ID, Next: r.Offset + 1}},
	}
	s.waiting.Outcome(waiters.Request{ID: r.AskedBy(), Body: r.BodyHash}, &waiters.Completed{
		Outcome: out, First: first, Clock: t.At.Clock,
	})
}

// remember stages a request; its day is the shard's.
func (t *Tx) remember(q *domain.Request) {
	q.Day = t.today()
	t.Change(t.State.Requests.put(q))
}

// today is the day of the record.
func (t *Tx) today() uint32 { return dayOf(t.At.Clock) }
