package poll

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/port"
)

// Recorder is the engine of a request whose answer is to be cached: it records the read set
// of all that is read. It has every method of an Engine written out, none by embedding, so
// that the compiler refuses a method of the engine that is not recorded.
type Recorder struct {
	engine port.Engine
	since  domain.Versions // before anything was read

	mu      sync.Mutex // a request may read on several goroutines
	read    domain.ReadSet
	unknown bool // something was read of which it is not known what changes it
}

// record adds to what was read.
func (r *Recorder) record(f *domain.ReadSet, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read.Add(f)
	r.unknown = r.unknown || !known
}

// readSet is what was read; false where it is not known.
func (r *Recorder) readSet() (domain.ReadSet, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read, !r.unknown
}

// Ask records the read set of the question.
func (r *Recorder) Ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error) {
	f, known := domain.ReadSetOf(q)
	a, err := r.engine.Ask(ctx, q, wait)
	if err == nil {
		f.Follow(a.Merged)
	}
	r.record(&f, known)
	return a, err
}

// Member records the member.
func (r *Recorder) Member(ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position) (*domain.Member, domain.Position, error) {
	r.record(&domain.ReadSet{Members: []domain.MemberID{id}}, true)
	return r.engine.Member(ctx, account, id, wait)
}

// MemberRecord records the member.
func (r *Recorder) MemberRecord(ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position) (*domain.Member, domain.Position, error) {
	r.record(&domain.ReadSet{Members: []domain.MemberID{id}}, true)
	return r.engine.MemberRecord(ctx, account, id, wait)
}

// Addressed is of a write: nothing is recorded.
func (r *Recorder) Addressed(ctx context.Context, account domain.AccountID, to []domain.Addressee, wait domain.Position) ([]domain.MemberID, error) {
	return r.engine.Addressed(ctx, account, to, wait)
}

// Resolve records the name.
func (r *Recorder) Resolve(ctx context.Context, account domain.AccountID, kind domain.IdentityKind, hash domain.IdentityHash, wait domain.Position) (domain.MemberID, domain.Position, error) {
	r.record(&domain.ReadSet{Names: []domain.IdentityHash{hash}}, true)
	return r.engine.Resolve(ctx, account, kind, hash, wait)
}

// ResolveAll records the names.
func (r *Recorder) ResolveAll(ctx context.Context, account domain.AccountID, names []domain.Name, wait domain.Position) ([]domain.MemberID, domain.Position, error) {
	var f domain.ReadSet
	for _, n := range names {
		f.Names = append(f.Names, n.Hash)
	}
	r.record(&f, true)
	return r.engine.ResolveAll(ctx, account, names, wait)
}

// Survivors records the members of the list, and those that it stands for.
func (r *Recorder) Survivors(ctx context.Context, account domain.AccountID, ids []domain.MemberID, wait domain.Position) ([]domain.MemberID, domain.Position, error) {
	out, at, err := r.engine.Survivors(ctx, account, ids, wait)
	r.record(&domain.ReadSet{Members: slices.Concat(ids, out)}, true)
	return out, at, err
}

// Show records the members. The contents of an action do not change while the action is there.
func (r *Recorder) Show(ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position) ([]domain.Shown, error) {
	var f domain.ReadSet
	for i := range items {
		f.Members = append(f.Members, items[i].Member)
	}
	r.record(&f, true)
	return r.engine.Show(ctx, account, items, wait)
}

// Usage changes by the poll itself: an answer made of it is not cached.
func (r *Recorder) Usage(ctx context.Context, q *domain.UsageQuestion, wait domain.Position) ([]domain.HourHits, domain.Position, error) {
	r.record(&domain.ReadSet{}, false)
	return r.engine.Usage(ctx, q, wait)
}

// Submit writes: an answer after it is not cached.
func (r *Recorder) Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error) {
	r.record(&domain.ReadSet{}, false)
	return r.engine.Submit(ctx, s)
}

// SubmitAll writes, too.
func (r *Recorder) SubmitAll(ctx context.Context, all []domain.Submission) []domain.Result {
	r.record(&domain.ReadSet{}, false)
	return r.engine.SubmitAll(ctx, all)
}

// Catalog is the newest; Changed shows whether it is that of the versions.
func (r *Recorder) Catalog() port.Catalog { return r.engine.Catalog() }

// ReadCatalog reads nothing: see Catalog.
func (r *Recorder) ReadCatalog(ctx context.Context) error { return r.engine.ReadCatalog(ctx) }

// ReadMembers reads nothing that an answer shows.
func (r *Recorder) ReadMembers(ctx context.Context, slot domain.Slot) error {
	return r.engine.ReadMembers(ctx, slot)
}

// Await reads nothing.
func (r *Recorder) Await(ctx context.Context, wait domain.Position) error {
	return r.engine.Await(ctx, wait)
}

// AcceptedPosition reads nothing.
func (r *Recorder) AcceptedPosition(ctx context.Context) (domain.Position, error) {
	return r.engine.AcceptedPosition(ctx)
}

// Versions are the engine's.
func (r *Recorder) Versions() domain.Versions { return r.engine.Versions() }

// Unchanged is the engine's.
func (r *Recorder) Unchanged(account domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) (domain.Position, bool) {
	return r.engine.Unchanged(account, since, f, moved)
}

// AwaitRows reads nothing.
func (r *Recorder) AwaitRows(ctx context.Context, q *domain.Question, since domain.Versions) error {
	return r.engine.AwaitRows(ctx, q, since)
}

// KeysHold is the engine's.
func (r *Recorder) KeysHold() error { return r.engine.KeysHold() }

// Lag is in a header alone.
func (r *Recorder) Lag() time.Duration { return r.engine.Lag() }

// Hit counts a request.
func (r *Recorder) Hit(account domain.AccountID, application domain.ApplicationID, at time.Time, paid bool) {
	r.engine.Hit(account, application, at, paid)
}

// Erased is asked for by writes.
func (r *Recorder) Erased(account domain.AccountID, id domain.MemberID) bool {
	r.record(&domain.ReadSet{}, false)
	return r.engine.Erased(account, id)
}

// OnRemoteTokens is no part of an answer.
func (r *Recorder) OnRemoteTokens(f func(account domain.AccountID, tokens uint64)) {
	r.engine.OnRemoteTokens(f)
}
