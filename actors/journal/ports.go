package journal

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Log is a partitioned, durable log of records: the journal, or the catalog. Any
// goroutine may call it.
type Log interface {
	// Topic is the topic's id, as found at start.
	Topic() domain.TopicID
	// Cluster is the Kafka cluster's id.
	Cluster() string
	// Partitions is the number of partitions.
	Partitions() int
	// Reader is a reader of one partition: one goroutine at a time.
	Reader(partition int) Reader
	// Appender is an appender of its own: an idempotent session a partition.
	Appender() Appender
	// End is the offset after the last record.
	End(ctx context.Context, partition int) (int64, error)
}

// Reader reads a partition. A gap is a *domain.GapError, never skipped.
type Reader interface {
	// Read gives the records at and after next, whose batch before had the epoch
	// given; it waits a short while for one. An empty page is no error. The page may
	// be in the memory of spare; its strings are in Page.Memory, until that is
	// released.
	Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error)
}

// Appender appends records to partitions, in order, one batch in flight each. One
// goroutine a partition. Append returns when the records are durable; it retries transient
// errors until ctx ends. After an error the outcome is unknown: append the same records
// again, or none. The records fit one batch of the log: base is the offset of the first, the
// others follow it.
//
// AppendEach appends batches[p] to partition p, all in one request a leader, and attempts it
// once: it calls done for each that is durable, on this goroutine. The caller appends the
// others by Append of the same records, or not at all.
type Appender interface {
	Append(ctx context.Context, partition int, records []domain.Record) (base int64, err error)
	AppendEach(ctx context.Context, batches [][]domain.Record, done func(partition int, base int64))
}
