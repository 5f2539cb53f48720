package core

import (
	"encoding/hex"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
	"github.com/ovation-analytics/ovation/actors/shard/merge"
)

// Stats counts what a machine did in this process. One goroutine writes, any reads.
type Stats struct {
	accounts.Stats
	Members MemberStats
	Merges  merge.Stats
	Records activity.Stats
	Foreign journal.ForeignRecords

	Repeats atomic.Int64 // records dropped by their origin
	Twice   atomic.Int64 // of them those that another shard has sent
	Void    atomic.Int64 // commands that came into the journal after their time
	Deleted atomic.Int64 // actions
	Commits atomic.Int64
	Rows    atomic.Int64 // living rows
	Facts   atomic.Pointer[string]
	Rules   atomic.Uint32 // that records are applied by; 0: the store was not read yet
	Dead    [domain.Reasons]atomic.Int64
}

// MemberStats counts members.
type MemberStats struct {
	Registered atomic.Int64
	Loads      atomic.Int64 // members read from the store
	Evicted    atomic.Int64
	Bytes      atomic.Int64 // bytes that members take, as of the last commit
	Parked     atomic.Int64 // activities, as of the last commit
}

// committed notes what the state says after a commit.
func (s *Stats) committed(state domain.ShardState) {
	s.Rows.Store(int64(state.Rows))
	facts := hex.EncodeToString(state.Facts[:])
	s.Facts.Store(&facts)
	s.Rules.Store(uint32(state.Rules))
	for i, n := range state.Dead {
		s.Dead[i].Store(int64(n))
	}
}
