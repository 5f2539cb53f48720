package serve

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/console/oidc"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/pages"
	"github.com/ovation-analytics/ovation/api/poll"
)

// steps are an exchange from its path to its answer, in the order of the contract: a request with several faults is
// refused for the one that comes first. A step that answers ends the exchange, and so does one that fails. The
// numbers are the codes of the contract that a step may fail with.
var steps = [...]func(*exchange) error{
	(*exchange).findOperation,       // 5 6; answers OPTIONS, other spellings of paths, and what needs no key
	(*exchange).readQuery,           //
	(*exchange).authenticate,        // 1 2 8 11
	(*exchange).admit,               //
	(*exchange).limitRate,           // 8 9 12
	(*exchange).boundHeader,         // 14
	(*exchange).readBody,            // 2 4 8 9 14 17
	(*exchange).refuseCaller,        // 15
	(*exchange).identify,            // 4
	(*exchange).bindParameters,      // 3 4
	(*exchange).continueList,        // 4
	(*exchange).continueExplanation, // 4
	(*exchange).permit,              // 15
	(*exchange).reserveWait,         // 8 11
	(*exchange).waitForPosition,     // 4 11
	(*exchange).refresh,             // 11
	(*exchange).refuseOutdated,      // 2
	(*exchange).answerUnchanged,     // answers a poll whose answer the client has
	(*exchange).settleRate,          // 8
	(*exchange).reserveMemory,       // 8 11
	(*exchange).noteDeed,            // 11
	(*exchange).handle,              // 5 7 11 13 15 16 and those of the operation
	(*exchange).answer,              //
}

var errNoPath = domain.Fail(domain.NotFound, "there is no such path")

// findOperation finds the operation of the path and method.
func (x *exchange) findOperation() error {
	path := x.r.URL.Path
	if x.sessions != nil && path == session.Path {
		return x.signIn()
	}
	if x.sessions != nil && !x.adminPort && strings.HasPrefix(path, oidc.Path) {
		return x.signInByProvider(path)
	}
	path, x.console = x.consolePath(path)
	if encodedSlash(x.r.URL) { // a proxy in front takes it for a part of a name
		return errNoPath
	}
	found, values, ok := x.server.table.Find(path)
	if x.adminPort && !x.console && (!ok || !pages.OfConsole(found.Path)) {
		return errNoPath
	}
	if !ok {
		if path, ok = x.server.table.Fix(path); ok {
			x.reply.redirect(x.prefix() + path)
			return nil
		}
		return errNoPath
	}
	x.reply.route = found.Path
	if x.r.Method == http.MethodOptions {
		x.preflight(found.Allow())
		return nil
	}
	if x.op, ok = found.Method(x.r.Method); !ok {
		x.reply.w.Header().Set("Allow", allowOf(found.Allow()))
		return domain.Fail(domain.MethodNotAllowed, "this path takes "+found.Allow())
	}
	if x.op == nil {
		return x.giveDocument(found.Path)
	}
	x.counts = x.op.counts
	x.begin()
	for _, p := range values {
		x.req.Params.Path(p.Key, p.Value)
	}
	return nil
}

// encodedSlash reports a path whose decoded form has more parts than its own.
func encodedSlash(u *url.URL) bool {
	return u.RawPath != "" && strings.Contains(strings.ToLower(u.RawPath), "%2f")
}

// preflight answers what a path takes, and a page that is about to ask.
func (x *exchange) preflight(methods string) {
	h := x.reply.w.Header()
	h.Set("Allow", allowOf(methods))
	if x.console { // no page of another origin asks there
		x.reply.empty(http.StatusNoContent)
		return
	}
	newest := func() (auth.Catalog, bool) {
		r := renewal{engine: x.server.Config.Engine, pool: x.server.renewals, ctx: x.deadline.ctx()}
		c, err := r.of(0)
		return c, err == nil
	}
	auth.Preflight(h, x.r.Header, x.r.URL.RawQuery, methods, x.server.Config.Engine.Catalog(), newest)
	x.reply.empty(http.StatusNoContent)
}

// allowOf is the header Allow of a path with the methods.
func allowOf(methods string) string { return methods + ", " + http.MethodOptions }

// giveDocument answers what needs no key.
func (x *exchange) giveDocument(route string) error {
	h := x.reply.w.Header()
	auth.AllowListed(h, x.r.Header, x.server.Config.Engine.Catalog())
	if pages.NegotiatesKind(route) {
		h.Add("Vary", "Accept")
	}
	d, err := x.server.pages.Find(route, pages.Ask{Path: x.r.URL.Path, Base: x.base(), Accept: x.r.Header["Accept"]})
	if err == nil {
		x.reply.document(d)
	}
	return err
}

func (x *exchange) readQuery() error {
	x.req.Params.Encoded(x.r.URL.RawQuery)
	return nil
}

// authenticate finds the caller, its account's bucket and the member of a Bearer. A body is read before the key is
// known only when neither a header nor the query has one.
func (x *exchange) authenticate() (err error) {
	req := &x.req
	if x.console {
		return x.authenticateSession()
	}
	if x.given, err = auth.FromHeader(x.r.Header); err != nil {
		return err
	}
	if !x.given.HasKey(req.Params) && x.r.Method == http.MethodPost && x.op.Each == nil {
		if err := x.body.readKeyless(x.parse); err != nil {
			return err
		}
	}
	if err := x.given.AddParameters(req.Params); err != nil {
		return err
	}
	if err := req.Engine.KeysHold(); err != nil {
		return err
	}
	if req.Caller, err = x.caller(); err != nil {
		return err
	}
	account := req.Account()
	auth.AllowOrigin(x.reply.w.Header(), x.r.Header, req.Caller.App)
	x.memory.account = account
	x.allowed = x.server.rates.Take(account, req.Catalog.Changed(account), x.server.timeOfDay())
	if err := req.Caller.Verify(&x.given, x.server.Config.Tokens, req.Catalog.SigningKeys(), req.Clock.Now); err != nil {
		x.allowed.Waive() // code 2 comes before 8
		return err
	}
	if x.given.HasToken() {
		req.Params.Imply(auth.BearerGiven)
	}
	return nil
}

// caller is the caller of the key, which may be newer than the request's catalog.
func (x *exchange) caller() (auth.Caller, error) {
	req := &x.req
	caller, err := x.given.Caller(req.Catalog, x.body.err != nil)
	if !errors.Is(err, auth.ErrUnknownKey) {
		return caller, err
	}
	if req.Catalog, err = req.newest(0); err != nil {
		return caller, err
	}
	return x.given.Caller(req.Catalog, x.body.err != nil)
}

// admit has answers from here on show the request's headers, the position of the catalog at least.
func (x *exchange) admit() error {
	x.admitted = true
	at := &x.req.Response.Position
	*at = at.Reach(x.server.journal.at(x.req.Catalog.Next()))
	return nil
}

// limitRate refuses what the account's rate, the application's plan and the account's month do not
// have, in this order. A poll without a token goes on until it is known whether it is a 304 of the
// response cache.
func (x *exchange) limitRate() error {
	if len(x.tags()) == 0 {
		if err := x.allowed.Settle(); err != nil {
			return err
		}
	}
	if err := x.op.refusePlan(&x.req.Caller, x.req.Params); err != nil {
		return err
	}
	return x.allowed.Spend(x.deadline.ctx)
}

func (x *exchange) boundHeader() error {
	size := len(x.r.RequestURI)
	for name, values := range x.r.Header {
		for _, v := range values {
			size += len(name) + len(v) + 4
		}
	}
	if size > MaxHeader {
		return domain.Fail(domain.TooLarge, "the header is over 64 KiB")
	}
	return nil
}

// readBody reads the body, where authenticate has not. It must not have another key, nor what the plan does not
// have.
func (x *exchange) readBody() error {
	if x.r.Method != http.MethodPost {
		return nil
	}
	bound := bodyBound
	if x.op.Each != nil {
		bound = recordsBound
	}
	if err := x.body.readAll(bound, x.parse); err != nil {
		return err
	}
	if x.console && x.given.HasKey(x.req.Params) {
		return errKeyBeside
	}
	if err := x.given.AddParameters(x.req.Params); err != nil {
		return err
	}
	return x.op.refuseCustom(&x.req.Caller, x.req.Params)
}

// parse reads the parameters of a body, or its records.
func (x *exchange) parse(b []byte) (err error) {
	if x.op.Each != nil {
		x.req.Records, err = readRecords(x.r.Header, b)
		return err
	}
	return readParameters(x.r.Header, b, x.req.Params, x.op.Objects)
}

// refuseCaller refuses a role, and a public key, that the operation is not for.
func (x *exchange) refuseCaller() error {
	if err := x.op.Access.RefuseRole(&x.req.Caller); err != nil {
		return err
	}
	return x.op.Access.RefusePublic(&x.req.Caller, x.req.Params)
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
	b := binary.BigEndian.AppendUint32(nil, uint32(req.Caller.App.ID))
	b = append(b, byte(req.Caller.Key.Scope))
	sum := sha256.Sum256(append(b, values[0]...))
	copy(req.ID[:], sum[:])
	req.Keyed = true
	return nil
}

func (x *exchange) bindParameters() error {
	x.in, x.common = x.op.input()
	warnings, fault := x.op.Plan.Bind(x.in, x.req.Params)
	answer := &x.req.Response
	answer.Warnings = append(answer.Warnings, warnings...)
	if fault != nil {
		return fault
	}
	return nil
}

func (x *exchange) continueList() error {
	req := &x.req
	if x.op.OfStream {
		req.list.Stream = StreamOf(x.op.Group, x.op.Plan, x.in)
		if token, _ := req.Params.Get("cursor"); x.op.Outcomes[0].Events || page.IsStream(token) {
			return nil // the operation reads it, with what the engine knows of streams
		}
	}
	if x.op.OwnCursor || !x.asks("cursor") {
		return nil
	}
	at, err := req.list.Continue(req.Params, req.Account(), x.op.question(x.in, page.Unselecting))
	req.Clock.Set(at)
	return err
}

func (x *exchange) continueExplanation() error {
	if !x.asks("explain") {
		return nil
	}
	req := &x.req
	at, err := req.list.ContinueExplanation(req.Params, req.Account(), x.op.question(x.in, page.Unexplained))
	req.Clock.Set(at)
	return err
}

// permit refuses what the operation's Access does, and a member in the parameters that is not the Bearer's.
func (x *exchange) permit() error {
	caller := &x.req.Caller
	if err := x.op.Access.Refuse(caller, x.op.Method != http.MethodGet); err != nil {
		return err
	}
	return auth.RefuseNamed(caller, x.req.Params, x.op.Plan)
}

// reserveWait has a request that waits hold little while it does. One without a token of its rate does not wait.
func (x *exchange) reserveWait() error {
	if !x.common.WaitFor.Given && !x.asks("refresh") {
		return nil
	}
	if err := x.allowed.Settle(); err != nil {
		return err
	}
	return x.memory.take(x.memory.pools.Waiting, waitingBytes+readTimes*int64(x.body.size))
}

// refuseOutdated refuses a write by a Bearer that was made before a reset. Of a member that is not there, the
// operation says so.
func (x *exchange) refuseOutdated() error {
	req := &x.req
	if req.Caller.Bearer == 0 || x.op.Method != http.MethodPost {
		return nil
	}
	m, _, err := req.Engine.MemberRecord(x.deadline.ctx(), req.Account(), req.Caller.Bearer, req.Wait)
	switch code := domain.CodeOf(err); {
	case code == domain.NotFound || code == domain.Gone:
		return nil
	case err != nil:
		return err
	case req.Caller.Outdated(m):
		return auth.ErrOutdated
	}
	return nil
}

// answerUnchanged answers a poll whose answer the client has, as far as it is cached: with what the answer would
// have beside its body. Else what the handler reads is recorded from here on.
func (x *exchange) answerUnchanged() error {
	if !x.op.Cached {
		return nil
	}
	req := &x.req
	caller, answer := &req.Caller, &req.Response
	x.poll = poll.Request{
		Engine: req.Engine, Account: req.Account(), App: caller.App.ID, Bearer: caller.Bearer, Issued: caller.Issued, Role: caller.Role(), Changed: req.Catalog.Changed(req.Account()),
		Links: &req.Links, Clock: &req.Clock, Keyset: req.list.Keyset != nil, Tags: x.tags(), Bound: len(answer.Warnings),
	}
	cached, ok := x.server.cache.Lookup(&x.poll)
	if !ok {
		req.Engine = x.poll.Record()
		return nil
	}
	answer.Span = cached.Span
	answer.Warnings = append(answer.Warnings, cached.Warnings...)
	req.RaisePosition(cached.Position)
	x.allowed.Free(x.server.timeOfDay)
	x.notModified(cached.Tag)
	return nil
}

func (x *exchange) settleRate() error { return x.allowed.Settle() }

func (x *exchange) reserveMemory() error {
	return x.memory.reserve(x.op, x.req.Params, x.body.size)
}

func (x *exchange) handle() (err error) {
	x.spans.admission.End()
	x.out, err = x.op.handle(x.deadline.ctx(), &x.req, x.in)
	return err
}
