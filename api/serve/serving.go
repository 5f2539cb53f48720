package serve

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"
)

// byEncoding is the header Vary of every answer. It is never written to.
var byEncoding = []string{"Accept-Encoding"}

// ServeHTTP answers a request, counts it and logs it: at level debug, and in the access log.
func (a *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := newExchange(a, w, r)
	x.sessions = a.Config.Sessions
	a.serve(x, w)
}

// serve takes an exchange from its request to its answer.
func (a *Server) serve(x *exchange, w http.ResponseWriter) {
	defer x.close()
	_, _ = rand.Read(x.random[:]) // never fails
	h := w.Header()
	h["X-Request-Id"] = []string{x.random.String()}
	h["Vary"] = byEncoding[:1:1]
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			x.crashed(p)
		}
		ended := a.Config.Now() // reading the clock is much of a small answer
		x.note(ended, ended.Sub(x.began))
		if x.reply.cut {
			panic(http.ErrAbortHandler)
		}
	}()
	if err := x.serve(); err != nil {
		x.fail(err)
	}
}

// serve takes the steps up to the one that answers or fails.
func (x *exchange) serve() error {
	for _, step := range steps {
		if err := step(x); err != nil || x.reply.done() {
			return err
		}
	}
	return nil
}

// fail answers with an error, or with that of a rate that the request was not counted in yet.
func (x *exchange) fail(err error) {
	if over := x.allowed.Settle(); over != nil {
		err = over
	}
	if x.admitted {
		x.headers(x.reply.w.Header())
		x.body.discard()
	}
	x.refuse(Unavailable(err))
}

// note counts an answered request and logs it.
func (x *exchange) note(at time.Time, took time.Duration) {
	c := &x.server.Config
	x.count(at)
	if c.Logger.Enabled(x.r.Context(), slog.LevelDebug) {
		c.Logger.Debug("request", slog.String("operation", x.counts.name), slog.Int("status", x.reply.status),
			slog.Duration("took", took), slog.String("request", x.random.String()))
	}
	if c.Access != nil {
		logAccess(c.Access, x, took)
	}
}

// count counts a request as of now, once: what it takes from here on is no time that its client waits.
func (x *exchange) count(at time.Time) {
	if x.counted {
		return
	}
	x.counted = true
	x.counts.add(x.reply.status, at.Sub(x.began))
	x.spans.end(x, at)
	x.hit(at)
}

// hit counts a request with a valid key in the engine; a 429 is none.
func (x *exchange) hit(at time.Time) {
	key := x.req.Caller.Key
	switch {
	case key == nil:
	case x.reply.status != http.StatusTooManyRequests:
		x.server.Config.Engine.Hit(key.Account, key.Application, x.server.Config.TimeOfDay(at), x.allowed.Paid())
	default:
		x.allowed.Unspend()
	}
}
