package outbox

import (
	"context"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// queue hands entries from the shard to a publisher, in order of their sequences. It has a lock where
// a channel would do but for its bound: the shard looks at len and takes no more
// records while it is long, and must never block in push.
type queue struct {
	mu    sync.Mutex
	items []item
	ready chan struct{}
	held  atomic.Int64 // bytes of the entries and of those staged for it: counted before they are pushed
}

// item is an entry that waits.
type item struct {
	*domain.Outgoing
	has bool // its receiver has it already: it is not sent
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

func (q *queue) push(i item) {
	q.mu.Lock()
	q.items = append(q.items, i)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// peek waits for entries and appends the first ones, up to n, to dst; none when ctx ended. They stay until drop.
func (q *queue) peek(ctx context.Context, dst []item, n int) []item {
	for ctx.Err() == nil {
		q.mu.Lock()
		dst = append(dst, q.items[:min(n, len(q.items))]...)
		q.mu.Unlock()
		if len(dst) > 0 {
			return dst
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
		}
	}
	return nil
}

// drop takes the entries up to a sequence away.
func (q *queue) drop(upTo uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := sort.Search(len(q.items), func(i int) bool { return q.items[i].Sequence > upTo })
	for _, i := range q.items[:n] {
		q.held.Add(-int64(sizeOf(i.Outgoing)))
	}
	clear(q.items[:n])
	q.items = q.items[n:]
}
