package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/poll"
)

// timeLimit bounds the time that the engine may take for one request, what wait_for waits for
// included.
const timeLimit = 20 * time.Second

// deadline is the request's context with the time limit. Its timer starts at the first wait:
// most polls wait for nothing.
type deadline struct {
	request context.Context
	limited context.Context // nil: no wait yet
	end     func()
}

func (d *deadline) ctx() context.Context {
	if d.limited == nil {
		d.limited, d.end = context.WithTimeout(d.request, timeLimit)
	}
	return d.limited
}

func (d *deadline) close() {
	if d.end != nil {
		d.end()
	}
}

// exchange is a request on its way through the pipeline. It belongs to the goroutine that
// serves the request.
type exchange struct {
	server *Server
	reply
	op       *Operation
	counts   *counters
	began    time.Time
	random   domain.RequestID // shown as X-Request-Id
	allowed  limit.Allowance
	admitted bool // the key may use the operation
	given    auth.Credentials
	body     body
	deadline deadline
	poll     poll.Request
	tag      string // of the cached response that is unchanged; empty: the answer is to be made
	req      Request
}

// byEncoding is the header Vary of every answer. It is never written to.
var byEncoding = []string{"Accept-Encoding"}

// ServeHTTP answers a request, counts it and logs it: at level debug, and in the access log.
func (a *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{server: a, reply: reply{w: w, r: r}, counts: a.none, began: a.Now()}
	x.deadline.request = r.Context()
	x.memory = holding{pools: a.memory, wait: &x.deadline}
	defer x.deadline.close()
	defer x.memory.leave()
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
		ended := a.Now() // reading the clock is much of a small answer
		took := ended.Sub(x.began)
		x.counts.add(x.status, took)
		a.hit(x, ended)
		if a.Logger.Enabled(r.Context(), slog.LevelDebug) {
			a.Logger.Debug("request", slog.String("operation", x.counts.name), slog.Int("status", x.status),
				slog.Duration("took", took), slog.String("request", x.random.String()))
		}
		if a.Access != nil {
			logAccess(a.Access, x, took)
		}
		if x.cut {
			panic(http.ErrAbortHandler)
		}
	}()
	if err := x.serve(); err != nil {
		if over := x.allowed.Settle(); over != nil {
			err = over
		}
		if x.admitted {
			x.headers(h)
			x.discard()
		}
		x.refuse(Unavailable(err))
	}
}

// serve makes the contract's checks, in its order.
func (x *exchange) serve() error {
	a, w, r := x.server, x.w, x.r
	if encodedSlash(r.URL) { // a proxy in front takes it for a part of a name
		return errNoPath
	}
	found, values, ok := a.table.Find(r.URL.Path)
	if !ok {
		if path, ok := a.table.Fix(r.URL.Path); ok {
			x.redirect(path)
			return nil
		}
		return errNoPath
	}
	x.route = found.Path
	if r.Method == http.MethodOptions {
		x.options(found.Allow())
		return nil
	}
	if x.op, ok = found.Method(r.Method); !ok {
		w.Header().Set("Allow", allowOf(found.Allow()))
		return domain.Fail(domain.MethodNotAllowed, "this path takes "+found.Allow())
	}
	if x.op == nil {
		return a.page(&x.reply, found.Path)
	}
	x.counts = x.op.counts
	x.begin()
	for _, p := range values {
		x.req.Params.Path(p.Key, p.Value)
	}
	x.req.Params.Encoded(r.URL.RawQuery)
	if err := x.authenticate(); err != nil {
		return err
	}
	x.admitted = true
	x.readCatalog()
	if err := x.limit(); err != nil {
		return err
	}
	if err := x.check(); err != nil {
		return err
	}
	if err := x.op.RefusePublic(&x.req.Caller, x.req.Params); err != nil {
		return err
	}
	if err := x.identify(); err != nil {
		return err
	}
	answer, err := x.op.run(x) // see run, below
	if err != nil {
		return err
	}
	return x.answer(answer)
}

var errNoPath = domain.Fail(domain.NotFound, "there is no such path")

// encodedSlash reports a path whose decoded form has more parts than its own.
func encodedSlash(u *url.URL) bool {
	return u.RawPath != "" && strings.Contains(strings.ToLower(u.RawPath), "%2f")
}

// begin makes the request that the operation's handler gets.
func (x *exchange) begin() {
	a, req := x.server, &x.req
	req.server, req.op, req.Engine, req.Catalog = a, x.op, a.Engine, a.Engine.Catalog()
	req.Now, req.http = x.began, x.r
	req.Links = page.Links{Base: a.baseOf(x.r), Path: x.r.URL.Path, Params: new(bind.Params)}
	req.Response = Response{Status: http.StatusOK, LagMs: -1}
}

// readCatalog is the position of an answer from the catalog alone.
func (x *exchange) readCatalog() {
	p := domain.Position{Catalog: x.req.Catalog.Next()}
	if j := x.server.journal.Load(); j != nil {
		p.Journal = *j
	}
	x.req.Position = x.req.Position.Reach(p)
}

// check reads the body, where authenticate has not, and refuses a header or a body that is too
// large, and fields that the plan does not have.
func (x *exchange) check() error {
	size := len(x.r.RequestURI)
	for name, values := range x.r.Header {
		for _, v := range values {
			size += len(name) + len(v) + 4
		}
	}
	if size > MaxHeader {
		return domain.Fail(domain.TooLarge, "the header is over 64 KiB")
	}
	if x.r.Method != http.MethodPost {
		return nil
	}
	if err := x.readBody(); err != nil {
		return err
	}
	if err := x.given.AddParameters(x.req.Params); err != nil {
		return err
	}
	return refuseCustom(&x.req) // of the body
}

// identify gives the request its id: of the Idempotency-Key where there is one, else the
// random one. The keys of pages are apart from those of the account's own servers: anyone may use one first.
func (x *exchange) identify() error {
	const name = "Idempotency-Key"
	req := &x.req
	values := x.r.Header[name]
	if len(values) > 1 || len(values) == 1 && len(values[0]) > 128 {
		return domain.Bad(domain.InvalidParameter, name, name+" must be one value of at most 128 bytes")
	}
	if len(values) == 0 || values[0] == "" {
		req.ID = x.random
		return nil
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(req.App.ID))
	b = append(b, byte(req.Key.Scope))
	sum := sha256.Sum256(append(b, values[0]...))
	copy(req.ID[:], sum[:])
	req.Keyed = true
	return nil
}

// run binds the parameters, does what comes before the handler in the contract's order, and
// calls the handler, where the client does not have the answer.
func run[In, Out any](x *exchange, f Handler[In, Out]) (any, error) {
	in := new(bound[In])
	warnings, fault := x.op.Plan.Bind(in, x.req.Params)
	x.req.Warnings = append(x.req.Warnings, warnings...)
	if fault != nil {
		return nil, fault
	}
	if err := x.prepare(in, &in.common); err != nil {
		return nil, err
	}
	if x.unchanged() {
		return nil, nil
	}
	if err := x.allowed.Settle(); err != nil {
		return nil, err
	}
	if err := x.memory.reserve(x.op, x.req.Params, x.body.size); err != nil {
		return nil, err
	}
	return f(x.deadline.ctx(), &x.req, &in.In)
}

// prepare is what comes between the parameters and the response cache: the page, what the key
// and the Bearer may, the position to wait for. bound is what the plan has bound.
func (x *exchange) prepare(bound any, in *common) error {
	if x.asks("cursor") {
		if err := x.req.pageByKeys(bound); err != nil {
			return err
		}
	}
	if x.asks("explain") {
		if err := x.req.explainFrom(bound); err != nil {
			return err
		}
	}
	if err := x.permitted(); err != nil {
		return err
	}
	if in.WaitFor.Given || x.asks("refresh") { // a request without a token does not wait
		if err := x.allowed.Settle(); err != nil {
			return err
		}
		if err := x.memory.take(x.memory.pools.Waiting, waitingBytes+readTimes*int64(x.body.size)); err != nil {
			return err
		}
	}
	if in.WaitFor.Given {
		if err := x.await(in); err != nil {
			return err
		}
	}
	if x.asks("refresh") {
		if err := x.refresh(in); err != nil {
			return err
		}
	}
	return x.upToDate()
}

// asks reports that the request has the parameter and that the operation takes it.
func (x *exchange) asks(parameter string) bool {
	_, given := x.req.Params.Get(parameter)
	return given && x.op.Plan.Has(parameter)
}

// unchanged reports that the client has what would be answered, as far as it is cached:
// then the response carries what the answer would beside its body. Else from here on what
// the handler reads is recorded.
func (x *exchange) unchanged() bool {
	if !x.op.Cached {
		return false
	}
	req := &x.req
	x.poll = poll.Request{
		Engine: req.Engine, Account: req.Account(), App: req.App.ID, Bearer: req.Bearer, Issued: req.Issued, Changed: req.Catalog.Changed(req.Account()),
		Links: &req.Links, Clock: &req.Clock, Keyset: req.Keyset != nil, Tags: x.tags(), Bound: len(req.Warnings),
	}
	if cached, ok := x.server.cache.Lookup(&x.poll); ok {
		x.tag, req.Span = cached.Tag, cached.Span
		req.Warnings = append(req.Warnings, cached.Warnings...)
		req.RaisePosition(cached.Position)
		return true
	}
	req.Engine = x.poll.Record()
	return false
}

// tags are those of If-None-Match.
func (x *exchange) tags() []string {
	if x.op.Method != http.MethodGet {
		return nil
	}
	return x.r.Header["If-None-Match"]
}
