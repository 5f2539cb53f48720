package actors

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// Options is what a node is made with.
type Options struct {
	Logs
	Stores
	Memory
	Questions
	Retention

	Traces      *trace.Records // of the public topic; nil: none is traced
	TopicPrefix string         // of the names that operators read
	ID          domain.NodeID  // of the node in the list of its installation; zero: it is alone for ever
	Incarnation uint64         // of this process, for usage
	Now         func() time.Time
	Clock       *nodes.Clock // is set by the clocks of the other nodes; nil: by none
	Log         *slog.Logger
	// RefuseKeysAfter is how long after it was last at its catalog's end the node takes API keys: of one that was revoked since
	// it does not know. 0: always.
	RefuseKeysAfter time.Duration

	rules       uint16 // newest that the program knows
	markEvery   int64  // tests have narrower ones
	outboxDepth int    // likewise
	places      int    // likewise: of the visits of an account in a shard
}

// Logs are what a node reads and appends to.
type Logs struct {
	Journal     journal.Log
	Catalog     journal.Log
	Source      router.Source
	DeadLetters shard.DeadLetters
	DataKeys    shard.DataKeys
	// WhileReached is a context that ends once the logs were out of reach for some seconds, and has ended while they
	// are; the function gives it back. Nil: they are taken to be in reach.
	WhileReached func(context.Context) (context.Context, context.CancelFunc)
}

// Stores are where a node keeps its state.
type Stores struct {
	OpenShard   func(shard int) (shard.Store, error)
	OpenCatalog func() (catalog.Store, error)
	Damaged     func(error) bool // an error of a store says that its files are damaged; nil: none does
}

// Memory is what the shards may keep in memory.
type Memory struct {
	MemberBytes       int // for members that are loaded, over all shards; default 192 MiB
	CachedRecordBytes int // for records and contents that answers have shown, over all shards; default 32 MiB
	CachedIdentities  int // remembered by a shard in each of two generations; default 50,000
	ResidentBytes     int // for columns, over all shards; 0: no bound; see KeepResident
}

// Questions bounds what questions cost.
type Questions struct {
	Workers int    // questions scanned at once; default GOMAXPROCS
	MaxRows uint64 // a question that would read more is refused; 0: no bound
}

// Retention of the public topic and of dead letters. Trim cuts a partition of the topic below an
// offset, TrimLetters what was published before a time; nil: both are the broker's business.
// TrimAfter is how long what was routed stays, TrimLettersAfter how long letters do.
type Retention struct {
	Trim             func(ctx context.Context, partition int, before int64) error
	TrimAfter        time.Duration
	TrimLetters      func(ctx context.Context, before time.Time) error
	TrimLettersAfter time.Duration
}

// withDefaults is the options with the defaults filled in.
func (o Options) withDefaults() Options {
	o.MemberBytes = cmp.Or(o.MemberBytes, 192<<20)
	o.CachedRecordBytes = cmp.Or(o.CachedRecordBytes, 32<<20)
	o.CachedIdentities = cmp.Or(o.CachedIdentities, 50_000)
	o.rules = cmp.Or(o.rules, domain.RulesVersion)
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	if o.WhileReached == nil {
		o.WhileReached = func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }
	}
	if o.Clock == nil {
		o.Clock = new(nodes.Clock)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	return o
}

// timeOfDay is the time as most nodes have it. Durations are by Now.
func (o *Options) timeOfDay() time.Time { return o.Clock.At(o.Now()) }
