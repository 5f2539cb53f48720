package serve

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/route"
)

// A page may read an answer if its origin is of a domain on the allowlist of the key's
// application. A request ahead of a page's own (preflight) has no body: without a key in its
// query the allowlists of all applications decide, which grants nothing but that the page's own
// request is sent. Its answer is readable by its key's application alone. No answer depends on
// cookies or other credentials of a browser, and none allows them.

// The headers that pages may send, those that they may read, and for how long a browser may
// keep that.
var (
	allowedHeaders = []string{"Content-Type, Idempotency-Key, Authorization, X-API-Key, If-None-Match, Last-Event-ID"}
	exposedHeaders = []string{
		"X-Position, X-Lag-Ms, X-Range, Link, ETag, Warning, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset",
	}
	preflightLife = []string{"600"}
	preflightVary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
)

// originOf is the origin of a request and its domain in the form that allowlists have.
func originOf(r *http.Request) (origin []string, host string, ok bool) {
	origin = r.Header["Origin"]
	if len(origin) != 1 {
		return nil, "", false
	}
	u, err := url.Parse(origin[0])
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Scheme+"://"+u.Host != origin[0] {
		return nil, "", false
	}
	var d bind.Domain
	if err := d.ParseParam(u.Hostname()); err != nil {
		return nil, "", false
	}
	return origin, string(d), true
}

// allowOrigin lets a page of a domain on the application's allowlist read the answer.
func allowOrigin(h http.Header, r *http.Request, app *domain.Application) {
	if len(app.Domains) == 0 {
		return
	}
	h.Add("Vary", "Origin")
	if origin, host, ok := originOf(r); ok && lists(app, host) {
		h["Access-Control-Allow-Origin"] = origin
		h["Access-Control-Expose-Headers"] = exposedHeaders
	}
}

func lists(app *domain.Application, host string) bool {
	_, found := slices.BinarySearch(app.Domains, host)
	return found
}

// options answers what a path takes, and a page that is about to ask.
func (a *Server) options(out *reply, found *route.Route[*Operation]) {
	h := out.w.Header()
	h.Set("Allow", allowOf(found))
	h.Add("Vary", preflightVary)
	if origin, host, ok := originOf(out.r); ok && a.mayAsk(out.r, host) {
		h["Access-Control-Allow-Origin"] = origin
		h.Set("Access-Control-Allow-Methods", found.Allow())
		h["Access-Control-Allow-Headers"] = allowedHeaders
		h["Access-Control-Max-Age"] = preflightLife
	}
	out.empty(http.StatusNoContent)
}

// mayAsk reports that a page of the domain may ask with the key of the query; without a key,
// that it may with the key of some application.
func (a *Server) mayAsk(r *http.Request, host string) bool {
	catalog := a.Engine.Catalog()
	var params bind.Params
	params.Encoded(r.URL.RawQuery)
	given, _ := params.Get("apikey")
	if given == "" && !params.Unreadable("apikey") {
		return catalog.Listed(host)
	}
	_, app, ok := keyOf(catalog, given)
	return ok && lists(app, host)
}

// allowOf is the methods of a path as the header Allow has them.
func allowOf(found *route.Route[*Operation]) string { return found.Allow() + ", " + http.MethodOptions }

// allowDocument lets pages of domains on any allowlist read a document that needs no key.
func (a *Server) allowDocument(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("Vary", "Origin")
	if origin, host, ok := originOf(r); ok && a.Engine.Catalog().Listed(host) {
		h["Access-Control-Allow-Origin"] = origin
		h["Access-Control-Expose-Headers"] = exposedHeaders
	}
}
