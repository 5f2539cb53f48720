package publish

import (
	"context"
	"sync"
	"time"
)

// queue is what is due and not yet sent, by partition. One goroutine puts, one takes.
type queue struct {
	mu     sync.Mutex // guards items and closed
	items  [][]Item
	closed bool
	ready  chan struct{} // signals a change
}

func newQueue(partitions int) *queue {
	return &queue{items: make([][]Item, partitions), ready: make(chan struct{}, 1)}
}

func (q *queue) put(i Item, batch int) {
	q.mu.Lock()
	of := &q.items[i.Member%len(q.items)]
	*of = append(*of, i)
	n := len(*of)
	q.mu.Unlock()
	if n == 1 || n == batch {
		q.wake()
	}
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// take waits until a partition has a batch or a record has lingered, and takes up to a batch
// of each partition. Of a closed queue it takes what is left, then nil.
func (q *queue) take(ctx context.Context, batch int, linger time.Duration) ([][]Item, error) {
	for {
		q.mu.Lock()
		due, full, some := q.look(batch)
		closed := q.closed
		wait := time.Until(due.Add(linger))
		if some && (closed || full || wait <= 0) {
			out := q.cut(batch)
			q.mu.Unlock()
			return out, nil
		}
		q.mu.Unlock()
		if closed {
			return nil, nil
		}
		if err := q.sleep(ctx, some, wait); err != nil {
			return nil, err
		}
	}
}

// look returns when the oldest item was due, whether a partition has a batch and whether
// there is an item at all.
func (q *queue) look(batch int) (due time.Time, full, some bool) {
	for _, of := range q.items {
		if len(of) > 0 && (!some || of[0].Due.Before(due)) {
			due, some = of[0].Due, true
		}
		full = full || len(of) >= batch
	}
	return due, full, some
}

// cut takes up to a batch of each partition.
func (q *queue) cut(batch int) [][]Item {
	out := make([][]Item, len(q.items))
	for p, of := range q.items {
		out[p] = of[:min(len(of), batch)]
		if q.items[p] = of[len(out[p]):]; len(q.items[p]) == 0 {
			q.items[p] = nil
		}
	}
	return out
}

// sleep waits for a change, or until the oldest item has lingered.
func (q *queue) sleep(ctx context.Context, lingers bool, wait time.Duration) error {
	var lingered <-chan time.Time
	if lingers {
		t := time.NewTimer(wait)
		defer t.Stop()
		lingered = t.C
	}
	select {
	case <-q.ready:
	case <-lingered:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
