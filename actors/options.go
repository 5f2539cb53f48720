package actors

import (
	"context"
	"log/slog"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// Options is what a node is made with.
type Options struct {
	Journal     journal.Log
	Catalog     journal.Log
	Source      router.Source
	DeadLetters shard.DeadLetters

	OpenShard   func(shard int) (shard.Store, error)
	OpenCatalog func() (catalog.Store, error)
	Damaged     func(error) bool // an error of a store says that its files are damaged; nil: none does

	TopicPrefix string // of the names that operators read

	AwakeBytes       int    // memory for members that are awake, over all shards; default 192 MiB
	CachedIdentities int    // identities a shard remembers in each of two generations; default 50,000
	ResidentBytes    int    // memory for columns, over all shards; 0: no bound; see KeepResident
	Workers          int    // questions scanned at once; default GOMAXPROCS
	MaxRows          uint64 // a question that would read more is refused; 0: no bound

	// Trim cuts a partition of the public topic below an offset; nil: retention is the
	// broker's business. TrimAfter is how long what was routed stays.
	Trim      func(ctx context.Context, partition int, before int64) error
	TrimAfter time.Duration

	Incarnation uint64 // of this process, for usage
	Now         func() time.Time
	Log         *slog.Logger

	markEvery   int64 // tests have narrower ones
	outboxDepth int   // likewise
}
