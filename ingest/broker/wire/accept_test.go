package wire_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
)

// failing is a listener that has no descriptor for its first clients.
type failing struct {
	net.Listener
	left   atomic.Int64
	failed chan struct{} // closed at the first
}

func (l *failing) Accept() (net.Conn, error) {
	switch n := l.left.Add(-1); {
	case n < 0:
		return l.Listener.Accept()
	case l.failed != nil:
		close(l.failed)
		l.failed = nil
	}
	return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
}

func listening(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A process without descriptors accepts again when it has some: clients that came in between are
// served then.
func TestBroker_AcceptsAgain(t *testing.T) {
	l := &failing{Listener: listening(t)}
	l.left.Store(3)
	r := newHarness(t, func(c *wire.Config, _ *log.Options) { c.Listener = l })
	ask[*kmsg.MetadataResponse](r.dial(), kmsg.NewPtrMetadataRequest(), 12)
	if n := l.left.Load(); n >= 0 {
		t.Errorf("%d clients more were to be refused", n+1)
	}
}

// Close ends a broker that waits to accept again. A listener that something else closed is an error
// of Run, with which the program ends.
func TestBroker_EndsOfItsListener(t *testing.T) {
	l := &failing{Listener: listening(t), failed: make(chan struct{})}
	l.left.Store(1 << 40)
	failed := l.failed
	b, err := wire.New(wire.Config{Listen: "127.0.0.1:0", Listener: l, Logger: quiet}, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- b.Run(context.Background()) }()
	<-failed
	b.Close()
	if err := <-done; err != nil {
		t.Errorf("closed: %v", err)
	}
	other := listening(t)
	if b, err = wire.New(wire.Config{Listen: "127.0.0.1:0", Listener: other, Logger: quiet}, nil); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Run(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("its listener was closed: %v", err)
	}
}
