package router

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// Handle is what others read of a router, on any goroutine.
type Handle struct {
	Partition int
	Fresh     journal.Freshness
	Next, End atomic.Int64
	Routed    atomic.Int64
	Reads     atomic.Int64 // pages read
	Refused   [domain.Reasons]atomic.Int64
	Stopped   atomic.Pointer[string]
	Holding   atomic.Bool                      // this node routes the partition
	By        atomic.Pointer[domain.NodeID]    // who routes it, where that is another node
	Taken     atomic.Int64                     // how often this node took it over, since the one before did nothing
	Gap       atomic.Pointer[domain.AcceptGap] // what would have to be accepted to let it go on

	Reading, CatalogCatchUp retry.State
	CommittingOffset        *retry.State

	offset *groupOffset
	look   chan struct{} // has the supervisor look at what the group has, before its time
}

func newHandle(partition int, o *Options, look chan struct{}) *Handle {
	offset := newGroupOffset(o, partition)
	return &Handle{
		Partition: partition, look: look, offset: offset, CommittingOffset: &offset.state,
		Reading:        retry.State{What: "the public topic cannot be read"},
		CatalogCatchUp: retry.State{What: NotToItsEnd},
	}
}

// Handles are those of all partitions that are known.
type Handles struct {
	mu      sync.Mutex // guards all: status asks while partitions are found
	all     []*Handle
	Looking retry.State
}

// List is what is known now.
func (s *Handles) List() []*Handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[:len(s.all):len(s.all)]
}

// NewHandles is one without partitions.
func NewHandles() *Handles {
	return &Handles{Looking: retry.State{What: "the public topic cannot be described"}}
}

// NotToItsEnd is what a retry of CatchUp reports.
const NotToItsEnd = "the catalog cannot be read to its end"

// Reaches waits until the partition is routed up to next, by whichever node.
func (h *Handle) Reaches(ctx context.Context, next int64) error {
	for {
		if h.Stopped.Load() != nil && h.By.Load() == nil { // also at an offset above: it may be another topic's
			return domain.ErrUnavailable
		}
		if h.Next.Load() >= next {
			return nil
		}
		wait := time.Millisecond // a router has no waiters
		if !h.Holding.Load() {
			wait = lookEarly
			h.Look()
		}
		if !retry.Pause(ctx, wait) {
			return domain.ErrUnavailable
		}
	}
}

// Look has the node look now at what the group has, and at its rank.
func (h *Handle) Look() {
	select {
	case h.look <- struct{}{}:
	default:
	}
}

// left notes how far the partition is routed, which this node does not do now, and its end.
func (h *Handle) left(kept *domain.Routed, end int64, own bool) {
	if h.Next.Load() < kept.Next {
		h.Reads.Add(1)
		h.Next.Store(kept.Next)
	}
	h.End.Store(end)
	if !own {
		h.By.Store(&kept.Node)
	}
}
