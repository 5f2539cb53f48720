package shard

import (
	"context"
	"log/slog"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/actors/internal/remedy"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard/core"
)

// Config is what a shard is given and keeps over its restarts.
type Config struct {
	ID, Shards  int
	Journal     journal.Log
	Catalog     *catalog.Handle
	ReadCatalog func(context.Context) error // returns once Catalog is as of its log's end at the call or later; any goroutine
	Open        func() (Store, error)
	Memory      MemoryLimits
	Publishing  Publishing
	Duty        Duty
	Appender    *journal.PartitionAppender // of this partition
	MarkEvery   int64                      // records between two state marks; 0: as usual
	Rules       uint16                     // newest rules that the program knows; 0: as usual
	Joining     bool                       // the node has never caught up
	Lifetime    Lifetime
	Hooks       Hooks
	Handle      *Handle
	Yield       *yield.Questions // of the node
	Log         *slog.Logger
	Traces      *trace.Records // nil: no record is traced

	restarts restarts
}

// What a shard is given for its machine.
type (
	Store        = core.Store
	MemoryLimits = core.MemoryLimits
	Publishing   = core.Publishing
	DeadLetters  = core.DeadLetters
	DataKeys     = core.DataKeys
)

// Hooks are what a shard calls on its goroutine.
type Hooks struct {
	Remedy    func(err error, shard int, accept *domain.AcceptGap) remedy.Advice // of an error that stopped it
	SetAside  func(catalog.RecordPlace) error                                    // of a record that failed twice: the shard then restarts
	Counted   func(*domain.Record)                                               // of hits that a node counted; nil: not asked for
	Delivered func(*domain.Record, bool)                                         // of how far a webhook came, and whether that counts; nil: not asked for
	Newer     func(error)                                                        // of what needs a newer program, before the shard served; nil: not asked for
}

// Lifetime is when a shard begins and ends.
type Lifetime struct {
	Ctx  context.Context // ends when the node stops: loading looks at it
	Done chan struct{}   // closed when the actor has ended and its store is closed
}
