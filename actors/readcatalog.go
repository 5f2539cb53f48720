package actors

import (
	"context"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// Readings of a log's end, of the catalog's or of a partition's of the journal, take a tenth of the time at most: after one that took t the next begins 9 t later,
// but no later than readingPause after it. A single request for an unknown id waits for about one reading; many of
// them share few readings.
const (
	pauseTimes   = 9
	readingPause = 100 * time.Millisecond
	readingLimit = time.Second // of one reading, and of the wait for it
)

// sharedReading reads a log to its end for callers that share readings: a caller gets one that began
// after its call.
type sharedReading struct {
	read   func(context.Context) error // reads the log to its end as of the call
	ctx    context.Context             // of the node
	beside func(func())                // runs what the node waits for when it stops

	mu      sync.Mutex
	next    *reading  // has not begun; nil: no caller waits for one
	running bool      // a goroutine makes readings
	free    time.Time // when the next one may begin; of that goroutine
}

// reading is one that callers wait for.
type reading struct {
	done chan struct{} // closed when it has ended
	err  error         // set before
}

// wait returns when a reading that began after the call has ended, or after readingLimit.
func (s *sharedReading) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readingLimit)
	defer cancel()
	s.mu.Lock()
	r := s.next
	if r == nil {
		r = &reading{done: make(chan struct{})}
		s.next = r
	}
	if !s.running {
		s.running = true
		s.beside(s.run)
	}
	s.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return domain.ErrUnavailable
	}
}

// run makes readings, one after the other, while callers wait for one.
func (s *sharedReading) run() {
	for {
		open := retry.Pause(s.ctx, time.Until(s.free)) && s.ctx.Err() == nil
		s.mu.Lock()
		r := s.next
		s.next = nil // a later call waits for another reading
		s.running = r != nil
		s.mu.Unlock()
		if r == nil {
			return
		}
		r.err = domain.ErrUnavailable
		if open {
			s.begin(r)
		}
		close(r.done)
	}
}

// begin makes a reading.
func (s *sharedReading) begin(r *reading) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(s.ctx, readingLimit)
	defer cancel()
	if s.read(ctx) == nil {
		r.err = nil
	}
	ended := time.Now()
	s.free = ended.Add(min(pauseTimes*ended.Sub(began), readingPause))
}
