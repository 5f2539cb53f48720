package shard

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/broadcast"
	"github.com/ovation-analytics/ovation/actors/internal/histogram"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard/core"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Handle is what others read of a shard, on any goroutine.
type Handle struct {
	ID        int
	View      view.Holder
	Behaviour atomic.Int32
	offsets
	halted
	Fresh    journal.Freshness
	Reads    atomic.Int64 // pages read
	Stats    core.Stats
	Panics   atomic.Int64
	Progress broadcast.Signal // commits, stops, serves
	Detached atomic.Bool      // it could not go on: routers do not wait for it until it is near the end again
	Outbox   outbox.Status
	Duties   DutiesDone
	Received received
	Reading  retry.State
	Space    retry.State
	Behind   retry.State // what it waits for is not in the catalog at hand
	clock    clockShared

	Committing *histogram.Histogram // how long commits took
}

// offsets are how far a shard is in its journal.
type offsets struct {
	Applied atomic.Int64 // after the last record committed
	End     atomic.Int64 // the journal's end as last seen
	First   atomic.Int64 // 1 + the journal's end as first seen in this process; 0: not yet
	rate    atomic.Int64 // records applied in the last 200 ms
}

// halted is why a shard stopped.
type halted struct {
	Stopped atomic.Pointer[string]           // nil: it has not
	Gap     atomic.Pointer[domain.AcceptGap] // what an operator would accept to let it go on
	Met     atomic.Pointer[domain.GapError]  // the gap that this is for

	Poisoned atomic.Pointer[catalog.RecordPlace] // of a record that it cannot apply
}

// ErrNotHere says that the node does not run a shard.
var ErrNotHere = errors.New("the node does not run this shard")

// commitBounds are those of the histogram of commits.
var commitBounds = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 5 * time.Second,
}

// NewHandle is one of a shard that is not started.
func NewHandle(id int) *Handle {
	h := &Handle{ID: id, Committing: histogram.New(commitBounds...)}
	h.Reading.What = "the journal cannot be read"
	h.Space.What = "nothing is applied"
	h.Behind.What = "nothing is applied"
	h.Outbox.Publishing[outbox.Forwards].What = "forwards cannot be published"
	h.Outbox.Publishing[outbox.DeadLetters].What = "dead letters cannot be published"
	h.Outbox.Publishing[outbox.KeyDeletions].What = "data keys cannot be deleted"
	return h
}

// Behaviour is what a shard is doing.
type Behaviour int32

// A shard reads its store, then the log's backlog, then serves. One that stopped
// needs an operator: Stopped has the cause.
const (
	Recovering Behaviour = iota
	CatchingUp
	Serving
	Stopped
)

var behaviourNames = [...]string{"recovering", "catching up", "serving", "stopped"}

// String is the name in status and logs.
func (b Behaviour) String() string { return behaviourNames[b] }

// NearEnd is how many records behind the log's end a shard begins to serve.
const NearEnd = 1000

// near reports that the journal's end is at most NearEnd records away.
func (h *Handle) near(next int64) bool { return h.End.Load()-next <= NearEnd }

// Bounds of a serving shard's backlog.
const (
	minBacklog = 1_000
	maxBacklog = 20_000
)

// Grew notes that the journal partition reaches to end.
func (h *Handle) Grew(end int64) {
	for old := h.End.Load(); old < end && !h.End.CompareAndSwap(old, end); old = h.End.Load() {
	}
}

// Wait returns when the shard's backlog is less than it applied in the last 200 ms,
// so that bulk waits in the public topic and commands never wait behind it. A
// shard that does not serve is not waited for, nor one that cannot publish its outbox or has not enough of the
// catalog: it stops no other shard.
func (h *Handle) Wait(ctx context.Context) error {
	for !h.HasRoom() {
		moved := h.Progress.Next()
		if h.HasRoom() {
			break
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// HasRoom reports that Wait returns at once.
func (h *Handle) HasRoom() bool {
	limit := min(max(h.rate.Load(), minBacklog), maxBacklog)
	return !h.awaited() || h.End.Load()-h.Applied.Load() < limit
}

// Late is how long ago the shard was at the end of its log; 0 while routers do not wait for the shard.
func (h *Handle) Late(now time.Time) time.Duration {
	if at := h.Fresh.At(); h.awaited() && !at.IsZero() {
		return now.Sub(at)
	}
	return 0
}

// awaited reports that routers wait for the shard where it has a backlog.
func (h *Handle) awaited() bool {
	return Behaviour(h.Behaviour.Load()) == Serving && !h.Detached.Load()
}

// applied notes that all records below next are committed.
func (h *Handle) applied(next int64) {
	h.Applied.Store(next)
	h.Progress.Wake()
}

// become notes what the shard is doing from now on.
func (h *Handle) become(b Behaviour) {
	h.Behaviour.Store(int32(b))
	h.Progress.Wake()
}

// leave has routers not wait for the shard.
func (h *Handle) leave() {
	h.Detached.Store(true)
	h.Progress.Wake()
}

// rejoin has routers wait for the shard again, once it applies and is near the end of its
// partition.
func (h *Handle) rejoin(next int64, held bool) {
	if h.Detached.Load() && h.near(next) && !held {
		h.Detached.Store(false)
	}
}
