package actors

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// writtenAndRead is a member that is merged while activities come for it and questions are asked.
type writtenAndRead struct {
	*harness
	ids       [2]domain.MemberID // into which it is merged, and it
	published atomic.Uint64
	over      atomic.Bool
	running   sync.WaitGroup
	many      uint64 // actions of the member that is merged, before
}

// write publishes activities of both until it is over, and asks for each before it goes on.
func (x *writtenAndRead) write() {
	for n := uint64(1); !x.over.Load(); n++ {
		for i, id := range x.ids {
			a := x.actOf(id, n<<32|uint64(i)<<31)
			a.Brand, a.Time = 1, 1_600_000_000+int64(n%10_000)*300
			x.published.Add(1)
			x.publish(a)
		}
		if got, ok := x.tally(x.ids[:], true); !ok || got.Actions != x.published.Load() {
			x.t.Errorf("%+v, published were %d", got, x.published.Load())
			return
		}
	}
}

// read asks for the two, and for the one that is merged: what was there stays, what comes adds.
func (x *writtenAndRead) read() {
	last := uint64(0) // of the two; of the one alone it falls when the merge is taken back
	for i := 0; !x.over.Load(); i++ {
		got, ok := x.tally(x.ids[i%2:], false)
		if atMost := x.published.Load(); !ok || got.Actions < x.many || got.Actions > atMost || got.Members > 2 {
			x.t.Errorf("question %d: %+v, at most %d", i, got, atMost)
			return
		}
		if i%2 == 0 {
			if got.Actions < last {
				x.t.Errorf("question %d: %+v, before it were %d", i, got, last)
				return
			}
			last = got.Actions
		}
	}
}

// tally counts the actions of members, if wait is set with all that was accepted before. A machine that
// is busy is asked again.
func (x *writtenAndRead) tally(members []domain.MemberID, wait bool) (domain.Count, bool) {
	q := allOf(domain.ShapeTally, 1)
	q.Filter.Members = members
	for {
		var at domain.Position
		var err error
		if wait {
			at, err = x.node.AcceptedPosition(context.Background())
		}
		var a *domain.Answer
		if err == nil {
			a, err = x.node.Ask(context.Background(), q, at)
		}
		switch {
		case err == nil:
			return a.Tally.Total, true
		case !errors.Is(err, domain.ErrUnavailable):
			x.t.Error(err)
			return domain.Count{}, false
		}
	}
}

// A member of many actions merges and parts while it is written to and read: no read shows less than
// was there, or more than was published, and at the end nothing is lost or double.
func TestMerge_OfManyActionsWhileWrittenAndRead(t *testing.T) {
	x := &writtenAndRead{harness: furnished(t, 2, 1, Options{}), many: uint64(sampled(mergeLarge))}
	x.ids = [2]domain.MemberID{x.memberOf(0), x.memberOf(1)}
	for i := range x.many {
		a := x.actOf(x.ids[1], i+1)
		a.Brand, a.Time = 1, 1_600_000_000+int64(i)*30
		x.publish(a)
	}
	x.published.Store(x.many)
	x.settled()
	t.Cleanup(func() { // before the node is closed
		x.over.Store(true)
		x.running.Wait()
	})
	x.running.Go(x.write)
	x.running.Go(x.read)
	x.running.Go(x.read)
	for range 2 {
		began := time.Now()
		x.submit(domain.Submission{Account: 1, Slot: x.ids[0].Slot(), Command: &domain.MergeMembers{Member: x.ids[0], From: x.ids[1]}})
		t.Logf("%d actions merged after %v", x.many, time.Since(began))
		began = time.Now()
		x.submit(domain.Submission{Account: 1, Slot: x.ids[0].Slot(), Command: &domain.UnmergeMember{Member: x.ids[0], From: x.ids[1]}})
		t.Logf("and parted after %v", time.Since(began))
	}
	x.over.Store(true)
	x.running.Wait()
	x.settled()
	q := allOf(domain.ShapeTally, 1)
	if got := x.ask(q).Tally.Total; got.Actions != x.published.Load() || got.Members != 2 {
		t.Errorf("%+v, published were %d", got, x.published.Load())
	}
}
