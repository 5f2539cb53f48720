package router

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Nodes is this node among those of its installation.
type Nodes interface {
	Self() domain.NodeID
	// Alone reports that no other node is listed.
	Alone() bool
	// Rank is the place of this node among those that can route a partition: 0 has the duty.
	Rank(partition int) int
	// RankOf is that of any node.
	RankOf(id domain.NodeID, partition int) int
	// Beats reports that a node is listed and was not silent for long, also one that said that it ends.
	Beats(id domain.NodeID) bool
}

// Source is the public topic. Next offsets are kept as group offsets of the routers,
// with topic id, epoch and the node that routes in their metadata.
type Source interface {
	// Topic is the topic's id as Committed last found it.
	Topic() domain.TopicID
	// Partitions asks the broker for the number of partitions; of a topic of another id it
	// is a *domain.GapError, beside the number that this one has.
	Partitions(ctx context.Context) (int, error)
	// Committed is where the router left a partition: the offset and epoch kept for
	// this journal, ok false when there is none. What is kept for a topic of another id is
	// a *domain.GapError. The partition's next Reader reads the topic that is there now.
	Committed(ctx context.Context, partition int) (next int64, epoch int32, ok bool, err error)
	// Commit keeps where to read on, of which topic, and who says so.
	Commit(ctx context.Context, partition int, at domain.Routed) error
	// Kept is what is kept of partitions now, one for each in that order, whatever topic it is of.
	Kept(ctx context.Context, partitions []int) ([]domain.Routed, error)
	// Reader reads and decodes one partition; from next < 0 it starts at the log's start. A
	// batch that does not parse is one arrival, refused as corrupt.
	Reader(partition int) SourceReader
	End(ctx context.Context, partition int) (int64, error)
}

// SourceReader reads one partition of the public topic. One goroutine.
type SourceReader interface {
	// Read may give a page in the memory of spare; its strings are in SourcePage.Memory,
	// until that is released.
	Read(ctx context.Context, next int64, epoch int32, spare []domain.Arrival) (domain.SourcePage, error)
}
