package view

import "github.com/ovation-analytics/ovation/actors/domain"

// Lists are the lists of segments that a shard keeps the memberships of. They are not changed.
type Lists map[domain.SegmentID]List

// List is a followed list as of a commit.
type List struct {
	Version uint64 // of its rule
	First   uint64 // the sequence after which memberships can be read
	Last    uint64 // that of the last membership, or First where there is none
}
