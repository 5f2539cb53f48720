package actors

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What one node has registered is known at another once that one has read the log to its end, which it does once
// for all that ask together; a log whose end cannot be read gives Unavailable in about a second.
func TestReadMembers_OfAnotherNode(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		a := furnished(t, 2, 1, Options{})
		cut := newCutLog(a.journal)
		b := a.beside(Options{Logs: Logs{Journal: cut, Catalog: a.catalog}})
		ctx := context.Background()
		for n := range 200 {
			id := a.register(n)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if err := b.node.ReadMembers(ctx, identityOf(n).Slot()); err != nil {
						t.Errorf("%d: %v", n, err)
					}
				})
			}
			wg.Wait()
			if _, _, err := b.node.MemberRecord(ctx, 1, id, domain.Position{}); err != nil {
				t.Fatalf("member %d: %v", n, err)
			}
			named, _, err := b.node.Resolve(ctx, 1, domain.ByService, identityOf(n), domain.Position{})
			if err != nil || named != id {
				t.Fatalf("identity %d is of %d: %v", n, named, err)
			}
		}
		cut.cut.Store(true)
		began := time.Now()
		if err := b.node.ReadMembers(ctx, 0); !errors.Is(err, domain.ErrUnavailable) || time.Since(began) > 2*time.Second {
			t.Errorf("cut off: %v after %s", err, time.Since(began))
		}
		cut.heal(t)
	})
}
