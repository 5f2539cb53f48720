package keys

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// appends are the keys that wait to be appended: those that come while a batch is under way
// make the next one.
type appends struct {
	mu      sync.Mutex // guards what follows
	pending []*pendingAppend
	keys    int  // of pending
	active  bool // a goroutine sends
}

// pendingAppend is the keys of one Put.
type pendingAppend struct {
	keys []domain.WrappedKey
	done chan error // of one element
}

const (
	batchKeys    = 4096 // of a batch, about: with ids and frames 400 KiB
	maxPending   = 16 * batchKeys
	appendWithin = 10 * time.Second
)

var errBusy = errors.New("too many data keys wait to be written")

// Put appends keys to the log and to the copy. They are durable in the log when it returns nil.
func (r *Replica) Put(ctx context.Context, keys []domain.WrappedKey) error {
	if err := r.Err(); err != nil {
		return err
	}
	if err := r.room(keys); err != nil {
		r.refused.Add(1)
		return err
	}
	if r.o.WhileReached != nil {
		var release context.CancelFunc
		ctx, release = r.o.WhileReached(ctx)
		defer release()
	}
	p := &pendingAppend{keys: keys, done: make(chan error, 1)}
	if err := r.enqueue(p); err != nil {
		return err
	}
	select {
	case err := <-p.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue adds keys to the next batch, and starts to send where none is under way.
func (r *Replica) enqueue(p *pendingAppend) error {
	a := &r.appends
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case r.ctx.Err() != nil:
		return errClosed
	case len(a.pending) > 0 && a.keys+len(p.keys) > maxPending:
		return errBusy
	}
	a.pending = append(a.pending, p)
	a.keys += len(p.keys)
	if !a.active {
		a.active = true
		r.running.Go(r.send)
	}
	return nil
}

// next is the next batch; empty: there is none, and sending ends.
func (a *appends) next() (batch []*pendingAppend, keys []domain.WrappedKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for n < len(a.pending) && (n == 0 || len(keys)+len(a.pending[n].keys) <= batchKeys) {
		keys = append(keys, a.pending[n].keys...)
		n++
	}
	batch = a.pending[:n:n]
	a.pending = a.pending[n:]
	a.keys -= len(keys)
	a.active = n > 0
	return batch, keys
}

// send appends batches until none is left.
func (r *Replica) send() {
	for {
		batch, keys := r.appends.next()
		if len(batch) == 0 {
			return
		}
		err := r.append(keys)
		for _, p := range batch {
			p.done <- err
		}
	}
}

// append appends one batch to the log, and to the copy where that has not followed yet: a tombstone
// by which one of the keys was deleted since comes later in the log and takes it again.
func (r *Replica) append(keys []domain.WrappedKey) error {
	ctx, cancel := context.WithTimeout(r.ctx, appendWithin)
	defer cancel()
	next, err := r.o.Log.Append(ctx, keys)
	if err != nil {
		return err
	}
	if next < 0 {
		if next, err = r.o.Log.End(ctx); err != nil {
			return err
		}
		return r.await(ctx, next)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if next <= r.place.Next {
		return nil
	}
	keys, _, err = r.living(keys)
	if err != nil {
		return err
	}
	return r.o.Copy.Follow(keys, r.place, r.o.Now())
}

// room is nil, or why the copy has none for some of the keys.
func (r *Replica) room(keys []domain.WrappedKey) error {
	if slices.ContainsFunc(keys, func(k domain.WrappedKey) bool { return k.Wrapped != nil }) {
		return r.o.Copy.Room()
	}
	return nil
}

// living are those of the keys that a copy takes, in their order, and the keys that come back after they were
// deleted: a Put that was given up may reach the log after the tombstone.
func (r *Replica) living(keys []domain.WrappedKey) (living, revived []domain.WrappedKey, err error) {
	deleted := map[domain.KeyID]bool{}
	err = r.o.Copy.Deleted(keys, func(i int) { deleted[keys[i].ID] = true })
	if err != nil {
		return nil, nil, err
	}
	back := map[domain.KeyID]bool{}
	for _, k := range keys {
		switch {
		case k.Wrapped == nil:
			deleted[k.ID] = true
			delete(back, k.ID)
		case deleted[k.ID]:
			back[k.ID] = true
			continue
		}
		living = append(living, k)
	}
	for id := range back {
		revived = append(revived, domain.WrappedKey{ID: id})
	}
	return living, revived, nil
}
