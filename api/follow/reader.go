package follow

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// maxRate is how many events a second a reader catches up by, at most.
const maxRate = 20_000

// busyRest is about how long a reader waits until it asks again for a page that could not be made.
const busyRest = 200 * time.Millisecond

// Reader is one reader's way over the pages of its question. It belongs to one goroutine.
type Reader struct {
	hub *Hub
	of  *follower
	at  Cursor
	own Source

	joined bool      // at the start of a page of the follower, or at its end
	next   uint64    // number of that page; of a reader that has joined
	rest   time.Time // the next page of its own is not made before
}

// At is the cursor after what Next has given.
func (r *Reader) At() Cursor { return r.at }

// Next gives a page of further events, of which it has one at least; nil: there are none after so long a time. The
// cursor goes on without events, too.
func (r *Reader) Next(ctx context.Context, patience time.Duration) (*Page, error) {
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		p, changed, join, err := r.look()
		if err != nil {
			return nil, err
		}
		switch {
		case p != nil:
			r.at = p.To
			r.next++
			if len(p.Text) > 0 {
				r.hub.shared.Add(1)
				return p, nil
			}
			continue
		case !r.joined:
			p, err = r.ask(ctx, join, over.C)
			if errors.Is(err, ErrBusy) {
				r.rest = time.Now().Add(busyRest + rand.N(busyRest))
				continue
			}
			if p == nil {
				return nil, err
			}
			moved := p.More || !p.To.equal(r.at)
			r.at = p.To
			if len(p.Text) > 0 {
				r.hub.own.Add(1)
				return p, nil
			}
			if moved {
				continue
			}
		}
		select {
		case <-changed:
		case <-over.C:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look finds the follower's page at the cursor; else what is closed when the follower has another one, and where the
// reader may join. joined without a page: the reader is at the follower's end.
func (r *Reader) look() (p *Page, changed <-chan struct{}, join Cursor, err error) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	f := r.of
	end := f.first + uint64(len(f.kept))
	if !r.joined || r.next < f.first {
		if r.next, r.joined = f.find(r.at); !r.joined && f.head.equal(r.at) {
			r.next, r.joined = end, true
		}
	}
	switch {
	case r.joined && r.next < end:
		return f.kept[r.next-f.first].Page, nil, nil, nil
	case f.err != nil:
		return nil, nil, nil, f.err
	case r.joined:
		return nil, f.changed, nil, nil
	}
	return nil, f.changed, f.joinAt(r.at), nil
}

// ask makes a page for this reader alone, up to where it may join, as soon as its rate allows; nil without an error:
// the patience was over before.
func (r *Reader) ask(ctx context.Context, join Cursor, over <-chan time.Time) (*Page, error) {
	rested := time.NewTimer(time.Until(r.rest))
	defer rested.Stop()
	select {
	case <-rested.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-over:
		return nil, nil
	}
	p, err := makePage(ctx, r.own, r.at, join)
	if err != nil {
		return nil, err
	}
	p.Own = true
	r.rest = time.Now().Add(max(time.Duration(len(p.Events)), 1) * time.Second / maxRate)
	return p, nil
}

// Close ends the reader, and its follower where no other reader has it.
func (r *Reader) Close() { r.hub.leave(r.of) }
