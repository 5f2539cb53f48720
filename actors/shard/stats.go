package shard

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
)

// Status is what status and metrics tell of a shard.
type Status struct {
	Shard     int       `json:"shard"`
	Behaviour string    `json:"behaviour"`
	Stopped   string    `json:"stopped,omitempty"` // why it stopped
	Waiting   string    `json:"waiting,omitempty"` // what is retried
	Failures  int64     `json:"failures"`          // attempts at that, so far
	Clock     time.Time `json:"clock,omitzero"`    // the highest time of the broker's that was applied
	AheadMs   int64     `json:"clockAheadMs,omitempty"`
	Progress
	Counts
	Memory
	Panics  int64            `json:"panics"`
	Outbox  int64            `json:"outbox"`
	Letters int64            `json:"lettersWaiting"`
	Sends   []Sends          `json:"publishing"`
	Dead    map[string]int64 `json:"deadLetters,omitempty"`
	Aside   []int64          `json:"setAside,omitempty"` // offsets of records that were set aside, the latest
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
	Twice      int64 `json:"forwardsTwice"` // of the repeats those that another shard has sent
	Void       int64 `json:"void"`
	Forwarded  int64 `json:"forwarded"`
	Registered int64 `json:"registered"`
	Merged     int64 `json:"merged"`   // members into one of the shard
	Unmerged   int64 `json:"unmerged"` // merges taken back
	Withheld   int64 `json:"withheld"` // records of merged members that are too large to be shown as the survivor's
	Parked     int64 `json:"parked"`   // activities of members whose registration waits for another shard
	Commits    int64 `json:"commits"`
	Loads      int64 `json:"membersWoken"`
	Foreign    int64 `json:"foreign,omitempty"` // values of other programs, and records for other partitions, passed over
}

// Sends is whether this node publishes a kind of what the shard sends.
type Sends struct {
	Kind      string    `json:"kind"`
	Here      bool      `json:"here"`
	TakenOver time.Time `json:"takenOver,omitzero"` // since when, from a node of a lower rank that did not publish it
	TakeOvers int64     `json:"takeOvers"`          // in this process
}

// kindNames are what status and metrics call the kinds of what a shard sends.
var kindNames = [outbox.Kinds]string{
	outbox.Forwards: "forward", outbox.DeadLetters: "dead_letter", outbox.KeyDeletions: "key_deletion",
}

// Memory is what a shard keeps in memory.
type Memory struct {
	Members int64 `json:"awakeBytes"`  // memory of members that are loaded
	Columns int64 `json:"columnBytes"` // memory, as of a little ago
	Evicted int64 `json:"columnsEvicted"`
	Full    int64 `json:"placesFull"` // accounts whose visits have as many places as are kept
}

// Status is what status and metrics report, as of now.
func (s *Handle) Status(now, began time.Time) Status {
	st := Status{
		Shard: s.ID, Behaviour: Behaviour(s.Behaviour.Load()).String(), Panics: s.Panics.Load(),
		Progress: Progress{
			Applied: s.Applied.Load(), End: s.End.Load(),
			LagMs: s.Fresh.Lag(now, began).Milliseconds(), Rows: s.Stats.Rows.Load(),
		},
		Counts: Counts{
			Recorded: s.Stats.Records.Recorded.Load(), Duplicates: s.Stats.Records.Duplicates.Load(),
			Deleted: s.Stats.Deleted.Load(), Repeats: s.Stats.Repeats.Load(), Twice: s.Stats.Twice.Load(), Void: s.Stats.Void.Load(),
			Forwarded: s.Stats.Records.Forwarded.Load(), Registered: s.Stats.Members.Registered.Load(),
			Merged: s.Stats.Merges.Merged.Load(), Unmerged: s.Stats.Merges.Unmerged.Load(),
			Withheld: s.Stats.Merges.Withheld.Load(),
			Parked:   s.Stats.Members.Parked.Load(), Commits: s.Stats.Commits.Load(), Loads: s.Stats.Members.Loads.Load(),
		},
		Memory: Memory{
			Members: s.Stats.Members.Bytes.Load(), Evicted: s.Stats.Evicted.Load(), Columns: s.Stats.Columns.Load(),
			Full: s.Stats.PlacesFull.Load(),
		},
	}
	st.Foreign = s.Stats.Foreign.Count()
	st.Outbox = int64(s.Outbox.Waiting(outbox.Forwards))
	st.Letters = int64(s.Outbox.Waiting(outbox.DeadLetters))
	for k := range outbox.Kinds {
		st.Sends = append(st.Sends, Sends{kindNames[k], s.Duties.Publishes(k), s.Duties.Since(k), s.Duties.TakeOvers(k)})
	}
	if why := s.Stopped.Load(); why != nil {
		st.Stopped = *why
	}
	st.Clock, st.AheadMs = s.clock.at(now)
	tried := append([]*retry.State{&s.Space, &s.Reading, &s.Behind}, s.Outbox.Tried()...)
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
