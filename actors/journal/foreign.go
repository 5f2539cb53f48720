package journal

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// ForeignRecords counts the values of other programs that a reader of the journal or the
// catalog skipped. They are no gap: each replay skips the same ones. One goroutine calls
// Skipped, any Count.
type ForeignRecords struct {
	count  atomic.Int64
	logged time.Time // owned by the writer; zero: never
}

// Skipped counts a value and logs it; of many together one a minute.
func (f *ForeignRecords) Skipped(log *slog.Logger, topic string, r *domain.Record) {
	n := f.count.Add(1)
	if now := time.Now(); now.Sub(f.logged) >= retry.LogEvery {
		f.logged = now
		log.Warn("a value of another program is passed over",
			"topic", topic, "partition", r.Origin.Partition, "offset", r.Offset, "so_far", n)
	}
}

// Count is how many were skipped in this process.
func (f *ForeignRecords) Count() int64 { return f.count.Load() }
