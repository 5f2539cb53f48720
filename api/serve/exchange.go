package serve

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/poll"
)

// patience is how long the engine may take over one request, half of it for what
// wait_for waits for.
const patience = 20 * time.Second

// deadline is the request's context as long as patience is. Its timer starts when
// something is waited for first: most polls wait for nothing.
type deadline struct {
	asked   context.Context // of the request
	limited context.Context // nil: nothing was waited for yet
	end     func()
}

func (d *deadline) ctx() context.Context {
	if d.limited == nil {
		d.limited, d.end = context.WithTimeout(d.asked, patience)
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
	server   *Server
	w        http.ResponseWriter
	r        *http.Request
	op       *Operation
	counts   *counters
	random   domain.RequestID // shown as X-Request-Id
	status   int              // answered
	admitted bool             // the key may use the operation
	body     body
	deadline deadline
	poll     poll.Request
	tag      string // of the cached response that is unchanged; empty: the answer is to be made
	req      Request
}

// serve goes through the contract's checks, in its order.
func (x *exchange) serve() error {
	a, w, r := x.server, x.w, x.r
	found, values, ok := a.table.Find(r.URL.Path)
	if !ok {
		if path, ok := a.table.Fix(r.URL.Path); ok {
			x.status = redirect(w, r, path)
			return nil
		}
		return domain.Fail(domain.NotFound, "there is no such path")
	}
	var err error
	if x.op, ok = found.Method(r.Method); !ok {
		w.Header().Set("Allow", found.Allow())
		return domain.Fail(domain.MethodNotAllowed, "this path takes "+found.Allow())
	}
	if x.op == nil {
		x.status, err = a.page(w, r, found.Path)
		return err
	}
	x.counts = x.op.counts
	x.begin()
	defer x.deadline.close()
	for _, p := range values {
		x.req.Params.Path(p.Key, p.Value)
	}
	x.req.Params.Encoded(r.URL.RawQuery)
	flight := &a.asking
	if r.Method == http.MethodPost {
		flight = &a.bodies
	}
	weight, err := flight.take(x.deadline.ctx, weigh(r, x.op, x.req.Params))
	if err != nil {
		return err
	}
	defer flight.giveBack(weight)
	if err := x.authenticate(); err != nil {
		return err
	}
	x.admitted = true
	x.readCatalog()
	if err := x.read(); err != nil {
		return err
	}
	if err := x.identify(); err != nil {
		return err
	}
	answer, err := x.op.run(x)
	if err != nil {
		return err
	}
	x.status, err = x.answer(answer)
	return err
}

// begin makes the request that the operation's handler gets.
func (x *exchange) begin() {
	a, req := x.server, &x.req
	x.deadline.asked = x.r.Context()
	req.server, req.op, req.Engine, req.Catalog = a, x.op, a.Engine, a.Engine.Catalog()
	req.Now = a.Now()
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

// identify gives the request its id: of the Idempotency-Key where there is one, else the
// random one.
func (x *exchange) identify() error {
	const name = "Idempotency-Key"
	req := &x.req
	values := x.r.Header.Values(name)
	if len(values) > 1 || len(values) == 1 && len(values[0]) > 128 {
		return domain.Bad(domain.InvalidParameter, name, name+" must be one value of at most 128 bytes")
	}
	if len(values) == 0 || values[0] == "" {
		req.ID = x.random
		return nil
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(req.App.ID))
	sum := sha256.Sum256(append(b, values[0]...))
	copy(req.ID[:], sum[:])
	req.Keyed = true
	return nil
}

// prepare is what comes between the parameters and the handler: the page, the key's scope,
// the position to wait for. bound is what the plan has bound.
func (x *exchange) prepare(bound any, in *common) error {
	if err := x.req.walk(bound); err != nil {
		return err
	}
	if err := x.req.explainFrom(bound); err != nil {
		return err
	}
	if !x.op.may(x.req.Key.Scope) {
		return domain.Fail(domain.WrongApplication, "a "+x.req.Key.Scope.String()+" key is not made for this operation")
	}
	if err := x.await(in); err != nil {
		return err
	}
	return x.refresh(in)
}

// await waits for the position that wait_for names.
func (x *exchange) await(in *common) error {
	if !in.WaitFor.Given {
		return nil
	}
	req := &x.req
	req.Wait = in.WaitFor.Position
	if err := x.sameJournal(req.Wait); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(x.deadline.ctx(), time.Duration(in.TimeoutMs)*time.Millisecond)
	defer cancel()
	if err := req.Engine.Await(ctx, req.Wait); err != nil {
		if x.deadline.asked.Err() == nil {
			err = inTime(err, in.TimeoutMs)
		}
		return WaitFault(err)
	}
	req.Catalog = req.Engine.Catalog()
	req.Position = req.Position.Reach(req.Wait)
	return nil
}

// sameJournal refuses a position of another journal. The journal is learned from
// the first position that the engine gives; until then the engine judges alone.
func (x *exchange) sameJournal(p domain.Position) error {
	if j := x.server.journal.Load(); j != nil && !p.Journal.IsZero() && p.Journal != *j {
		return domain.Bad(domain.InvalidParameter, "wait_for", "wait_for must be a token of this installation")
	}
	return nil
}

// WaitFault is the error of a wait: a position that cannot be waited for is the
// parameter's fault.
func WaitFault(err error) error {
	if e, ok := asError(err); ok && e.Code == domain.InvalidParameter {
		return domain.Bad(domain.InvalidParameter, "wait_for", "wait_for must be a token of this installation")
	}
	return err
}

// inTime is the error of a wait that had so long.
func inTime(err error, ms int64) error {
	if domain.CodeOf(Unavailable(err)) != domain.Unavailable {
		return err
	}
	message := fmt.Sprintf("what wait_for names was not applied within timeout_ms, %d: ask again, with a greater timeout_ms of at most 10000 perhaps", ms)
	return &domain.Error{Code: domain.Unavailable, Parameter: "wait_for", Message: message, Err: err}
}

// refresh waits, where the parameters ask for it, until everything is applied that was
// accepted before, as long as it would wait for a position. What is read then is no older.
func (x *exchange) refresh(in *common) error {
	req := &x.req
	if on, _ := req.Params.Get("refresh"); on != "1" || !x.op.Plan.Has("refresh") {
		return nil
	}
	ctx, cancel := context.WithTimeout(x.deadline.ctx(), time.Duration(in.TimeoutMs)*time.Millisecond)
	defer cancel()
	at, err := req.Engine.Ends(ctx)
	if err != nil {
		return err
	}
	if err := req.Engine.Await(ctx, at); err != nil {
		return err
	}
	req.Catalog = req.Engine.Catalog()
	req.Wait = req.Wait.Reach(at)
	req.Saw(at)
	return nil
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
		Engine: req.Engine, Account: req.Account(), App: req.App.ID, Changed: req.Catalog.Changed(req.Account()),
		Links: &req.Links, Clock: &req.Clock, Keyset: req.Keyset != nil, Tags: x.tags(), Bound: len(req.Warnings),
	}
	if cached, ok := x.server.cache.Lookup(&x.poll); ok {
		x.tag, req.Span = cached.Tag, cached.Span
		req.Warnings = append(req.Warnings, cached.Warnings...)
		req.Saw(cached.Position)
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
	return x.r.Header.Values("If-None-Match")
}
