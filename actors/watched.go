package actors

import (
	"errors"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// unreadable says that a question met what the store cannot read, such as a block whose
// checksum is wrong: the shard stops as if it had met it itself.
type unreadable struct{ err error }

// watched is a snapshot whose reader hears ErrUnavailable where the store cannot be
// read, and whose shard hears why.
type watched struct {
	Snapshot
	tell func(any)
}

// said gives back the reader's own errors, and takes the store's to the shard.
func (w watched) said(err error) error {
	var public *domain.Error
	if err == nil || errors.Is(err, brand.ErrEnded) || errors.As(err, &public) {
		return err
	}
	w.tell(&unreadable{err})
	return domain.ErrUnavailable
}

// Rows and the others are as of the Snapshot, but for what is said of an error.
func (w watched) Rows(account domain.AccountID, b domain.BrandID, r domain.Range, f func([]domain.Row) error) error {
	return w.said(w.Snapshot.Rows(account, b, r, f))
}

func (w watched) Reader(account domain.AccountID, r domain.Range) (rows func(domain.BrandID, func([]domain.Row) error) error, end func() error) {
	read, over := w.Snapshot.Reader(account, r)
	rows = func(b domain.BrandID, f func([]domain.Row) error) error { return w.said(read(b, f)) }
	return rows, func() error { return w.said(over()) }
}

func (w watched) Count(account domain.AccountID, b domain.BrandID, r domain.Range) (uint64, error) {
	n, err := w.Snapshot.Count(account, b, r)
	return n, w.said(err)
}

func (w watched) MemberRows(account domain.AccountID, ord domain.Ordinal, r domain.Range, f func([]domain.Row)) error {
	return w.said(w.Snapshot.MemberRows(account, ord, r, f))
}

func (w watched) Contents(rows []domain.Row) ([]*domain.Content, error) {
	c, err := w.Snapshot.Contents(rows)
	return c, w.said(err)
}

func (w watched) Says(rows []domain.Row, f func(int, int64, []byte)) error {
	return w.said(w.Snapshot.Says(rows, f))
}

func (w watched) Search(account domain.AccountID, b domain.BrandID, r domain.Range, sought *domain.Sought) error {
	return w.said(w.Snapshot.Search(account, b, r, sought))
}

func (w watched) Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error) {
	m, err := w.Snapshot.Member(account, ord)
	return m, w.said(err)
}

func (w watched) Identity(account domain.AccountID, hash domain.IdentityHash) (domain.Identity, bool, error) {
	i, ok, err := w.Snapshot.Identity(account, hash)
	return i, ok, w.said(err)
}

func (w watched) Earliest(account domain.AccountID, hash domain.IdentityHash) (domain.MemberID, error) {
	id, err := w.Snapshot.Earliest(account, hash)
	return id, w.said(err)
}

func (w watched) Pointed(account domain.AccountID, hash domain.IdentityHash, f func(domain.MemberID)) error {
	return w.said(w.Snapshot.Pointed(account, hash, f))
}
