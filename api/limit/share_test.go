package limit

import (
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// link is the connection of a transfer: its time limit as set last.
type link struct{ limit atomic.Pointer[time.Time] }

func (l *link) set(t time.Time) { l.limit.Store(&t) }

// ended reports that the time limit is over.
func (l *link) ended() bool {
	limit := l.limit.Load()
	return limit != nil && limit.Before(time.Now())
}

// startTransfer begins one of an account.
func startTransfer(t *testing.T, p *Pool, account domain.AccountID, bytes int64, patience time.Duration) (*Share, *link) {
	t.Helper()
	s, err := p.Acquire(always(t.Context()), account, bytes)
	if err != nil {
		t.Fatal(err)
	}
	l := new(link)
	s.Start(patience, l.set)
	return &s, l
}

var slowAfter = Bounds{Bytes: 100, Waiters: 10, Step: 10, Within: time.Second}

// Under half of the pool no transfer ends but for its patience; over half those end that are slow,
// the slowest first, and no more of them than are in the way.
func TestTransfers_SlowestEndFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(slowAfter)
		stalled, at := startTransfer(t, p, 1, 20, time.Minute)
		time.Sleep(100 * time.Millisecond)
		drips, dripsAt := startTransfer(t, p, 2, 20, time.Minute)
		time.Sleep(10 * time.Second)
		if at.ended() || dripsAt.ended() {
			t.Fatal("one ended without pressure")
		}
		quick, quickAt := startTransfer(t, p, 3, 20, time.Minute)
		if !at.ended() || dripsAt.ended() || quickAt.ended() {
			t.Fatal("the slowest did not end, or another one did")
		}
		if stalled.Moved(1) || stalled.Stop() {
			t.Fatal("it is not told")
		}
		stalled.Release()
		last, lastAt := startTransfer(t, p, 1, 20, time.Minute)
		for range 30 { // as fast as it must be
			time.Sleep(500 * time.Millisecond)
			if !quick.Moved(5) || !last.Moved(5) {
				t.Fatal("a fast one ended")
			}
			drips.Moved(0)
		}
		if !dripsAt.ended() || quickAt.ended() || lastAt.ended() {
			t.Fatal("another one than the slow one ended")
		}
		for _, s := range []*Share{drips, quick, last} {
			s.Release()
		}
		if p.used != 0 || p.ending != 0 || len(p.moving) != 0 || len(p.accounts) != 0 {
			t.Errorf("%d bytes are left, %d ending, %d moving", p.used, p.ending, len(p.moving))
		}
	})
}

// A request that waits for the share of its own account has a slow transfer of that account end, and
// none of another one.
func TestTransfers_OwnSlowOnesMakeWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bounds := slowAfter
		bounds.Share = 20
		p := NewPool(bounds)
		_, others := startTransfer(t, p, 1, 20, 0)
		own, at := startTransfer(t, p, 2, 15, 0)
		time.Sleep(2 * time.Second)
		next := enter(p, 2, 10)
		if !at.ended() || others.ended() || !next.waits() {
			t.Fatalf("own ended: %t, of another account: %t", at.ended(), others.ended())
		}
		own.Release()
		synctest.Wait()
		if next.waits() || next.err != nil {
			t.Fatal(next.err)
		}
	})
}

// A transfer that becomes slow while a request waits ends then, without anything that comes.
func TestTransfers_EndWhileOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(slowAfter)
		s, at := startTransfer(t, p, 1, 90, time.Minute)
		next := enter(p, 2, 50)
		if at.ended() {
			t.Fatal("it has just begun")
		}
		time.Sleep(1100 * time.Millisecond)
		if !at.ended() {
			t.Fatal("it is slow")
		}
		s.Release()
		synctest.Wait()
		if next.waits() {
			t.Fatal("the next one waits on")
		}
	})
}

// A patience is extended by what moves and by nothing else; without one the time limit is not touched.
func TestTransfers_Patience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(slowAfter)
		s, at := startTransfer(t, p, 1, 1, time.Minute)
		for range 5 {
			time.Sleep(50 * time.Second)
			if at.ended() || !s.Moved(1) {
				t.Fatal("it moves")
			}
		}
		time.Sleep(61 * time.Second)
		if !at.ended() {
			t.Error("nothing moved for over a minute")
		}
		plain, none := startTransfer(t, p, 1, 1, 0)
		if plain.Moved(1); none.limit.Load() != nil {
			t.Error("a time limit was set")
		}
	})
}

// Between the parts of a stream nothing moves, and that is not the client's fault.
func TestTransfers_PausedAreNotSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(slowAfter)
		s, at := startTransfer(t, p, 1, 90, time.Minute)
		if !s.Stop() {
			t.Fatal("it was ended")
		}
		next := enter(p, 2, 50)
		time.Sleep(30 * time.Second)
		if at.ended() {
			t.Fatal("it ended while nothing was to be moved")
		}
		s.Start(time.Minute, at.set)
		time.Sleep(2 * time.Second)
		if !at.ended() || !next.waits() {
			t.Fatal("it is slow again")
		}
		s.Release()
		synctest.Wait()
		next.share.Release()
	})
}

// Where any transfer may end, the oldest ends for the next one, however fast it is; what grows
// makes others end, too.
func TestTransfers_OldestEndsForNewcomers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(Bounds{Bytes: 100, Waiters: 10, Step: math.MaxInt64})
		var links []*link
		var shares []*Share
		for range 6 {
			s, at := startTransfer(t, p, 0, 10, 0)
			s.Moved(1 << 20)
			links, shares = append(links, at), append(shares, s)
			time.Sleep(time.Millisecond)
		}
		if !links[0].ended() || links[1].ended() {
			t.Fatal("the oldest ends")
		}
		shares[5].Resize(30)
		if !links[1].ended() || !links[2].ended() || links[3].ended() {
			t.Error("the next oldest end for what grew")
		}
		for _, s := range shares {
			s.Release()
		}
		if p.used != 0 || p.ending != 0 {
			t.Errorf("%d bytes are left, %d ending", p.used, p.ending)
		}
	})
}

// Every stage has bytes, and an account leaves three quarters of each to others; no share is shared
// where the key is not known.
func TestMemory_Divides(t *testing.T) {
	const all = 16 << 20
	m := NewMemory(all)
	sum := int64(0)
	for _, p := range []*Pool{m.Keyless, m.Incoming, m.Waiting, m.Making, m.Outgoing, m.Streams, m.Parts} {
		sum += p.bounds.Bytes
		if p != m.Keyless && p.bounds.Share != p.bounds.Bytes/4 {
			t.Errorf("%+v", p.bounds)
		}
	}
	if sum != all {
		t.Errorf("%d bytes of %d are given out", sum, all)
	}
	if _, err := NewMemory(2).Making.Acquire(nil, 1, 1<<30); err != nil {
		t.Error("one request fits always: ", err)
	}
}
