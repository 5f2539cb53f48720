package sending

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
)

// Stats is what a node did for webhooks since it started, and what it has to do.
type Stats struct {
	Sending   int                       // webhooks that this node sends
	Pending   int                       // events of them that were taken and are neither delivered nor given up
	Tries     map[egress.Failure]uint64 // requests that ended, by what became of them
	Seconds   float64                   // that all these took
	Delivered uint64                    // events
	GivenUp   uint64                    // events
	Disabled  uint64                    // webhooks that were disabled since their receiver is gone or took nothing for days
}

// counters count for Stats. Any goroutine may use them.
type counters struct {
	tries     [egress.Failures]atomic.Uint64
	nanos     atomic.Int64
	delivered atomic.Uint64
	givenUp   atomic.Uint64
	disabled  atomic.Uint64

	mu      sync.Mutex // guards what follows
	senders map[*delivery.Sender]struct{}
}

// tried counts a request that ended.
func (c *counters) tried(_ delivery.Event, a egress.Answer, took time.Duration) {
	c.tries[a.Failure].Add(1)
	c.nanos.Add(int64(took))
}

// enter counts a Sender that is at work until leave is called.
func (c *counters) enter(s *delivery.Sender) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.senders == nil {
		c.senders = map[*delivery.Sender]struct{}{}
	}
	c.senders[s] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.senders, s)
	}
}

// Stats is what the Runner did, and has to do. Any goroutine may call it.
func (r *Runner) Stats() Stats {
	c := &r.counts
	s := Stats{
		Tries: map[egress.Failure]uint64{}, Seconds: time.Duration(c.nanos.Load()).Seconds(),
		Delivered: c.delivered.Load(), GivenUp: c.givenUp.Load(), Disabled: c.disabled.Load(),
	}
	for i := range c.tries {
		s.Tries[egress.Failure(i)] = c.tries[i].Load()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Sending = len(c.senders)
	for sender := range c.senders {
		s.Pending += sender.Pending()
	}
	return s
}
