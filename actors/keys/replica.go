package keys

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// ReplicaOptions are what a Replica is made with.
type ReplicaOptions struct {
	Log     Log
	Copy    Copy
	Logger  *slog.Logger
	Now     func() time.Time
	Waiting func(error) // called with each failure to read while it opens
	// WhileReached is a context that ends once the log was out of reach for some seconds, and has ended while it is;
	// the function gives it back. Nil: it is taken to be in reach.
	WhileReached func(context.Context) (context.Context, context.CancelFunc)
}

// maxAge is how old a copy may be: half of how long the topic keeps tombstones.
const maxAge = 15 * 24 * time.Hour

// seenEvery is how often an idle copy notes that it is at the topic's end.
const seenEvery = time.Hour

// Replica is a Source over a log: it appends to the log, and follows it into a copy.
type Replica struct {
	o       ReplicaOptions
	appends appends
	reading retry.State
	foreign atomic.Int64
	refused atomic.Uint64
	stopped atomic.Pointer[error]

	ctx     context.Context // ends with Close
	end     context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex // guards what follows, and the copy's writes
	place  domain.KeyPlace
	moved  chan struct{} // closed when the place moves or the replica stops
	forget func([]domain.KeyID)
}

// StoppedError is a log that the replica cannot follow any more, or a copy that takes nothing.
type StoppedError struct {
	Err    error
	Remedy string
}

// Error says what follows and what helps.
func (e *StoppedError) Error() string {
	return "the data keys are not followed any more, and no member can be registered: " + e.Err.Error() + "; " + e.Remedy
}

const (
	mendTopic = "mend the topic, or put it back, and restart the node"
	mendDisk  = "mend the disk, and restart the node"
)

// Unwrap is the cause.
func (e *StoppedError) Unwrap() error { return e.Err }

// OpenReplica reads the log to its end as it is now, and follows it from then on, until Close.
// It repeats what may pass until ctx ends. A log that is not the one that was copied is a
// *StoppedError.
func OpenReplica(ctx context.Context, o ReplicaOptions) (*Replica, error) {
	r := &Replica{o: o, place: o.Copy.Place(), moved: make(chan struct{})}
	r.reading.What = "the data keys cannot be followed"
	r.ctx, r.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := r.begin(); err != nil {
		r.end()
		return nil, err
	}
	if err := r.readToEnd(ctx); err != nil {
		r.end()
		return nil, err
	}
	r.running.Go(r.follow)
	return r, nil
}

// begin checks that the copy is of this log, and empties one that is too old.
func (r *Replica) begin() error {
	topic := r.o.Log.Topic()
	switch age := r.o.Now().Sub(time.UnixMilli(r.place.ReadAt)); {
	case r.place.Topic == domain.TopicID{}:
	case r.place.Topic != topic:
		return &StoppedError{fmt.Errorf("the topic is %s, the node's copy is of %s: the topic was made again; "+
			"what it lacks is in the copy, the directory keys of --data, alone: keep it", topic, r.place.Topic), mendTopic}
	case age > maxAge || age < -maxAge:
		r.o.Logger.Info("data keys: the copy is too old and is made again", "age", age.Round(time.Hour))
		if err := r.o.Copy.Reset(); err != nil {
			return err
		}
		r.place = domain.KeyPlace{}
	}
	if r.place.Topic.IsZero() {
		r.place = domain.KeyPlace{Topic: topic, Next: -1, Epoch: -1}
	}
	return nil
}

// readToEnd reads up to the log's end as it is now.
func (r *Replica) readToEnd(ctx context.Context) error {
	end := int64(-1)
	for failures := 0; ; {
		err := ctx.Err()
		if err != nil {
			return err
		}
		if end < 0 {
			end, err = r.o.Log.End(ctx)
		} else {
			_, err = r.read(ctx)
		}
		switch {
		case err == nil:
			failures = 0
			if end >= 0 && r.next() >= end {
				return nil
			}
			continue
		case lasting(err):
			return err
		}
		failures++
		r.reading.Failed(r.o.Logger, failures, err)
		r.o.Waiting(err)
		retry.Backoff(ctx, failures)
	}
}

// lasting reports that reading again does not help.
func lasting(err error) bool {
	var stopped *StoppedError
	return errors.As(err, &stopped)
}

// read reads and copies one page.
func (r *Replica) read(ctx context.Context) (domain.KeyPage, error) {
	page, err := r.o.Log.Read(ctx, r.place.Next, r.place.Epoch) // only this goroutine moves the place
	var gap *domain.GapError
	if errors.As(err, &gap) {
		return page, &StoppedError{gap, mendTopic}
	}
	if err != nil {
		return page, err
	}
	r.reading.Progress(r.o.Logger)
	if err := r.room(page.Keys); err != nil {
		return page, err
	}
	living, revived, err := r.living(page.Keys)
	if err != nil {
		return page, &StoppedError{err, mendDisk}
	}
	if len(revived) > 0 { // before the place moves past it: nothing would look at it again
		if _, err := r.o.Log.Append(ctx, revived); err != nil {
			return page, err
		}
		r.o.Logger.Info("data keys: keys that came back after they were deleted are deleted again", "keys", len(revived))
	}
	r.foreign.Add(int64(page.Foreign))
	page.Keys = living
	return page, r.apply(&page)
}

// apply copies a page.
func (r *Replica) apply(page *domain.KeyPage) error {
	now := r.o.Now().UnixMilli()
	place := domain.KeyPlace{Topic: r.place.Topic, Next: page.Next, Epoch: page.Epoch, ReadAt: r.place.ReadAt}
	atEnd := page.Next >= page.End
	if atEnd {
		place.ReadAt = now
	}
	if place.Next == r.place.Next && len(page.Keys) == 0 && now-r.place.ReadAt < seenEvery.Milliseconds() {
		return nil
	}
	var deleted []domain.KeyID
	for i := range page.Keys {
		if page.Keys[i].Wrapped == nil {
			deleted = append(deleted, page.Keys[i].ID)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.o.Copy.Follow(page.Keys, place, r.o.Now()); err != nil {
		return &StoppedError{err, mendDisk}
	}
	r.place = place
	if r.forget != nil && len(deleted) > 0 {
		r.forget(deleted)
	}
	r.wake()
	return nil
}

// wake lets those look again that wait for the place. It is called with the lock held.
func (r *Replica) wake() {
	close(r.moved)
	r.moved = make(chan struct{})
}

// OnDelete calls f with the keys that the log deletes, from now on.
func (r *Replica) OnDelete(f func([]domain.KeyID)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget = f
}

// follow reads until the replica is closed or stops.
func (r *Replica) follow() {
	for failures := 0; r.ctx.Err() == nil; {
		_, err := r.read(r.ctx)
		switch {
		case err == nil:
			failures = 0
		case r.ctx.Err() != nil:
			return
		case lasting(err):
			r.stop(err)
			return
		default:
			failures++
			r.reading.Failed(r.o.Logger, failures, err)
			retry.Backoff(r.ctx, failures)
		}
	}
}

// stop ends following for good.
func (r *Replica) stop(err error) {
	r.o.Logger.Error("data keys: following stopped", "err", err)
	r.stopped.Store(&err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wake()
}

// Err is why the replica stopped, a *StoppedError; nil while it follows.
func (r *Replica) Err() error {
	if err := r.stopped.Load(); err != nil {
		return *err
	}
	return nil
}

// Get is the copy's. For keys that the copy does not have, it reads the log to its end first.
func (r *Replica) Get(ctx context.Context, ids []domain.KeyID, found func(i int, wrapped []byte) error) error {
	have := make([]bool, len(ids))
	some := 0
	copied := r.next() // before the copy is read: what follows may be copied meanwhile
	err := r.o.Copy.Get(ctx, ids, func(i int, wrapped []byte) error {
		have[i] = true
		some++
		return found(i, wrapped)
	})
	if err != nil || some == len(ids) {
		return err
	}
	behind, err := r.catchUp(ctx, copied)
	if err != nil || !behind {
		return err
	}
	var rest []domain.KeyID
	var places []int
	for i := range ids {
		if !have[i] {
			rest = append(rest, ids[i])
			places = append(places, i)
		}
	}
	return r.o.Copy.Get(ctx, rest, func(i int, wrapped []byte) error { return found(places[i], wrapped) })
}

// catchUp waits until the log is copied up to its end as it is now. Not behind says that a copy
// up to the offset copied has all of it.
func (r *Replica) catchUp(ctx context.Context, copied int64) (behind bool, err error) {
	if err := r.Err(); err != nil {
		return false, err
	}
	end, err := r.o.Log.End(ctx)
	if err != nil || copied >= end {
		return false, err
	}
	return true, r.await(ctx, end)
}

// next is the offset up to which the log is copied.
func (r *Replica) next() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.place.Next, 0)
}

// await returns when the log is copied up to next.
func (r *Replica) await(ctx context.Context, next int64) error {
	for {
		r.mu.Lock()
		reached, moved := r.place.Next >= next, r.moved
		r.mu.Unlock()
		if reached {
			return nil
		}
		if err := r.Err(); err != nil {
			return err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		case <-r.ctx.Done():
			return errClosed
		}
	}
}

var errClosed = errors.New("the data keys are closed")

// Close ends following. What waits gets an error.
func (r *Replica) Close() error {
	r.appends.mu.Lock() // none begins to send after it
	r.end()
	r.appends.mu.Unlock()
	r.running.Wait()
	return nil
}

// ReplicaStats is how a replica is.
type ReplicaStats struct {
	Next     int64  // offset of the log up to which it is copied
	Waiting  string // why the log is not read at the moment; empty: it is
	Failures int64
	Foreign  int64  // values that are no data keys
	Refused  uint64 // calls of Put, for want of room
}

// Stats is the replica as it is now.
func (r *Replica) Stats() ReplicaStats {
	return ReplicaStats{
		Next: r.next(), Waiting: r.reading.Why(), Failures: retry.Failures(&r.reading), Foreign: r.foreign.Load(), Refused: r.refused.Load(),
	}
}
