package serve

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/wire"
)

// retryAfter is how long a client should wait before it repeats, in seconds.
const retryAfter = "1"

// Response is what an answer carries beside its body.
type Response struct {
	Status   int
	Position domain.Position
	LagMs    int64  // -1: the lag of now
	Span     string // X-Range
	Warnings []string
	Replayed bool
	Retry    uint32       // seconds until a retry may succeed; 0: no header
	last     func() error // makes what the ETag leaves out; nil: nothing
}

// Warn adds a Warning to the answer.
func (r *Response) Warn(text string) { r.Warnings = append(r.Warnings, text) }

// AtLast has f make something of the answer that the ETag leaves out.
func (r *Response) AtLast(f func() error) {
	before := r.last
	r.last = func() error {
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		return f()
	}
}

// answer writes what an operation gave: the body with the headers that belong to
// it, or nothing but headers for one that the client has.
func (x *exchange) answer(body any) error {
	if x.tag != "" {
		x.allowed.Free(x.server.Now)
		x.notModified(x.tag)
		return nil
	}
	if s, ok := body.(Stream); ok {
		return x.stream(s)
	}
	b, kind, err := encode(body)
	if err != nil {
		return err
	}
	req := &x.req
	h, tag, tags := x.w.Header(), "", x.tags()
	if x.op.Method == http.MethodGet {
		tag = poll.ETag(b)
		x.server.cache.Store(&x.poll, tag, b, req.Span, req.Warnings)
		if poll.Matches(tags, tag) {
			x.server.cache.Compared(true)
			x.notModified(tag) // its token stays taken: the answer was made
			return nil
		}
	}
	if req.last != nil {
		if err := req.last(); err != nil {
			return err
		}
		if b, kind, err = encode(body); err != nil {
			return err
		}
	}
	if tag != "" {
		h["Etag"] = []string{tag}
	}
	if len(tags) > 0 {
		x.server.cache.Compared(false)
	}
	x.headers(h)
	showQuota(h, &x.allowed, false)
	x.send(req.Status, kind, b)
	return nil
}

// Media is an answer that is no JSON.
type Media interface {
	MediaType() string // of every value, a nil one too
	Encode() ([]byte, error)
}

// encode gives the bytes of an answer and their media type.
func encode(body any) (b []byte, kind string, err error) {
	if m, ok := body.(Media); ok {
		kind = m.MediaType()
		b, err = m.Encode()
	} else {
		kind = wire.ContentType
		b, err = wire.Encode(body)
	}
	if err != nil {
		return nil, "", &domain.Error{Code: domain.Internal, Op: "encode", Err: err}
	}
	return b, kind, nil
}

// notModified answers that the client has the answer.
func (x *exchange) notModified(tag string) {
	h := x.w.Header()
	h["Etag"] = []string{tag}
	x.headers(h)
	showQuota(h, &x.allowed, false)
	x.empty(http.StatusNotModified)
}

// headers are those of the request's answers, errors too.
func (x *exchange) headers(h http.Header) {
	values := make([]string, 0, 5)    // one array for all of them: a poll is little else
	set := func(name, value string) { // a name in its canonical form
		values = append(values, value)
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
	req := &x.req
	set("Cache-Control", "private, no-cache")
	set("X-Position", wire.EncodePosition(req.Position))
	if x.op.Method == http.MethodGet {
		lag := req.LagMs
		if lag < 0 {
			lag = req.Engine.Lag().Milliseconds()
		}
		set("X-Lag-Ms", strconv.FormatInt(lag, 10))
	}
	if req.Span != "" {
		set("X-Range", req.Span)
	}
	if req.Retry > 0 {
		set("Retry-After", strconv.FormatUint(uint64(req.Retry), 10))
	}
	if req.Replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	most := MaxWarnings
	if x.allowed.Over() { // that is a warning, too
		most--
	}
	// Clients and proxies bound the headers of an answer. Those of unknown names are the first: they yield.
	for _, text := range req.Warnings[max(0, len(req.Warnings)-most):] {
		h.Add("Warning", "299 - "+strconv.QuoteToASCII(text))
	}
	for _, l := range req.Header {
		h.Add("Link", l)
	}
}

// refuse writes an error as a problem. A bug is logged here, once, under the request's id.
func (x *exchange) refuse(err error) {
	p := problem.Of(err)
	if !x.admitted {
		x.w.Header().Set("Cache-Control", notKept)
	}
	switch p.Error.Code {
	case int(domain.Internal):
		p.Request = x.random.String()
		x.server.Logger.Error("request failed", slog.String("operation", x.counts.name), slog.String("request", p.Request), slog.Any("err", err))
	case int(domain.Unavailable):
		x.w.Header().Set("Retry-After", retryAfter)
	}
	if e, ok := asError(err); ok && e.Survivor != 0 {
		x.w.Header().Set("Location", locationOf(e, x.route, x.r.URL.Path))
	}
	showQuota(x.w.Header(), &x.allowed, p.Error.Code == int(domain.RateLimited))
	b, err := wire.Encode(p)
	if err != nil { // a struct of texts always has a JSON form
		x.empty(p.Status)
		return
	}
	x.send(p.Status, problem.ContentType, b)
}

// crashed answers a request on which the program panicked. The stack is logged,
// the value is not where it could quote a parameter.
func (x *exchange) crashed(p any) {
	cause := fmt.Sprintf("%T", p)
	if err, ok := p.(interface{ RuntimeError() }); ok {
		cause = fmt.Sprint(err)
	}
	err := &domain.Error{Code: domain.Internal, Op: "panic", Err: fmt.Errorf("%s\n%s", cause, debug.Stack())}
	x.refuse(err)
}
