package limit

import (
	"sync"
	"time"
)

// Share is bytes of a pool that a request holds. A nil one is no bytes. It belongs to the
// request's goroutine.
type Share struct {
	pool   *Pool
	holder *holder
	bytes  int64 // guarded by the pool's mutex, and what follows
	ended  bool  // the transfer was ended

	mu       sync.Mutex      // guards what follows; taken after the pool's
	deadline func(time.Time) // nil: no transfer; changed with both mutexes
	patience time.Duration
	cut      bool      // the deadline is past for good
	since    time.Time // when the current step began
	moved    int64     // of the current step
}

// Release gives the bytes back. It may be called again.
func (s *Share) Release() {
	if s == nil {
		return
	}
	p := s.pool
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
	if s == nil {
		return
	}
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
	s.mu.Lock()
	s.deadline, s.patience = deadline, patience
	s.since, s.moved = time.Now(), 0
	if patience > 0 && !s.cut {
		deadline(s.since.Add(patience))
	}
	s.mu.Unlock()
	p.moving[s] = struct{}{}
	p.relieve()
}

// Moved counts bytes of the transfer. It is false where the transfer was ended.
func (s *Share) Moved(bytes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cut {
		return false
	}
	now := time.Now()
	if s.moved += int64(bytes); s.moved >= s.pool.bounds.Step {
		s.since, s.moved = now, 0
	}
	if s.patience > 0 {
		s.deadline(now.Add(s.patience))
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
	if s.deadline == nil {
		return
	}
	delete(s.pool.moving, s)
	s.mu.Lock()
	s.deadline = nil
	s.patience = 0
	s.mu.Unlock()
}

// end ends the transfer: what its goroutine waits for fails at once.
func (s *Share) end() {
	s.ended = true
	s.pool.ending += s.bytes
	s.holder.ending += s.bytes
	s.mu.Lock()
	s.cut = true
	s.deadline(time.Unix(1, 0))
	s.mu.Unlock()
}

// stepBegan is when the current step of the transfer began.
func (s *Share) stepBegan() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since
}

// pressed reports that bytes should get free: the pool is over half full, or a request waits.
func (p *Pool) pressed() bool { return p.used-p.ending > p.bounds.Bytes/2 || len(p.waiting) > 0 }

// relieve ends slow transfers while the pool is pressed, the slowest first, and looks again later.
func (p *Pool) relieve() {
	if p.bounds.Step == 0 || len(p.moving) == 0 || !p.pressed() {
		return
	}
	slowBefore := time.Now().Add(-p.bounds.Within)
	for s := p.slowest(slowBefore); s != nil; s = p.slowest(slowBefore) {
		s.end()
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
func (p *Pool) slowest(before time.Time) *Share {
	var slowest *Share
	for s := range p.moving {
		if began := s.stepBegan(); !s.ended && !began.After(before) && p.relievedBy(s) {
			slowest, before = s, began
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
