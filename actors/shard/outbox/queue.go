package outbox

import (
	"context"
	"sync"
)

// queue hands values from one goroutine to another, in order. It has a lock where
// a channel would do but for its bound: the shard looks at len and takes no more
// records while it is long, and must never block in push.
type queue[V any] struct {
	mu    *sync.Mutex
	items *[]V
	ready chan struct{}
}

func newQueue[V any]() queue[V] {
	return queue[V]{mu: new(sync.Mutex), items: new([]V), ready: make(chan struct{}, 1)}
}

func (q *queue[V]) push(v V) {
	q.mu.Lock()
	*q.items = append(*q.items, v)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

func (q *queue[V]) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(*q.items)
}

// each calls f with every value that waits, under the lock.
func (q *queue[V]) each(f func(V)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, v := range *q.items {
		f(v)
	}
}

// peek waits for values and gives the first ones, up to n; nil when ctx ended. They
// stay until drop. One goroutine peeks and drops.
func (q *queue[V]) peek(ctx context.Context, n int) []V {
	for ctx.Err() == nil {
		q.mu.Lock()
		items := *q.items
		q.mu.Unlock()
		if k := min(n, len(items)); k > 0 {
			return items[:k:k]
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
		}
	}
	return nil
}

// drop takes the first n values away.
func (q *queue[V]) drop(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear((*q.items)[:n])
	*q.items = (*q.items)[n:]
}
