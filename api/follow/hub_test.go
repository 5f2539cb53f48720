package follow

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// An account has as many readers as it may have, a node as many as it can carry; who leaves makes room.
func TestHub_BoundsReaders(t *testing.T) {
	h := NewHub(64 << 20)
	enter := func(account domain.AccountID, want domain.Code) (leave func()) {
		t.Helper()
		leave, err := h.Enter(account, 20)
		if domain.CodeOf(err) != want {
			t.Fatalf("account %d with %d readers of the node: %v, want code %d", account, h.Stats().Readers, err, want)
		}
		return leave
	}
	var leave []func()
	for account := range domain.AccountID(MaxReaders / 20) {
		for range 20 {
			leave = append(leave, enter(account+1, domain.OK))
		}
	}
	enter(1, domain.RateLimited)
	enter(MaxReaders, domain.Unavailable)
	leave[0]()
	enter(2, domain.RateLimited)
	enter(1, domain.OK)
	for _, one := range leave[1:] {
		one()
	}
	if n := h.Stats().Readers; n != 1 {
		t.Errorf("%d readers are left, want 1", n)
	}
	h.Drain()
	enter(3, domain.Unavailable)
	if h.Draining().Err() == nil {
		t.Error("streams are not told that the node stops")
	}
}

// A node follows so many questions; readers of one question share a follower, which ends with the last of them.
func TestHub_BoundsFollowers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(64 << 20)
		empty := newJournal(1)
		newSource := func() Source { return &source{journal: empty, limit: 1} }
		follow := func(text string) (*Reader, error) {
			return h.Follow(1, text, Cursor{0}, Cursor{0}, newSource(), newSource)
		}
		var readers []*Reader
		for i := range MaxFollowers {
			for range 2 {
				r, err := follow(fmt.Sprint("question ", i))
				if err != nil {
					t.Fatal(err)
				}
				readers = append(readers, r)
			}
		}
		if _, err := follow("one more"); domain.CodeOf(err) != domain.Unavailable {
			t.Errorf("one question more than %d: %v", MaxFollowers, err)
		}
		for i, r := range readers {
			r.Close()
			if n, want := h.Stats().Followers, MaxFollowers-(i+1)/2; n != want {
				t.Fatalf("%d followers after %d readers have gone, want %d", n, i+1, want)
			}
		}
	})
}

// Readers of one question share what its follower has made.
func TestHub_SharesPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, j := NewHub(64<<20), newJournal(1)
		newSource := func() Source { return &source{journal: j, limit: 10} }
		var readers []*Reader
		for range 50 {
			r, err := h.Follow(1, "q", Cursor{0}, Cursor{0}, newSource(), newSource)
			if err != nil {
				t.Fatal(err)
			}
			readers = append(readers, r)
		}
		synctest.Wait() // the follower has looked once
		for range 30 {
			j.record(0, true)
		}
		before := j.asked()
		time.Sleep(time.Second)
		for i, r := range readers {
			got := make([][]string, 1)
			for range 3 {
				p, err := r.Next(t.Context(), 0)
				if err != nil {
					t.Fatal(err)
				}
				taken(t, got, p.Text, nil, p.Count)
			}
			if len(got[0]) != 30 {
				t.Fatalf("reader %d has %d events, want 30", i, len(got[0]))
			}
			r.Close()
		}
		if s := h.Stats(); s.Shared != 150 || s.Own != 0 || j.asked()-before > 4 {
			t.Errorf("%d pages were asked for, %d of the follower's taken, %d made by readers", j.asked()-before, s.Shared, s.Own)
		}
	})
}

// leaving is a source that takes some time to notice that nobody waits for it any more.
type leaving struct {
	*source
	calls *atomic.Int64 // under way
}

func (s leaving) Wait(ctx context.Context) error {
	s.calls.Add(1)
	defer s.calls.Add(-1)
	<-ctx.Done()
	time.Sleep(3 * time.Second)
	return ctx.Err()
}

// The last reader of a follower waits until that has ended: nothing is asked for streams after their requests.
func TestHub_FollowerEndsWithItsReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, empty := NewHub(64<<20), newJournal(1)
		var calls atomic.Int64
		newSource := func() Source { return leaving{&source{journal: empty, limit: 1}, &calls} }
		var readers [2]*Reader
		for i := range readers {
			var err error
			if readers[i], err = h.Follow(1, "question", Cursor{0}, Cursor{0}, newSource(), newSource); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		for i, want := range []int64{1, 0} {
			readers[i].Close()
			if n := calls.Load(); n != want {
				t.Errorf("%d calls of the source after %d of 2 readers, want %d", n, i+1, want)
			}
		}
	})
}
