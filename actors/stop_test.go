package actors

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// A router that waits for the broker does not read its mailbox: the node's stop must reach
// it all the same.
func TestNode_StopsWhileRoutersWaitForTheBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var off atomic.Bool // the broker takes nothing
		var tries atomic.Int64
		journal := newFaultyLog(1, 2)
		journal.refuse = func(int) error {
			if !off.Load() {
				return nil
			}
			tries.Add(1)
			return errAway
		}
		r := newHarness(t, 2, Options{Logs: Logs{Journal: journal}})
		off.Store(true)
		r.publish(domain.Activity{Member: 1, Definition: 100, Brand: 1, Time: 1_700_000_000, Hash: 1})
		r.eventually("an append", func() bool { return tries.Load() > 3 })
		began := time.Now()
		r.close()
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the stop took %v", took)
		}
		after := tries.Load()
		time.Sleep(time.Minute)
		if n := tries.Load() - after; n > 0 {
			t.Errorf("%d attempts after the stop", n)
		}
	})
}

// Questions that wait for a worker when the node stops hold views: each is given back.
func TestNode_StopsWithWaitingQuestions(t *testing.T) {
	r := furnished(t, 1, 1, Options{Questions: Questions{Workers: 1}})
	r.register(1)
	out := r.occupy(r.wrapBusy())
	const clients = 40
	answered := make(chan error, clients)
	for range clients {
		go func() {
			q := &domain.Question{Account: 1, Shape: domain.ShapeTally, Range: domain.AllTime}
			_, err := r.node.Ask(context.Background(), q, domain.Position{})
			answered <- err
		}()
	}
	r.eventually("queue", func() bool { return r.node.questions.Open() == clients })
	stopped := make(chan error)
	go func() { stopped <- r.node.Stop(time.Minute) }()
	r.eventually("end", func() bool { return r.node.lifetime.ctx.Err() != nil })
	close(out)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	for range clients {
		if err := <-answered; !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("a question that waited: %v", err)
		}
	}
	r.stopped()
}

// Stop returns within its time, and names what still runs: a shard whose store does not
// open, or a reader that hangs. A shard is waited for as long as its store is open.
func TestNode_StopNamesWhatStillRuns(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	r.close()
	in, out := make(chan struct{}), make(chan struct{})
	r.bar = func(i int) error {
		if i == 1 {
			close(in)
			<-out
		}
		return nil
	}
	r.boot()
	<-in
	began := time.Now()
	err := r.node.Stop(200 * time.Millisecond)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	var still *StopError
	if !errors.As(err, &still) || !slices.Contains(still.Still, "shard 1") || slices.Contains(still.Still, "shard 0") {
		t.Errorf("the end: %v", err)
	}
	close(out)
	r.close() // all ends now
}

// rowsEnd signals at when a shard loads its first rows, and blocks their reader until on is
// closed.
type rowsEnd struct {
	shard.Store
	at, on chan struct{}
	calls  *atomic.Int64
}

func (s rowsEnd) Rows(f func(domain.AccountID, domain.BrandID, []domain.Row) error) error {
	for range 1000 {
		if s.calls.Add(1) == 1 {
			close(s.at)
			<-s.on
		}
		if err := f(1, 1, nil); err != nil {
			return err
		}
	}
	return nil
}

// A shard that loads a large state ends when the node stops, not when all is loaded.
func TestNode_StopEndsAShardThatLoads(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	r.close()
	at, on := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	r.wrap = func(_ int, s shard.Store) shard.Store { return rowsEnd{s, at, on, &calls} }
	r.boot()
	<-at
	stopped := make(chan error)
	go func() { stopped <- r.node.Stop(time.Minute) }()
	r.eventually("stop", func() bool { return r.node.lifetime.loading.Err() != nil })
	close(on)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if n := calls.Load(); n > 1 {
		t.Errorf("%d more stretches of rows were loaded", n-1)
	}
	r.stopped()
}

// A store that is closed while a reader is open reports a leak.
func TestNode_StopWaitsForReaders(t *testing.T) {
	r := newHarness(t, 1, Options{})
	v := r.node.running[0].View.Acquire()
	if v == nil {
		t.Fatal("no view")
	}
	stopped := make(chan struct{})
	go func() { _ = r.node.Stop(time.Minute); close(stopped) }()
	r.eventually("retreat of the view", func() bool { return r.node.running[0].View.Peek() == nil })
	select {
	case <-stopped:
		t.Error("it stopped with a reader")
	case <-time.After(50 * time.Millisecond): // it has all that it takes but us
	}
	if _, _, err := v.Snapshot.Identity(1, identityOf(0)); err != nil {
		t.Error(err)
	}
	v.Release()
	<-stopped
	r.stopped()
}
