package api

import (
	"context"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// reading is the engine as a call uses it whose answer is to be remembered: it notes all
// that is read. It has every method of an Engine written out, none by embedding, so that a
// way to read that is added to the engine cannot go unnoticed.
type reading struct {
	engine  Engine
	catalog int64           // Changed of the account, before anything was read
	mark    domain.Versions // before anything was read

	mu   sync.Mutex // a call may read on several goroutines
	of   domain.ReadSet
	lost bool // something was read of which it is not known what changes it
}

// note adds to what was read.
func (r *reading) note(f *domain.ReadSet, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of.Add(f)
	r.lost = r.lost || !known
}

// made is the footprint of what was read; false where it is not known.
func (r *reading) made() (domain.ReadSet, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of, !r.lost
}

// Ask notes the footprint of the question.
func (r *reading) Ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error) {
	f, known := domain.ReadSetOf(q)
	r.note(&f, known)
	return r.engine.Ask(ctx, q, wait)
}

// Member notes the member.
func (r *reading) Member(ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position) (*domain.Member, domain.Position, error) {
	r.note(&domain.ReadSet{Members: []domain.MemberID{id}}, true)
	return r.engine.Member(ctx, account, id, wait)
}

// Resolve notes the name.
func (r *reading) Resolve(ctx context.Context, account domain.AccountID, kind domain.IdentityKind, hash domain.IdentityHash, wait domain.Position) (domain.MemberID, domain.Position, error) {
	r.note(&domain.ReadSet{Names: []domain.IdentityHash{hash}}, true)
	return r.engine.Resolve(ctx, account, kind, hash, wait)
}

// ResolveAll notes the names.
func (r *reading) ResolveAll(ctx context.Context, account domain.AccountID, names []domain.Name, wait domain.Position) ([]domain.MemberID, domain.Position, error) {
	var f domain.ReadSet
	for _, n := range names {
		f.Names = append(f.Names, n.Hash)
	}
	r.note(&f, true)
	return r.engine.ResolveAll(ctx, account, names, wait)
}

// Show notes the members. What an action says does not change while the action is there.
func (r *reading) Show(ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position) ([]domain.Shown, error) {
	var f domain.ReadSet
	for i := range items {
		f.Members = append(f.Members, items[i].Member)
	}
	r.note(&f, true)
	return r.engine.Show(ctx, account, items, wait)
}

// Submit writes: what is answered after it is not remembered.
func (r *reading) Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error) {
	r.note(&domain.ReadSet{}, false)
	return r.engine.Submit(ctx, s)
}

// SubmitAll writes, too.
func (r *reading) SubmitAll(ctx context.Context, all []domain.Submission) []domain.Result {
	r.note(&domain.ReadSet{}, false)
	return r.engine.SubmitAll(ctx, all)
}

// Catalog is the newest; that it is the one of the mark is told by its Changed.
func (r *reading) Catalog() Catalog { return r.engine.Catalog() }

// Await reads nothing.
func (r *reading) Await(ctx context.Context, wait domain.Position) error {
	return r.engine.Await(ctx, wait)
}

// Ends reads nothing.
func (r *reading) Ends(ctx context.Context) (domain.Position, error) { return r.engine.Ends(ctx) }

// Versions are the engine's.
func (r *reading) Versions() domain.Versions { return r.engine.Versions() }

// Unchanged is the engine's.
func (r *reading) Unchanged(account domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) (domain.Position, bool) {
	return r.engine.Unchanged(account, since, f, moved)
}

// Lag is in a header alone.
func (r *reading) Lag() time.Duration { return r.engine.Lag() }

// Hit counts a request.
func (r *reading) Hit(account domain.AccountID, application domain.ApplicationID, at time.Time) {
	r.engine.Hit(account, application, at)
}
