package activity

import (
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Identities finds the member that an activity's address means.
type Identities interface {
	// Resolve is the member; 0: none has the identity.
	Resolve(account domain.AccountID, a *domain.Activity) (domain.MemberID, error)
}

// Store has what is parked, as of the last commit.
type Store interface {
	// ParkedOf calls f with the parked activities of a member, in the order of their numbers. An error of f ends the
	// reading and is given back.
	ParkedOf(account domain.AccountID, ord domain.Ordinal, f func(*domain.Parked) error) error
}

// Stats counts activities. One goroutine writes, any reads.
type Stats struct {
	Recorded   atomic.Int64 // that became rows
	Duplicates atomic.Int64 // that were there already
	Forwarded  atomic.Int64
}

// Config is what Activities are applied with.
type Config struct {
	Identities Identities
	Store      Store
	Stats      *Stats
	Yield      *yield.Questions // of the node
}

// Activities applies activities in micro-batches.
type Activities struct {
	Config
	batch *Batch // of the records being applied; nil: none
}

// New is without activities.
func New(c Config) *Activities { return &Activities{Config: c} }

// Batch is the activities of a micro-batch, by member. Its memory is used again.
type Batch struct {
	groups *members.Batch
	asked  map[domain.RequestID]struct{} // of activities in groups: what becomes of them is not known yet
}

// NewBatch is an empty one.
func NewBatch() *Batch {
	return &Batch{groups: members.NewBatch(), asked: map[domain.RequestID]struct{}{}}
}

// Begin begins a micro-batch, in a batch that is empty; nil ends it.
func (a *Activities) Begin(b *Batch) { a.batch = b }

// Repeated answers a request that came before. One in the same micro-batch is applied first.
func (a *Activities) Repeated(t *tx.Tx, r *domain.Record) (bool, error) {
	asked := r.AskedBy()
	if asked.IsZero() {
		return false, nil
	}
	if _, under := a.batch.asked[asked]; under {
		if err := a.Flush(t); err != nil {
			return false, err
		}
	}
	q, err := t.Replayed(r)
	return q != nil, err
}

// Judge gives the place of the member that did an activity; false: it was answered, refused or forwarded.
func (a *Activities) Judge(t *tx.Tx, r *domain.Record) (at member.Place, here bool, err error) {
	if known, err := a.Repeated(t, r); known || err != nil {
		return at, false, err
	}
	of := &r.Activity
	if of.Refusal != domain.Accepted {
		Refuse(t, r, of.Refusal, of.Detail)
		return at, false, nil
	}
	id, err := a.Identities.Resolve(r.Account, of)
	if err != nil {
		return at, false, err
	}
	if r.Kind == domain.KindActivity {
		if reason := member.Judge(of, r.Time, t.State.Shard.Expired); reason != domain.Accepted {
			Refuse(t, r, reason, "")
			return at, false, nil
		}
	}
	if id != 0 && !t.State.Roster.Owns(id.Slot()) {
		a.forward(t, r, id)
		return at, false, nil
	}
	at, here = t.State.Roster.Find(id)
	if !here || at.Account != r.Account {
		Refuse(t, r, domain.UnknownMember, "")
		return at, false, nil
	}
	return at, true, nil
}

// forward sends the activity to the shard of its member.
func (a *Activities) forward(t *tx.Tx, r *domain.Record, id domain.MemberID) {
	t.Keep()
	a.Stats.Forwarded.Add(1)
	of := r.Activity
	if of.Cause.IsZero() {
		of.Cause = r.Origin
	}
	of.Member, of.Identity, of.Asked = id, domain.IdentityHash{}, r.AskedBy()
	t.Forward(id, &domain.Record{
		Kind: domain.KindForward, Account: r.Account, Application: r.Application, BodyHash: r.BodyHash, Nonce: r.Nonce,
		Activity: of,
	})
	t.Redirect(r, id.Slot().Shard(t.State.Shards), id)
}
