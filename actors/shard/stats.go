package shard

import (
	"encoding/hex"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// Stats counts what a shard did in this process. One goroutine writes, any
// reads.
type Stats struct {
	accounts.Stats
	memberStats

	applied    atomic.Int64 // records
	commits    atomic.Int64
	recorded   atomic.Int64 // activities that became rows
	duplicates atomic.Int64 // activities that were there already
	deleted    atomic.Int64 // actions
	Repeats    atomic.Int64 // records dropped by their origin
	Forwarded  atomic.Int64
	registered atomic.Int64
	Panics     atomic.Int64
	Rows       atomic.Int64 // living rows
	Facts      atomic.Pointer[string]
	Dead       [domain.Reasons]atomic.Int64
}

// memberStats counts members that were awake.
type memberStats struct {
	woken  atomic.Int64 // members read from the store
	Slept  atomic.Int64
	awake  atomic.Int64 // bytes that members take, as of the last commit
	parked atomic.Int64 // activities, as of the last commit
}

// committed notes what the state says after a commit.
func (s *Stats) committed(records int, state domain.ShardState) {
	s.applied.Add(int64(records))
	s.commits.Add(1)
	s.Rows.Store(int64(state.Rows))
	facts := hex.EncodeToString(state.Facts[:])
	s.Facts.Store(&facts)
	for i, n := range state.Dead {
		s.Dead[i].Store(int64(n))
	}
}

// meter measures how many records were applied in the last 200 ms.
type meter struct {
	from time.Time
	n    int
}

const meterSpan = 200 * time.Millisecond

func (m *meter) note(now time.Time, records int, rate *atomic.Int64) {
	m.n += records
	if d := now.Sub(m.from); d >= meterSpan {
		rate.Store(int64(float64(m.n) * float64(meterSpan) / float64(d)))
		m.from, m.n = now, 0
	}
}

// Status is what status and metrics tell of a shard.
type Status struct {
	Shard     int       `json:"shard"`
	Behaviour string    `json:"behaviour"`
	Stopped   string    `json:"stopped,omitempty"` // why it stopped
	Waiting   string    `json:"waiting,omitempty"` // what it tries again until it goes
	Failures  int64     `json:"failures"`          // attempts at that, so far
	Clock     time.Time `json:"clock,omitzero"`    // the highest time of the broker's that was applied
	AheadMs   int64     `json:"clockAheadMs,omitempty"`
	Progress
	Counts
	Memory
	Panics  int64            `json:"panics"`
	Outbox  int64            `json:"outbox"`
	Letters int64            `json:"lettersWaiting"`
	Foreign int64            `json:"foreign,omitempty"` // values of other programs passed over
	Dead    map[string]int64 `json:"deadLetters,omitempty"`
}

// Progress is how far a shard has applied its journal.
type Progress struct {
	Applied int64  `json:"applied"`
	End     int64  `json:"end"`
	LagMs   int64  `json:"lagMs"`
	Rows    int64  `json:"rows"`
	Facts   string `json:"facts"` // state hash as of the last commit
}

// Counts is what a shard did in this process.
type Counts struct {
	Recorded   int64 `json:"recorded"`
	Duplicates int64 `json:"duplicates"`
	Deleted    int64 `json:"deleted"`
	Repeats    int64 `json:"repeats"`
	Forwarded  int64 `json:"forwarded"`
	Registered int64 `json:"registered"`
	Parked     int64 `json:"parked"` // activities of members whose registration waits for another shard
	Commits    int64 `json:"commits"`
	Woken      int64 `json:"membersWoken"`
}

// Memory is what a shard keeps in memory.
type Memory struct {
	Awake   int64 `json:"awakeBytes"`  // memory of members that are awake
	Columns int64 `json:"columnBytes"` // memory, as of a little ago
	Evicted int64 `json:"columnsEvicted"`
}

// Status is what status and metrics report, as of now.
func (s *Handle) Status(now, began time.Time) Status {
	st := Status{
		Shard: s.ID, Behaviour: Behaviour(s.Behaviour.Load()).String(), Panics: s.Stats.Panics.Load(),
		Progress: Progress{
			Applied: s.Applied.Load(), End: s.End.Load(),
			LagMs: s.Fresh.Lag(now, began).Milliseconds(), Rows: s.Stats.Rows.Load(),
		},
		Counts: Counts{
			Recorded: s.Stats.recorded.Load(), Duplicates: s.Stats.duplicates.Load(), Deleted: s.Stats.deleted.Load(),
			Repeats: s.Stats.Repeats.Load(), Forwarded: s.Stats.Forwarded.Load(), Registered: s.Stats.registered.Load(),
			Parked: s.Stats.parked.Load(), Commits: s.Stats.commits.Load(), Woken: s.Stats.woken.Load(),
		},
		Memory: Memory{Awake: s.Stats.awake.Load(), Evicted: s.Stats.Evicted.Load(), Columns: s.Stats.Columns.Load()},
	}
	st.Foreign = s.foreign.Count()
	st.Outbox = int64(s.Outbox.Waiting(outbox.Forwards))
	st.Letters = int64(s.Outbox.Waiting(outbox.DeadLetters))
	if why := s.Stopped.Load(); why != nil {
		st.Stopped = *why
	}
	st.Clock, st.AheadMs = s.clock.at(now)
	tried := []*retry.State{&s.Space, &s.Reading, &s.Outbox.Publishing[outbox.Forwards], &s.Outbox.Publishing[outbox.DeadLetters]}
	st.Waiting = retry.Causes(tried...)
	st.Failures = retry.Failures(tried...)
	if facts := s.Stats.Facts.Load(); facts != nil {
		st.Facts = *facts
	}
	for i := range s.Stats.Dead {
		if n := s.Stats.Dead[i].Load(); n > 0 {
			if st.Dead == nil {
				st.Dead = map[string]int64{}
			}
			st.Dead[domain.Reason(i).String()] = n
		}
	}
	return st
}
