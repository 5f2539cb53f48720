package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// tlsListener accepts connections whose handshake is done. net/http takes one of HTTP/2 only as
// the *tls.Conn itself; one of HTTP/1.1 is a conn.
type tlsListener struct {
	net.Listener
	config  *tls.Config
	within  time.Duration // a handshake ends
	ready   chan net.Conn
	failed  chan error
	done    <-chan struct{}
	cancel  func()
	running sync.WaitGroup
}

// newTLSListener starts to accept from l.
func newTLSListener(l net.Listener, config *tls.Config, within time.Duration) *tlsListener {
	ctx, cancel := context.WithCancel(context.Background())
	t := &tlsListener{
		Listener: l, config: config, within: within,
		ready: make(chan net.Conn), failed: make(chan error), done: ctx.Done(), cancel: cancel,
	}
	t.running.Go(func() { t.run(ctx) })
	return t
}

// run accepts connections until the listener is closed. An error waits for Accept, which may be
// called again after it.
func (l *tlsListener) run(ctx context.Context) {
	for {
		c, err := l.Listener.Accept()
		if err == nil {
			l.running.Go(func() { l.handshake(ctx, c) })
			continue
		}
		select {
		case l.failed <- err:
		case <-l.done:
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// handshake makes a connection ready, or closes it.
func (l *tlsListener) handshake(ctx context.Context, plain net.Conn) {
	within, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	c := tls.Server(plain, l.config)
	if err := c.HandshakeContext(within); err != nil {
		answerPlain(err, l.within)
		_ = plain.Close()
		return
	}
	var ready net.Conn = c
	if c.ConnectionState().NegotiatedProtocol != "h2" {
		ready = &tlsConn{conn{c}, c}
	}
	select {
	case l.ready <- ready:
	case <-l.done:
		_ = ready.Close()
	}
}

// answerPlain tells a client that speaks HTTP without TLS what is wrong, as net/http does.
func answerPlain(err error, within time.Duration) {
	wrong, ok := errors.AsType[tls.RecordHeaderError](err)
	if !ok || wrong.Conn == nil {
		return
	}
	switch string(wrong.RecordHeader[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO":
		_ = wrong.Conn.SetDeadline(time.Now().Add(within))
		_, _ = io.WriteString(wrong.Conn, "HTTP/1.0 400 Bad Request\r\n\r\nThis port speaks HTTPS.\n")
	}
}

// Accept gives the next connection whose handshake is done.
func (l *tlsListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.ready:
		return c, nil
	case err := <-l.failed:
		return nil, err
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends handshakes under way, too.
func (l *tlsListener) Close() error {
	err := l.Listener.Close()
	l.cancel()
	l.running.Wait()
	return err
}
