package limit

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Accounts is what accounts may do and have done. Any goroutine calls it, as often as it likes.
type Accounts interface {
	// Changed grows when the plan of an account may have changed.
	Changed(account domain.AccountID) int64
	// Plan is the account's limits: its own, or those of its highest plan.
	Plan(account domain.AccountID) domain.Limits
	// Hits are the stored requests of an account in the calendar month (UTC) of a moment.
	Hits(ctx context.Context, account domain.AccountID, month time.Time) (uint64, error)
}
