package query

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Shard is the one door to what a shard knows. Its messages are values, so that a shard of
// another node can be behind it. An error of the domain is the question's; a shard that
// cannot answer is ErrUnavailable. Any goroutine may call.
type Shard interface {
	// Answer calls done once, on any goroutine, with the shard's part of an answer. A
	// question whose ctx ends is cancelled.
	Answer(ctx context.Context, m *Ask, done func(*Part))
	// Show is what a feed shows of items of members of the shard beside their rows, by done
	// as in Answer. Behind is set where Next is not applied.
	Show(ctx context.Context, m *Show, done func(*Shown))
	// Survivors are those of the members named that were merged into others, as far as the shard
	// knows: one of these may be merged itself. It waits for the handovers as long as ctx lasts.
	Survivors(ctx context.Context, m Named) (Survivors, error)
	// Member is a member of the account, nil where there is none, and the offset that is
	// applied.
	Member(account domain.AccountID, id domain.MemberID) (*domain.Member, int64, error)
	// Has reports that the account has, or had, the member; that costs a look at what is in memory.
	Has(account domain.AccountID, id domain.MemberID) bool
	// Erased reports that the member of the account is known to be erased.
	Erased(account domain.AccountID, id domain.MemberID) bool
	// Resolve is the members that names of the shard name, all of those that a pointer
	// names or the one of them created first, and the offset that is applied.
	Resolve(
		ctx context.Context, account domain.AccountID, names []domain.Name, earliest bool,
	) ([]domain.MemberID, int64, error)
	// Usage is the hits of those applications whose counts the shard has, by application and
	// hour, without hours of none, and the offset that is applied.
	Usage(ctx context.Context, q *domain.UsageQuestion) ([]domain.HourHits, int64, error)
	// Estimate is how many rows the reads would read, no fewer.
	Estimate(account domain.AccountID, reads []Read, p Precision) (uint64, error)
	// Version is that of the newest commit; 0 where the shard does not serve.
	Version() uint64
	// Unchanged reports that what an answer read of the shard, made after the version, is
	// the same now; the offset that is applied, or below zero where nothing was read of it.
	Unchanged(account domain.AccountID, since uint64, f *domain.ReadSet, moved []domain.Range) (next int64, ok bool)
}

// Logs is what the coordinator needs of the logs' readers.
type Logs interface {
	// Await returns once the position is applied, and what follows from it in other shards.
	Await(ctx context.Context, wait domain.Position) error
	// End is the offset after the last record of a shard's log.
	End(ctx context.Context, shard int) (int64, error)
	// Lag is how old an answer made now may be.
	Lag() time.Duration
	// Journal is the journal's topic.
	Journal() domain.TopicID
	// Catalog is the newest state of the catalog.
	Catalog() *catalog.View
}

// Precision is how exactly rows are estimated.
type Precision uint8

// From the cheapest on: all rows that the shard has, for each read; those in the range, but of what is
// on disk as many as may be; of what is on disk no more than there are in the months that the range touches.
const (
	AllRows Precision = iota
	InRange
	OfMonths
)

// Read is rows that a question reads: of a brand, by dense number, or of rows.EveryBrand, in
// a range.
type Read struct {
	Dense uint32
	Range domain.Range
}
