package router

import (
	"context"
	"log/slog"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/actors/internal/remedy"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Options is what all routers share.
type Options struct {
	Source   Source
	Nodes    Nodes
	Journal  journal.Log
	Backlogs []journal.Backlog // of the shards, by journal partition
	Catalog  *catalog.Handle
	Batcher  *journal.Batcher

	// CatchUp reads the catalog to its end, before a brand or a definition is refused as
	// unknown.
	CatchUp func(ctx context.Context, t *retry.State, where ...any) error
	// Applied is the highest origin of a stream that a shard has applied, once it has applied
	// its journal below an offset; the zero origin: none. It waits a short while.
	Applied func(ctx context.Context, shard int, below int64, topic domain.TopicID, partition int32) (domain.Origin, error)
	// Remedy is what to do about an error that stopped a partition.
	Remedy func(err error, partition int, accept *domain.AcceptGap) remedy.Advice
	Fatal  func(error)    // makes the node not ready for good
	Traces *trace.Records // nil: no record is traced
	Log    *slog.Logger
}
