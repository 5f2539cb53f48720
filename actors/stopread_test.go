package actors

import (
	"testing"
	"time"
)

// A store that is closed while somebody reads it says that it leaks.
func TestANodeStopsNotBeforeItsReadersAreDone(t *testing.T) {
	r := newRig(t, 1, Options{})
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
	if err := r.store.Close(); err != nil {
		t.Error(err)
	}
	r.node = nil
}
