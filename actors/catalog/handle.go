package catalog

import (
	"fmt"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Handle is what others read of the catalog, on any goroutine.
type Handle struct {
	view    atomic.Pointer[View]
	Fresh   journal.Freshness
	End     atomic.Int64 // the log's, as last seen
	Stopped atomic.Pointer[string]
	newer   atomic.Bool                      // it stopped at what only a newer binary can read
	Gap     atomic.Pointer[domain.AcceptGap] // what would have to be accepted to let it go on
	Reads   atomic.Int64                     // pages read
	Reading retry.State
	Foreign journal.ForeignRecords
}

// NewHandle is one of a catalog that is not open yet.
func NewHandle() *Handle {
	return &Handle{Reading: retry.State{What: "the catalog cannot be read"}}
}

// View is the catalog as of the last commit.
func (h *Handle) View() *View { return h.view.Load() }

// Dense is a brand's number in its account; false: the catalog at hand does not have the brand.
func (h *Handle) Dense(id domain.BrandID) (dense uint32, known bool) {
	b := h.View().BrandByID(id)
	if b == nil {
		return 0, false
	}
	return b.Dense, true
}

// BrandIDs are the ids of the account's brands by dense number from 1 on, deleted ones too.
func (h *Handle) BrandIDs(account domain.AccountID) []domain.BrandID {
	return h.View().BrandIDs(account)
}

// Err is why the catalog is not read on, an ErrStopped; nil: it is. It is a domain.ErrNewer, too, where only a
// newer binary can read on.
func (h *Handle) Err() error {
	why := h.Stopped.Load()
	switch {
	case why == nil:
		return nil
	case h.newer.Load():
		return newerError{*why}
	}
	return fmt.Errorf("%w: %s", ErrStopped, *why)
}

// newerError is an ErrStopped and a domain.ErrNewer.
type newerError struct{ why string }

func (e newerError) Error() string { return ErrStopped.Error() + ": " + e.why }

func (e newerError) Unwrap() []error { return []error{ErrStopped, domain.ErrNewer} }
