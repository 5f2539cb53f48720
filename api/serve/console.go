package serve

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/console/oidc"
	"github.com/ovation-analytics/ovation/api/console/redact"
	"github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/port"
	"github.com/ovation-analytics/ovation/api/wire"
)

// consolePrefix begins the paths of operations that pages of the console ask, by a session instead of a key.
const consolePrefix = "/console"

var (
	errKeyBeside = domain.Fail(domain.InvalidKey,
		"/console takes the session of who is signed in, no key and no Bearer: those are for /v1.1")
	errNoAccount = domain.Fail(domain.WrongApplication,
		"this operator is signed in without an account: ovation console link --role operator --account N makes a link with one")
	errUnredacted = domain.Fail(domain.WrongApplication, "this answer is not for the role analyst")
	errNoConsole  = domain.Fail(domain.WrongApplication, "this port has no console")
)

// consolePath is the path of the operation that a page of the console asks for; false: the path is none of the
// console's.
func (x *exchange) consolePath(path string) (string, bool) {
	below, ok := strings.CutPrefix(path, consolePrefix)
	if x.sessions == nil || !ok || !strings.HasPrefix(below, "/v1.1/") {
		return path, false
	}
	return below, true
}

// prefix is what the paths of operations have before them in addresses of this request's answer.
func (x *exchange) prefix() string {
	if x.console {
		return consolePrefix
	}
	return ""
}

// signIn answers at session.Path.
func (x *exchange) signIn() error {
	x.reply.route, x.counts = session.Path, x.server.signIns
	if x.r.Method == http.MethodOptions {
		x.reply.w.Header().Set("Allow", allowOf(session.Methods))
		x.reply.empty(http.StatusNoContent)
		return nil
	}
	if err := x.server.Config.Engine.KeysHold(); err != nil {
		return err
	}
	r := x.r.WithContext(x.deadline.ctx())
	person, err := x.sessions.Answer(x.reply.w, r, x.readCatalog, x.charge)
	if err != nil {
		return err
	}
	if person == nil {
		x.reply.empty(http.StatusNoContent)
		return nil
	}
	b, err := wire.Encode(person)
	if err != nil {
		return err
	}
	x.reply.send(http.StatusOK, wire.ContentType, b)
	return nil
}

// signInByProvider answers below oidc.Path. The page asks whether there is a provider before it shows a link to it.
func (x *exchange) signInByProvider(path string) error {
	x.reply.route, x.counts = session.Path, x.server.signIns
	by := x.server.Config.SignIns
	switch {
	case path != oidc.IssuerPath && (by == nil || path != oidc.Path && path != oidc.CallbackPath):
		return errNoPath
	case x.r.Method == http.MethodOptions:
		x.reply.w.Header().Set("Allow", allowOf(oidc.Methods))
		x.reply.empty(http.StatusNoContent)
		return nil
	case x.r.Method != http.MethodGet && x.r.Method != http.MethodHead:
		x.reply.w.Header().Set("Allow", oidc.Methods)
		return domain.Fail(domain.MethodNotAllowed, "this path takes "+oidc.Methods)
	}
	x.reply.w.Header().Set("Cache-Control", notKept)
	if path == oidc.IssuerPath {
		issuer := ""
		if by != nil {
			issuer = by.Issuer()
		}
		b, err := wire.Encode(map[string]string{"issuer": issuer})
		if err != nil {
			return err
		}
		x.reply.send(http.StatusOK, wire.ContentType, b)
		return nil
	}
	if err := x.server.Config.Engine.KeysHold(); err != nil {
		return err
	}
	x.reply.w.Header().Set("Location", by.Answer(x.reply.w, x.r.WithContext(x.deadline.ctx())))
	x.reply.empty(http.StatusSeeOther)
	return nil
}

// charge counts the request in the rate of an account, and refuses one that is over it.
func (x *exchange) charge(account domain.AccountID) error {
	if account == 0 {
		return nil
	}
	changed := x.server.Config.Engine.Catalog().Changed(account)
	x.allowed = x.server.rates.Take(account, changed, x.server.timeOfDay())
	return x.allowed.Settle()
}

// readCatalog is the catalog of now, or the newest that there is.
func (x *exchange) readCatalog(newest bool) (session.Catalog, error) {
	if !newest {
		return x.server.Config.Engine.Catalog(), nil
	}
	r := renewal{engine: x.server.Config.Engine, pool: x.server.renewals, ctx: x.deadline.ctx()}
	return r.of(0)
}

// authenticateSession finds who is signed in, and its account's bucket.
func (x *exchange) authenticateSession() (err error) {
	req := &x.req
	if x.given, err = auth.FromHeader(x.r.Header); err != nil {
		return err
	}
	if x.given.HasToken() || x.given.HasKey(req.Params) {
		return errKeyBeside
	}
	if err := x.sessions.Check(x.r); err != nil {
		return err
	}
	if err := req.Engine.KeysHold(); err != nil {
		return err
	}
	found, err := x.sessions.Find(x.r, x.readCatalog)
	if err != nil {
		return err
	}
	if found.Account == 0 {
		return errNoAccount
	}
	req.Catalog = req.Engine.Catalog() // it has the session
	if req.Caller, err = auth.CallerOf(req.Catalog, found); err != nil {
		return err
	}
	account := req.Account()
	x.memory.account = account
	x.allowed = x.server.rates.Take(account, req.Catalog.Changed(account), x.server.timeOfDay())
	return nil
}

// noteDeed keeps that the person who is signed in asks for a change, with the ids in its path and in id. What cannot be kept is not
// done.
func (x *exchange) noteDeed() error {
	if !x.console || x.r.Method != http.MethodPost {
		return nil
	}
	did := x.r.Method + " " + strings.TrimPrefix(x.r.URL.EscapedPath(), consolePrefix)
	if id, given := x.req.Params.Get("id"); given && id != "" {
		did += " id=" + url.QueryEscape(id)
	}
	return x.sessions.Note(x.deadline.ctx(), x.req.Caller.Session, did)
}

// callerNow is the caller of the request by a newer catalog: its key, or its session, may have ended since.
func (x *exchange) callerNow(catalog port.Catalog) (auth.Caller, error) {
	was := x.req.Caller.Session
	if was == nil {
		return x.given.Caller(catalog, false)
	}
	if err := x.sessions.Still(catalog, was); err != nil {
		return auth.Caller{}, err
	}
	return auth.CallerOf(catalog, was)
}

// redacts reports that the caller is shown less than who has a key.
func (x *exchange) redacts() bool { return x.req.Caller.Role() == domain.RoleAnalyst }

// sendPage sends a page of events, without what the caller may not see.
func (x *exchange) sendPage(w *eventWriter, page *follow.Page) (End, bool) {
	if !x.redacts() {
		return w.write(page.Text, page.Own)
	}
	own := page.Own                                                     // the place that its memory has becomes that of the first event
	for event := range bytes.SplitAfterSeq(page.Text, []byte("\n\n")) { // one at a time: a page is large
		if len(event) == 0 {
			continue
		}
		text, err := redact.Event(event)
		if err != nil { // what cannot be redacted is not sent
			x.server.Config.Logger.Error("an event cannot be redacted", "operation", x.counts.name, "err", err)
			return EndError, false
		}
		if end, ok := w.write(text, own); !ok {
			return end, false
		}
		own = false
	}
	return 0, true
}

// Admin is the handler of the console's paths at the admin port: its pages, session.Path and what these ask.
func (a *Server) Admin() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := newExchange(a, w, r)
		x.sessions, x.adminPort = a.Config.AdminSessions, true
		a.serve(x, w)
	})
}

// Operator is nil for a request at the admin port that an operator who is signed in makes.
func (a *Server) Operator(r *http.Request) error {
	sessions := a.Config.AdminSessions
	if sessions == nil {
		return errNoConsole
	}
	if err := sessions.Check(r); err != nil {
		return err
	}
	if err := a.Config.Engine.KeysHold(); err != nil {
		return err
	}
	x := exchange{server: a, r: r}
	x.deadline.request = r.Context()
	defer x.deadline.close()
	found, err := sessions.Find(r, x.readCatalog)
	if err != nil || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return err
	}
	return sessions.Note(r.Context(), found, r.Method+" "+r.URL.EscapedPath())
}
