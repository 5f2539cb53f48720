package shard

import (
	"context"
	"log/slog"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/yield"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard/core"
)

// Config is what a shard is given and keeps over its restarts.
type Config struct {
	ID, Shards int
	Limits
	Lifetime
	Hooks
	Journal     journal.Log
	Appender    *journal.PartitionAppender // of this partition
	Open        func() (Store, error)
	Catalog     *catalog.Handle
	DeadLetters DeadLetters
	DataKeys    DataKeys
	Handle      *Handle
	Yield       *yield.Questions // of the node
	Log         *slog.Logger

	restarts restarts
}

// The ports and bounds of the machine, which a shard is given.
type (
	Store       = core.Store
	DeadLetters = core.DeadLetters
	DataKeys    = core.DataKeys
	Limits      = core.Limits
)

// Hooks are what a shard calls on its goroutine.
type Hooks struct {
	Remedy   func(err error, shard int, accept *domain.AcceptGap) string // of an error that stopped it
	SetAside func(catalog.RecordPlace) error                             // of a record that failed twice: the shard then restarts
	Counted  func(*domain.Record)                                        // of hits that a node counted; nil: not asked for
}

// Lifetime is when a shard begins and ends.
type Lifetime struct {
	Ctx  context.Context // ends when the node stops: loading looks at it
	Done chan struct{}   // closed when the actor has ended and its store is closed
}
