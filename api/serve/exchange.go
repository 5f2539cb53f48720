package serve

import (
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/poll"
)

// exchange is a request on its way through the steps. It belongs to the goroutine that
// serves the request.
type exchange struct {
	server   *Server
	r        *http.Request
	began    time.Time
	random   domain.RequestID // shown as X-Request-Id
	spans    spans
	deadline deadline
	memory   holding
	body     body
	reply    reply

	sessions  *session.Service // of the port; nil: it has no console
	adminPort bool             // the port is the admin port
	console   bool             // the request is one of the console's pages

	op       *Operation
	counts   *counters
	given    auth.Credentials
	admitted bool // the key is known: answers show the request's headers
	allowed  limit.Allowance
	poll     poll.Request
	in       any     // what the operation's plan has bound
	common   *common // of in
	req      Request
	out      any // what the handler has answered
	counted  bool
}

func newExchange(a *Server, w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{server: a, r: r, counts: a.none, began: a.Config.Now()}
	x.deadline.request = r.Context()
	if a.Config.Tracer != nil {
		x.spans.begin(x)
	}
	x.memory = holding{pools: a.memory, wait: &x.deadline}
	x.body = body{w: w, r: r, memory: &x.memory}
	x.reply = reply{w: w, r: r, memory: &x.memory}
	return x
}

// begin makes the request that the operation's handler gets.
func (x *exchange) begin() {
	a, req := x.server, &x.req
	req.config, req.journal, req.http = &a.Config, &a.journal, x.r
	req.each, req.objects, req.memory = x.op.Each, x.op.Objects, &x.memory
	req.Engine, req.Catalog = a.Config.Engine, a.Config.Engine.Catalog()
	if req.renewals = a.renewals; x.op.Each != nil {
		req.renewal = newRenewal(req) // of all records
	}
	req.Params = new(bind.Params)
	req.Links = page.Links{Base: x.base(), Path: x.r.URL.Path, Params: req.Params}
	req.list = page.NewList(&req.Links, &a.cursors)
	req.Clock.Now = a.Config.TimeOfDay(x.began)
	req.Response = Response{Status: http.StatusOK, LagMs: -1}
}

// base is the scheme and host that addresses in the answer begin with.
func (x *exchange) base() string { return x.server.bases.of(x.r, &x.server.Config) }

// close gives back what the exchange holds.
func (x *exchange) close() {
	x.memory.leave()
	x.deadline.close()
}

// asks reports that the request has the parameter and that the operation takes it.
func (x *exchange) asks(parameter string) bool {
	_, given := x.req.Params.Get(parameter)
	return given && x.op.Plan.Has(parameter)
}

// tags are those of If-None-Match.
func (x *exchange) tags() []string {
	if x.op.Method != http.MethodGet {
		return nil
	}
	return x.r.Header["If-None-Match"]
}
