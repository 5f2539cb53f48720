package limit

import (
	"sync"
	"time"
)

// Share is bytes of a pool that a request holds; the zero value is no bytes. It belongs to the
// request's goroutine. It is at one place from Start until Stop or Release.
type Share struct {
	pool     *Pool
	holder   *holder
	bytes    int64 // guarded by the pool's mutex, and what follows
	ended    bool  // the transfer was ended
	transfer *transfer
}

// transfer is how fast bytes come from a client or go to it.
type transfer struct {
	share *Share

	mu       sync.Mutex // guards what follows; taken after the pool's
	deadline func(time.Time)
	patience time.Duration
	cut      bool      // the deadline is past for good
	since    time.Time // when the current step began
	moved    int64     // of the current step
}

// Holds reports that the share is of any bytes.
func (s *Share) Holds() bool { return s.bytes > 0 }

// Release gives the bytes back. It may be called again.
func (s *Share) Release() {
	p := s.pool
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.stop()
	bytes := s.bytes
	s.bytes = 0
	if bytes > 0 {
		p.release(s, bytes)
	}
}

// Resize changes how many bytes are held, to what a request turned out to take. It does not wait:
// a pool that is over its bytes grants nothing until it is not.
func (s *Share) Resize(bytes int64) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	less := s.bytes - max(bytes, 1)
	s.bytes -= less
	p.release(s, less)
	p.relieve()
}

// Start begins a transfer to or from a client. deadline sets the time limit of the transfer's reads
// or writes; it is called by any goroutine until Stop. With a patience each Moved extends that limit.
func (s *Share) Start(patience time.Duration, deadline func(time.Time)) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.transfer == nil {
		s.transfer = &transfer{share: s}
	}
	t := s.transfer
	t.mu.Lock()
	t.deadline, t.patience = deadline, patience
	t.since, t.moved = time.Now(), 0
	if patience > 0 && !t.cut {
		deadline(t.since.Add(patience))
	}
	t.mu.Unlock()
	p.moving[t] = struct{}{}
	p.relieve()
}

// Moved counts bytes of the transfer. It is false where the transfer was ended.
func (s *Share) Moved(bytes int) bool {
	t := s.transfer
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut {
		return false
	}
	now := time.Now()
	if t.moved += int64(bytes); t.moved >= s.pool.bounds.Step {
		t.since, t.moved = now, 0
	}
	if t.patience > 0 {
		t.deadline(now.Add(t.patience))
	}
	return true
}

// Stop ends the transfer, not the holding. It is false where the pool ended the transfer before.
func (s *Share) Stop() bool {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	s.stop()
	return !s.ended
}

// The methods below are called with the pool's mutex held.

func (s *Share) stop() {
	t := s.transfer
	if t == nil {
		return
	}
	delete(s.pool.moving, t)
	t.mu.Lock()
	t.deadline = nil
	t.patience = 0
	t.mu.Unlock()
}

// end ends the transfer: what its goroutine waits for fails at once.
func (t *transfer) end() {
	s := t.share
	s.ended = true
	s.pool.ending += s.bytes
	s.holder.ending += s.bytes
	t.mu.Lock()
	t.cut = true
	t.deadline(time.Unix(1, 0))
	t.mu.Unlock()
}

// stepBegan is when the current step of the transfer began.
func (t *transfer) stepBegan() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.since
}

// pressed reports that bytes should get free: the pool is over half full, or a request waits.
func (p *Pool) pressed() bool { return p.used-p.ending > p.bounds.Bytes/2 || len(p.waiting) > 0 }

// relieve ends slow transfers while the pool is pressed, the slowest first, and looks again later.
func (p *Pool) relieve() {
	if p.bounds.Step == 0 || len(p.moving) == 0 || !p.pressed() {
		return
	}
	slowBefore := time.Now().Add(-p.bounds.Within)
	for t := p.slowest(slowBefore); t != nil; t = p.slowest(slowBefore) {
		t.end()
	}
	if !p.watching {
		p.watching = true
		time.AfterFunc(pressureEvery, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.watching = false
			p.relieve()
		})
	}
}

// slowest is the transfer with the longest step, of those whose step began before a moment and whose
// end is of use; nil: there is none.
func (p *Pool) slowest(before time.Time) *transfer {
	var slowest *transfer
	for t := range p.moving {
		if began := t.stepBegan(); !t.share.ended && !began.After(before) && p.relievedBy(t.share) {
			slowest, before = t, began
		}
	}
	return slowest
}

// relievedBy reports that the end of a transfer is of use: for the pool, or for one that waits.
func (p *Pool) relievedBy(s *Share) bool {
	used := p.used - p.ending
	if used > p.bounds.Bytes/2 {
		return true
	}
	for _, h := range p.waiting {
		wanted, held := h.queue[0].bytes, h.held-h.ending
		over := held > 0 && held+wanted > p.bounds.Share
		if over && h == s.holder || !over && used+wanted > p.bounds.Bytes {
			return true
		}
	}
	return false
}
