package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain/trace"
)

// spans are those of a request that is traced; else zero, which record nothing. They have what the access log has:
// the pattern of the path, the status, the request's id and the application, and nothing that the client has sent.
type spans struct {
	request   trace.Span
	admission trace.Span // all steps before the handler
}

// begin begins the spans of a request that came, in the trace of its caller.
func (s *spans) begin(x *exchange) {
	s.request = x.server.Config.Tracer.Request(x.r.Header.Get("Traceparent"), x.began)
	if !s.request.Recording() {
		return
	}
	s.admission = s.request.StartAt("admission", x.began)
	x.deadline.request = trace.With(x.deadline.request, s.request)
}

// end ends the spans of an answered request.
func (s *spans) end(x *exchange, at time.Time) {
	if !s.request.Recording() {
		return
	}
	s.admission.EndAt(at) // where the handler was not reached
	r, route := s.request, x.reply.route
	method := knownMethod(x.r.Method)
	if route == "" {
		r.Rename(method)
	} else {
		r.Rename(method + " " + route)
		r.Text("http.route", route)
	}
	r.Text("http.request.method", method)
	r.Int("http.response.status_code", int64(x.reply.status))
	r.Text("ovation.request", x.random.String())
	if app := x.req.Caller.App; app != nil {
		r.Text("ovation.application", strconv.FormatUint(uint64(app.ID), 10))
	}
	if x.reply.status >= http.StatusInternalServerError {
		r.Fail()
	}
	r.EndAt(at)
}
