package serve

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/console/redact"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/wire"
)

// retryAfter is how long a client should wait before it repeats, in seconds.
const retryAfter = "1"

// answer writes what the handler has answered: the body with the headers that belong to it, or nothing but
// headers where the client has it.
func (x *exchange) answer() error {
	defer x.spans.request.Start("render").End()
	body := x.out
	switch s := body.(type) {
	case Stream:
		return x.stream(s)
	case Events:
		return x.events(s)
	}
	b, kind, err := x.encode(body)
	if err != nil {
		return err
	}
	req := &x.req
	h, tag, tags := x.reply.w.Header(), "", x.tags()
	if x.op.Method == http.MethodGet {
		tag = poll.ETag(b)
		x.server.cache.Store(&x.poll, tag, b, req.Response.Span, req.Response.Warnings)
		if poll.Matches(tags, tag) {
			x.server.cache.Compared(true)
			x.notModified(tag) // its token stays taken: the answer was made
			return nil
		}
	}
	if req.Response.last != nil {
		if err := req.Response.last(); err != nil {
			return err
		}
		if b, kind, err = x.encode(body); err != nil {
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
	x.reply.send(req.Response.Status, kind, b)
	return nil
}

// encode gives the bytes of an answer, without what the caller may not see, and their media type.
func (x *exchange) encode(body any) (b []byte, kind string, err error) {
	if b, kind, err = encode(body); err != nil || !x.redacts() {
		return b, kind, err
	}
	if kind != wire.ContentType {
		return nil, "", errUnredacted
	}
	if b, err = redact.JSON(b); err != nil {
		return nil, "", &domain.Error{Code: domain.Internal, Op: "redact", Err: err}
	}
	return b, kind, nil
}

// notModified answers that the client has the answer.
func (x *exchange) notModified(tag string) {
	h := x.reply.w.Header()
	h["Etag"] = []string{tag}
	x.headers(h)
	showQuota(h, &x.allowed, false)
	x.reply.empty(http.StatusNotModified)
}

// refuse writes an error as a problem. A bug is logged here, once, under the request's id.
func (x *exchange) refuse(err error) {
	p := problem.Of(err)
	if !x.admitted {
		x.reply.w.Header().Set("Cache-Control", notKept)
	}
	switch p.Error.Code {
	case int(domain.Internal):
		p.Request = x.random.String()
		x.server.Config.Logger.Error("request failed", slog.String("operation", x.counts.name), slog.String("request", p.Request), slog.Any("err", err))
	case int(domain.Unavailable):
		x.reply.w.Header().Set("Retry-After", retryAfter)
	}
	if e, ok := asError(err); ok && e.Survivor != 0 {
		x.reply.w.Header().Set("Location", x.prefix()+locationOf(e, x.reply.route, x.r.URL.Path))
	}
	showQuota(x.reply.w.Header(), &x.allowed, p.Error.Code == int(domain.RateLimited))
	b, err := wire.Encode(p)
	if err != nil { // a struct of texts always has a JSON form
		x.reply.empty(p.Status)
		return
	}
	x.reply.send(p.Status, problem.ContentType, b)
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
