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
	Gap       atomic.Pointer[domain.AcceptGap] // what would have to be accepted to let it go on

	Reading, CatalogCatchUp, CommittingOffset retry.State
}

func newHandle(partition int) *Handle {
	return &Handle{
		Partition:        partition,
		Reading:          retry.State{What: "the public topic cannot be read"},
		CatalogCatchUp:   retry.State{What: NotToItsEnd},
		CommittingOffset: retry.State{What: "the router's offset cannot be committed"},
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

// Reaches waits until the partition is routed up to next.
func (h *Handle) Reaches(ctx context.Context, next int64) error {
	for {
		if h.Stopped.Load() != nil { // also at an offset above: it may be another topic's
			return domain.ErrUnavailable
		}
		if h.Next.Load() >= next {
			return nil
		}
		if !retry.Pause(ctx, time.Millisecond) { // a router has no waiters
			return domain.ErrUnavailable
		}
	}
}
