package store

import (
	"math"

	"github.com/ovation-analytics/ovation/storage/format"
)

// Stats is what a store counts.
type Stats struct {
	Commits        uint64 // since it was opened
	Rows           uint64 // added since it was opened
	Buckets        uint64 // values of R that snapshots' readers read since it was opened
	Snapshots      int64  // open
	Filters        int    // bytes of the shards' filters
	ContentFilters int    // bytes of what searches know of contents
	Tail           int    // rows in the shards' tails
	MemTables      uint64 // bytes
	Cache          int64  // bytes of blocks
	DiskStats
}

// DiskStats is what a store has on the disk.
type DiskStats struct {
	Disk     uint64          // bytes of all files
	WAL      uint64          // bytes of the log not yet flushed
	Written  uint64          // bytes put into the log since the store was opened
	Debt     uint64          // bytes that compaction has yet to read
	Free     uint64          // bytes of the disk, as of a moment ago
	Pinned   uint64          // bytes that compaction kept for the sake of snapshots, so far
	Corrupt  []string        // files that were found so
	Families map[byte]uint64 // bytes on the disk, by the first byte of the key
}

// Stats counts now. Any goroutine may call it; Filters and Tail are as of each
// shard's last commit.
func (s *Store) Stats() (Stats, error) {
	if err := s.usable(); err != nil {
		return Stats{}, err
	}
	m := s.db.Metrics()
	free, err := s.space.Free()
	if err != nil {
		free = math.MaxUint64
	}
	st := Stats{
		Commits: s.commits.Load(), Rows: s.rows.Load(), Buckets: s.buckets.Load(), Snapshots: s.snapshot.Load(),
		ContentFilters: s.filters.Size(), MemTables: m.MemTable.Size, Cache: m.BlockCache.Size,
		DiskStats: DiskStats{
			Disk: m.DiskSpaceUsage(), WAL: m.WAL.Size, Written: m.WAL.BytesIn, Debt: m.Compact.EstimatedDebt, Free: free,
			Pinned: m.Snapshots.PinnedSize, Corrupt: s.db.CorruptFiles(), Families: map[byte]uint64{},
		},
	}
	s.mu.Lock()
	for _, sh := range s.open {
		if sh == nil {
			continue
		}
		st.Filters += int(sh.filterBytes.Load())
		st.Tail += int(sh.tailRows.Load())
	}
	s.mu.Unlock()
	for i := range len(format.Families) {
		n, err := s.db.EstimateDiskUsage([]byte{format.Families[i]}, []byte{format.Families[i] + 1})
		if err != nil {
			return Stats{}, err
		}
		st.Families[format.Families[i]] = n
	}
	return st, nil
}
