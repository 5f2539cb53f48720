package actors

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// foreign counts the values of other programs that a reader of the journal or the catalog
// passed over. They are no gap: each replay passes over the same ones. One goroutine writes,
// any reads.
type foreign struct {
	records atomic.Int64

	said time.Time // owned by the writer; zero: never
}

// met notes a value, and tells of it; of many together one a minute.
func (f *foreign) met(log *slog.Logger, topic string, r *domain.Record) {
	n := f.records.Add(1)
	if now := time.Now(); now.Sub(f.said) >= retry.LogEvery {
		f.said = now
		log.Warn("a value of another program is passed over",
			"topic", topic, "partition", r.Origin.Partition, "offset", r.Offset, "so_far", n)
	}
}

// foreign keeps a value of another program as a dead letter. It changes nothing else, the
// clock neither.
func (s *shard) foreign(r *domain.Record) {
	s.slice.at = moment{r.Offset, s.state.Clock}
	s.env.shared.foreign.met(s.env.log, "journal", r)
	s.deadLetter(r, &r.Activity, domain.Foreign, "")
}
