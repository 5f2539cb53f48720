package limit

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Accounts is what accounts may do and have done. Any goroutine calls it, as often as it likes.
type Accounts interface {
	// Plan is the account's limits now: its own, or those of its highest plan.
	Plan(account domain.AccountID) domain.Limits
	// Hits are the stored requests of an account in the calendar month (UTC) of a moment.
	Hits(ctx context.Context, account domain.AccountID, month time.Time) (uint64, error)
}
