package transport

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// MaxHeaderBytes bounds what is read of a request's line and header. The handler refuses what
// is over its own bound, half of it.
const MaxHeaderBytes = 128 << 10

// Limits are how long the parts of an exchange may take. A zero one is the default.
type Limits struct {
	Header  time.Duration // from a request's first byte to the end of its header, or a handshake; 5 s
	Request time.Duration // to the end of its body; 30 s
	Answer  time.Duration // from the end of the header to the end of the answer; 60 s
	Idle    time.Duration // of a connection without a request; 2 min
}

// Options are what a Server is made of.
type Options struct {
	Handler     http.Handler
	Certificate *Certificate // nil: no TLS
	Limits      Limits
	EndLasting  func() // has answers end that would go on, with a word to their clients; nil: there are none
	Log         *slog.Logger
}

// Server serves a handler.
type Server struct {
	handler     http.Handler
	certificate *Certificate
	limits      Limits
	endLasting  func()
	http        *http.Server
	closing     atomic.Bool
}

// New makes a Server.
func New(o Options) *Server {
	s := &Server{handler: o.Handler, certificate: o.Certificate, endLasting: o.EndLasting}
	s.limits = Limits{
		Header:  cmp.Or(o.Limits.Header, 5*time.Second),
		Request: cmp.Or(o.Limits.Request, 30*time.Second),
		Answer:  cmp.Or(o.Limits.Answer, time.Minute),
		Idle:    cmp.Or(o.Limits.Idle, 2*time.Minute),
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(o.Certificate == nil)
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		Protocols:         protocols,
		ReadHeaderTimeout: s.limits.Header,
		ReadTimeout:       s.limits.Request,
		WriteTimeout:      s.limits.Answer,
		IdleTimeout:       s.limits.Idle,
		MaxHeaderBytes:    MaxHeaderBytes,
		ErrorLog:          errorLog(o.Log),
	}
	return s
}

// closes is the header Connection of answers while the server drains. It is never written to.
var closes = []string{"close"}

// serve passes a request to the handler. While the server drains, the answer tells the client
// not to use the connection again: HTTP/2 sends GOAWAY for it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if s.closing.Load() {
		w.Header()["Connection"] = closes
	}
	s.handler.ServeHTTP(w, r)
}

// Serve serves what the listener accepts until the server is drained or closed.
func (s *Server) Serve(l net.Listener) error {
	if s.certificate == nil {
		l = listener{l}
	} else {
		l = newTLSListener(l, s.certificate.config(), s.limits.Header)
	}
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Drain ends serving. For the time of still, responses to new requests carry Connection: close; then
// the listener closes, answers that would go on are ended, and requests under way are answered. A request that is not answered when
// ctx ends is cut off, which is an error.
func (s *Server) Drain(ctx context.Context, still time.Duration) error {
	s.closing.Store(true)
	if still > 0 {
		wait, cancel := context.WithTimeout(ctx, still)
		<-wait.Done()
		cancel()
	}
	if s.endLasting != nil {
		s.endLasting()
	}
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(errors.New("requests under way were cut off"), err, s.http.Close())
	}
	return err
}

// Close ends serving at once.
func (s *Server) Close() error { return s.http.Close() }
