package view

import (
	"errors"

	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Guarded is a snapshot whose reader gets ErrUnavailable where the store cannot be read, such
// as a block whose checksum is wrong. Failed gets the store's error, on the reader's
// goroutine.
type Guarded struct {
	Snapshot
	Failed func(error)
}

// checked returns the reader's own errors, and reports the store's.
func (w Guarded) checked(err error) error {
	var public *domain.Error
	if err == nil || errors.Is(err, scan.ErrCancelled) || errors.As(err, &public) {
		return err
	}
	w.Failed(err)
	return domain.ErrUnavailable
}

// Rows is as of the Snapshot, but for errors.
func (w Guarded) Rows(account domain.AccountID, b domain.BrandID, r domain.Range, f func([]domain.Row) error) error {
	return w.checked(w.Snapshot.Rows(account, b, r, f))
}

// Reader is as of the Snapshot, but for errors.
func (w Guarded) Reader(
	account domain.AccountID,
) (rows func(domain.BrandID, domain.Range, func([]domain.Row) error) error, end func() error) {
	read, noReader := w.Snapshot.Reader(account)
	rows = func(b domain.BrandID, r domain.Range, f func([]domain.Row) error) error {
		return w.checked(read(b, r, f))
	}
	return rows, func() error { return w.checked(noReader()) }
}

// Count is as of the Snapshot, but for errors.
func (w Guarded) Count(account domain.AccountID, b domain.BrandID, r domain.Range) (uint64, error) {
	n, err := w.Snapshot.Count(account, b, r)
	return n, w.checked(err)
}

// MemberRows is as of the Snapshot, but for errors.
func (w Guarded) MemberRows(account domain.AccountID, ord domain.Ordinal, r domain.Range, f func([]domain.Row)) error {
	return w.checked(w.Snapshot.MemberRows(account, ord, r, f))
}

// Contents is as of the Snapshot, but for errors.
func (w Guarded) Contents(rows []domain.Row) ([]*domain.Content, error) {
	c, err := w.Snapshot.Contents(rows)
	return c, w.checked(err)
}

// RawContents is as of the Snapshot, but for errors.
func (w Guarded) RawContents(rows []domain.Row, f func(int, int64, []byte)) error {
	return w.checked(w.Snapshot.RawContents(rows, f))
}

// Search is as of the Snapshot, but for errors.
func (w Guarded) Search(
	account domain.AccountID, b domain.BrandID, r domain.Range, sought *domain.ContentSearch,
) error {
	return w.checked(w.Snapshot.Search(account, b, r, sought))
}

// Member is as of the Snapshot, but for errors.
func (w Guarded) Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error) {
	m, err := w.Snapshot.Member(account, ord)
	return m, w.checked(err)
}

// Members is as of the Snapshot, but for errors.
func (w Guarded) Members(account domain.AccountID, ords []domain.Ordinal, f func(*domain.Member)) error {
	return w.checked(w.Snapshot.Members(account, ords, f))
}

// Identity is as of the Snapshot, but for errors.
func (w Guarded) Identity(account domain.AccountID, hash domain.IdentityHash) (domain.Identity, bool, error) {
	i, ok, err := w.Snapshot.Identity(account, hash)
	return i, ok, w.checked(err)
}

// Earliest is as of the Snapshot, but for errors.
func (w Guarded) Earliest(account domain.AccountID, hash domain.IdentityHash) (domain.MemberID, error) {
	id, err := w.Snapshot.Earliest(account, hash)
	return id, w.checked(err)
}

// Pointed is as of the Snapshot, but for errors.
func (w Guarded) Pointed(account domain.AccountID, hash domain.IdentityHash, f func(domain.MemberID)) error {
	return w.checked(w.Snapshot.Pointed(account, hash, f))
}

// Hits is as of the Snapshot, but for errors.
func (w Guarded) Hits(
	account domain.AccountID, application domain.ApplicationID, from, to uint32, f func(domain.Usage),
) error {
	return w.checked(w.Snapshot.Hits(account, application, from, to, f))
}

// Outbox is as of the Snapshot, but for errors.
func (w Guarded) Outbox(kind domain.OutboxKind, after uint64, f func(*domain.Outgoing) bool) error {
	return w.checked(w.Snapshot.Outbox(kind, after, f))
}

// Notices is as of the Snapshot, but for errors.
func (w Guarded) Notices(account domain.AccountID, above uint64, f func(*domain.Notice) bool) error {
	return w.checked(w.Snapshot.Notices(account, above, f))
}

// NoticesFrom is as of the Snapshot, but for errors.
func (w Guarded) NoticesFrom(account domain.AccountID, ms int64) (uint64, bool, error) {
	sequence, ok, err := w.Snapshot.NoticesFrom(account, ms)
	return sequence, ok, w.checked(err)
}

// Memberships is as of the Snapshot, but for errors.
func (w Guarded) Memberships(
	account domain.AccountID, segment domain.SegmentID, above uint64, f func(*domain.Membership) bool,
) error {
	return w.checked(w.Snapshot.Memberships(account, segment, above, f))
}

// MembershipsUntil is as of the Snapshot, but for errors.
func (w Guarded) MembershipsUntil(account domain.AccountID, segment domain.SegmentID, ms int64) (uint64, error) {
	sequence, err := w.Snapshot.MembershipsUntil(account, segment, ms)
	return sequence, w.checked(err)
}

// Progress is as of the Snapshot, but for errors.
func (w Guarded) Progress(id domain.WebhookID) (domain.Progress, []domain.Undelivered, error) {
	p, pending, err := w.Snapshot.Progress(id)
	return p, pending, w.checked(err)
}

// Ended is as of the Snapshot, but for errors.
func (w Guarded) Ended(id domain.WebhookID, f func(*domain.Delivery)) error {
	return w.checked(w.Snapshot.Ended(id, f))
}
