package follow

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

const (
	// every is how often a follower looks for new events.
	every = 100 * time.Millisecond
	// A follower keeps so many pages, and so many bytes of them.
	maxKept      = 64
	maxKeptBytes = 4 << 20
)

// question names what a follower follows.
type question struct {
	account domain.AccountID
	text    string
}

// follower asks a question for its readers. The hub's mutex guards what is not said to be its goroutine's.
type follower struct {
	of      question
	readers int
	stop    context.CancelFunc
	over    chan struct{} // closed when its goroutine has ended

	kept    []kept
	first   uint64 // number of the first page that is kept
	bytes   int
	head    Cursor        // after the last page
	err     error         // that ended it
	changed chan struct{} // closed at the next change
}

// kept is a page of a follower.
type kept struct {
	from Cursor
	*Page
}

// run asks until ctx or an error ends it, from the cursor head on.
func (h *Hub) run(ctx context.Context, f *follower, s Source, at Cursor) {
	for {
		began := time.Now()
		for more := true; more; {
			p, err := makePage(ctx, s, at, nil)
			if errors.Is(err, ErrBusy) && sleep(ctx, every) {
				continue
			}
			if err != nil {
				h.ended(f, err)
				return
			}
			if !p.To.equal(at) {
				h.add(f, at, p)
			}
			at, more = p.To, p.More
		}
		if err := s.Wait(ctx); err != nil {
			h.ended(f, err)
			return
		}
		if !sleep(ctx, every-time.Since(began)) {
			h.ended(f, ctx.Err())
			return
		}
	}
}

// makePage makes a page with its text, which ends at until at the latest; nil: where it ends. Of a shard that was read
// up to until nothing is asked: its newer events could else fill each page, and the reader would never get there.
func makePage(ctx context.Context, s Source, at, until Cursor) (*Page, error) {
	asked := slices.Clone(at)
	for i := range until {
		if at[i] == until[i] {
			asked[i] = math.MaxUint64
		}
	}
	p, err := s.Page(ctx, asked)
	if err != nil {
		return nil, err
	}
	for i := range until {
		if at[i] == until[i] {
			p.To[i] = at[i]
		}
	}
	if until != nil {
		p.cut(until)
	}
	p.bound(at)
	p.frame(s, at)
	return p, nil
}

// sleep waits; false: ctx has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// add keeps a page, and wakes the readers.
func (h *Hub) add(f *follower, from Cursor, p *Page) {
	p.Events = nil // its text is what readers take
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.readers == 0 {
		return
	}
	f.kept = append(f.kept, kept{from, p})
	f.bytes += len(p.Text)
	h.bytes += len(p.Text)
	f.head = p.To
	for len(f.kept) > maxKept || len(f.kept) > 0 && (f.bytes > maxKeptBytes || h.bytes > h.maxBytes) {
		h.bytes -= len(f.kept[0].Text)
		f.bytes -= len(f.kept[0].Text)
		f.kept[0] = kept{}
		f.kept = f.kept[1:]
		f.first++
	}
	f.wake()
}

// ended tells the readers of a follower that it is no more.
func (h *Hub) ended(f *follower, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f.err = err
	h.drop(f)
	f.wake()
}

// wake wakes the readers; the hub's mutex is held.
func (f *follower) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// find is the number of the page that begins at a cursor.
func (f *follower) find(at Cursor) (n uint64, ok bool) {
	for i := range f.kept {
		if f.kept[i].from.equal(at) {
			return f.first + uint64(i), true
		}
	}
	return 0, false
}

// joinAt is the first cursor at which a page begins, or will, that covers another; nil: there is none.
func (f *follower) joinAt(at Cursor) Cursor {
	for i := range f.kept {
		if f.kept[i].from.covers(at) {
			return f.kept[i].from
		}
	}
	if f.head.covers(at) {
		return f.head
	}
	return nil
}
