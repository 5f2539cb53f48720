package follow

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The bounds of a node.
const (
	MaxReaders   = 2000
	MaxFollowers = 256
)

// Hub is the followers and readers of a node. Any goroutine may call it.
type Hub struct {
	mu        sync.Mutex // guards what follows, and the followers
	followers map[question]*follower
	readers   map[domain.AccountID]int
	open      int
	draining  bool
	bytes     int // that the followers keep
	maxBytes  int

	drain  context.Context // ends when streams are to end
	ending context.CancelFunc

	shared, own atomic.Uint64
}

// Stats is what a hub has, and has counted since the start.
type Stats struct {
	Readers, Followers int
	Bytes              int    // that the followers keep
	Shared, Own        uint64 // pages with events that readers took of a follower, and made for themselves
}

// NewHub makes a Hub whose followers keep so many bytes of pages at most, all together. A reader makes for itself what
// its follower does not keep.
func NewHub(maxBytes int) *Hub {
	h := &Hub{followers: map[question]*follower{}, readers: map[domain.AccountID]int{}, maxBytes: maxBytes}
	h.drain, h.ending = context.WithCancel(context.Background())
	return h
}

var (
	errNode      = domain.Fail(domain.Unavailable, "this node has as many streams open as it may have: ask another one, or later")
	errFollowers = domain.Fail(domain.Unavailable, "this node follows as many different questions as it may: ask another one, or later")
	errDraining  = domain.Fail(domain.Unavailable, "this node stops: ask another one")
)

// Enter counts a reader of an account that may have so many at once. It is refused with domain.RateLimited over that
// number, with domain.Unavailable over that of the node. leave is called once, when the reader has gone.
func (h *Hub) Enter(account domain.AccountID, most int) (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.draining:
		return nil, errDraining
	case h.readers[account] >= most:
		return nil, domain.Fail(domain.RateLimited, fmt.Sprintf("the account has %d streams open, as many as its plan allows: close one", most))
	case h.open >= MaxReaders:
		return nil, errNode
	}
	h.open++
	h.readers[account]++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.open--
		if h.readers[account]--; h.readers[account] == 0 {
			delete(h.readers, account)
		}
	}, nil
}

// Follow gives a reader of a question of an account. at is where the reader begins, now where a follower would, which
// asks by what source makes; own makes the reader's pages until it has joined. Close the reader.
func (h *Hub) Follow(account domain.AccountID, text string, at, now Cursor, own Source, source func() Source) (*Reader, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := question{account, text}
	f := h.followers[q]
	if f == nil {
		if len(h.followers) >= MaxFollowers {
			return nil, errFollowers
		}
		ctx, stop := context.WithCancel(context.Background())
		f = &follower{of: q, stop: stop, over: make(chan struct{}), head: now, changed: make(chan struct{})}
		h.followers[q] = f
		s := source()
		go func() {
			defer close(f.over)
			h.run(ctx, f, s, now)
		}()
	}
	f.readers++
	return &Reader{hub: h, of: f, at: at, own: own}, nil
}

// Drain ends all streams, and refuses others from now on. It does not wait for them.
func (h *Hub) Drain() {
	h.mu.Lock()
	h.draining = true
	h.mu.Unlock()
	h.ending()
}

// Draining ends when streams are to end.
func (h *Hub) Draining() context.Context { return h.drain }

// Stats is a snapshot.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Stats{Readers: h.open, Followers: len(h.followers), Bytes: h.bytes, Shared: h.shared.Load(), Own: h.own.Load()}
}

// leave is a reader's end: the last one ends its follower, and waits for that. So no follower asks the engine after
// the requests that it is for.
func (h *Hub) leave(f *follower) {
	h.mu.Lock()
	f.readers--
	last := f.readers == 0
	if last {
		f.stop()
		h.drop(f)
	}
	h.mu.Unlock()
	if last {
		<-f.over
	}
}

// drop forgets a follower, with its pages where it has no reader: who asks its question next has another one. The mutex
// is held.
func (h *Hub) drop(f *follower) {
	if h.followers[f.of] == f {
		delete(h.followers, f.of)
	}
	if f.readers == 0 {
		h.bytes -= f.bytes
		f.kept, f.bytes = nil, 0
	}
}
