package journal

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// ForeignRecords counts what a reader of a partition of the journal, or of the catalog, skipped: values of
// other programs, and records that are for another partition. They are no gap: each replay skips the same
// ones. One goroutine calls Skipped, any Count.
type ForeignRecords struct {
	count  atomic.Int64
	logged time.Time // owned by the writer; zero: never
}

// Skipped counts a record and logs it; of many together one a minute.
func (f *ForeignRecords) Skipped(log *slog.Logger, topic string, partition int, r *domain.Record) {
	n := f.count.Add(1)
	if now := time.Now(); now.Sub(f.logged) >= retry.LogEvery {
		f.logged = now
		what := "a value of another program is passed over"
		if r.Kind != domain.KindForeign {
			what = "a record for another partition is passed over"
		}
		log.Warn(what, "topic", topic, "partition", partition, "offset", r.Offset, "so_far", n)
	}
}

// Count is how many were skipped in this process.
func (f *ForeignRecords) Count() int64 { return f.count.Load() }
