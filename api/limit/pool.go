package limit

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Bounds are those of a Pool.
type Bounds struct {
	Bytes   int64
	Share   int64 // of one account, where it holds something already; 0: all
	Waiters int   // requests of one account that may wait; 0: none waits

	// Transfers that move less than Step in Within may end under pressure. Step 0: none does.
	Step   int64
	Within time.Duration
}

// pressureEvery is how often the speed of transfers is looked at under pressure.
const pressureEvery = 50 * time.Millisecond

// Pool is bytes that the requests of all accounts share.
type Pool struct {
	bounds Bounds

	mu       sync.Mutex // guards what follows
	used     int64
	ending   int64 // of used: of transfers that were ended and have not left yet
	accounts map[domain.AccountID]*holder
	waiting  []*holder // with a queue
	turn     uint64
	moving   map[*transfer]struct{}
	spare    *holder // that was forgotten last: most requests come while their account holds nothing
	watching bool    // a timer is set
}

// holder is an account that holds bytes, or waits for some.
type holder struct {
	id     domain.AccountID
	held   int64
	ending int64 // of held
	queue  []*waiter
	turn   uint64 // when it began to wait for its next bytes
}

type waiter struct {
	bytes int64
	ready chan struct{} // closed when share is there
	share Share
}

// NewPool makes a pool.
func NewPool(b Bounds) *Pool {
	b.Bytes = max(b.Bytes, 1)
	if b.Share <= 0 {
		b.Share = b.Bytes
	}
	return &Pool{bounds: b, accounts: map[domain.AccountID]*holder{}, moving: map[*transfer]struct{}{}}
}

// errOverShare refuses what is over the account's own share.
var errOverShare = domain.Fail(domain.RateLimited, "the account has as many requests under way as its share of this node allows: repeat when some are answered")

// Acquire waits for bytes, at most all there are. ctx is asked for when there is something to wait
// for. The error is domain.RateLimited where the account wants more than its share, else
// domain.Unavailable.
func (p *Pool) Acquire(ctx func() context.Context, account domain.AccountID, bytes int64) (Share, error) {
	bytes = max(min(bytes, p.bounds.Bytes), 1)
	p.mu.Lock()
	h := p.holderOf(account)
	if len(p.waiting) == 0 && p.fits(h, bytes) {
		s := p.give(h, bytes)
		p.relieve()
		p.mu.Unlock()
		return s, nil
	}
	w := &waiter{bytes: bytes, ready: make(chan struct{})}
	p.enqueue(h, w)
	p.grant() // others may wait for their own share alone
	if !w.share.Holds() && len(h.queue) > p.bounds.Waiters {
		err := p.refuse(h, w)
		p.mu.Unlock()
		return Share{}, err
	}
	p.relieve()
	p.mu.Unlock()
	select {
	case <-w.ready:
		return w.share, nil
	default:
	}
	select {
	case <-w.ready:
		return w.share, nil
	case <-ctx().Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.share.Holds() {
		return w.share, nil // it got its bytes in between
	}
	return Share{}, p.refuse(h, w)
}

// The methods below are called with the mutex held.

func (p *Pool) holderOf(account domain.AccountID) *holder {
	h := p.accounts[account]
	if h == nil {
		h = p.spare
		p.spare = nil
		if h == nil {
			h = new(holder)
		}
		h.id = account
		p.accounts[account] = h
	}
	return h
}

// forget drops a holder that holds nothing and waits for nothing.
func (p *Pool) forget(h *holder) {
	if h.held == 0 && len(h.queue) == 0 {
		delete(p.accounts, h.id)
		p.spare = h
	}
}

// mayHold reports that the account's share has so many more bytes.
func (p *Pool) mayHold(h *holder, bytes int64) bool {
	return h.held == 0 || h.held+bytes <= p.bounds.Share
}

func (p *Pool) fits(h *holder, bytes int64) bool {
	return p.mayHold(h, bytes) && p.used+bytes <= p.bounds.Bytes
}

func (p *Pool) give(h *holder, bytes int64) Share {
	p.used += bytes
	h.held += bytes
	return Share{pool: p, holder: h, bytes: bytes}
}

func (p *Pool) enqueue(h *holder, w *waiter) {
	if len(h.queue) == 0 {
		p.turn++
		h.turn = p.turn
		p.waiting = append(p.waiting, h)
	}
	h.queue = append(h.queue, w)
}

// next is the waiting account that holds least, of those whose share has what they wait for.
func (p *Pool) next() *holder {
	var best *holder
	for _, h := range p.waiting {
		if !p.mayHold(h, h.queue[0].bytes) {
			continue
		}
		if best == nil || h.held < best.held || h.held == best.held && h.turn < best.turn {
			best = h
		}
	}
	return best
}

// grant gives what is free to those that wait, as long as the next one fits.
func (p *Pool) grant() {
	for {
		h := p.next()
		if h == nil || p.used+h.queue[0].bytes > p.bounds.Bytes {
			return
		}
		w := h.queue[0]
		p.dequeue(h, 0)
		p.turn++
		h.turn = p.turn
		w.share = p.give(h, w.bytes)
		close(w.ready)
	}
}

func (p *Pool) dequeue(h *holder, at int) {
	h.queue = slices.Delete(h.queue, at, at+1)
	if len(h.queue) == 0 {
		p.waiting = slices.DeleteFunc(p.waiting, func(o *holder) bool { return o == h })
	}
}

// refuse takes a waiter out of its queue and says why it gets nothing.
func (p *Pool) refuse(h *holder, w *waiter) error {
	over := len(h.queue) > p.bounds.Waiters && p.bounds.Waiters > 0
	if h.held > 0 || len(h.queue) > 1 {
		wanted := h.held
		for _, o := range h.queue {
			wanted += o.bytes
		}
		over = over || wanted > p.bounds.Share
	}
	p.dequeue(h, slices.Index(h.queue, w))
	p.forget(h)
	p.grant() // those after it may fit
	if over {
		return errOverShare
	}
	return domain.ErrUnavailable
}

// release ends the use of bytes of a share.
func (p *Pool) release(s *Share, bytes int64) {
	p.used -= bytes
	s.holder.held -= bytes
	if s.ended {
		p.ending -= bytes
		s.holder.ending -= bytes
	}
	p.forget(s.holder)
	p.grant()
}
