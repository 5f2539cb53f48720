package auth

import (
	"net/url"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// The headers of cross-origin resource sharing (CORS) that an answer may have.
const (
	allowedOrigin  = "Access-Control-Allow-Origin"
	allowedMethods = "Access-Control-Allow-Methods"
	allowedHeaders = "Access-Control-Allow-Headers"
	exposedHeaders = "Access-Control-Expose-Headers"
	maxAge         = "Access-Control-Max-Age"
	vary           = "Vary"
)

// The headers that pages may send, those that they may read, and for how long a browser may
// keep that. They are never written to.
var (
	sendable = []string{"Content-Type, Idempotency-Key, Authorization, X-API-Key, If-None-Match, Last-Event-ID"}
	readable = []string{
		"X-Position, X-Lag-Ms, X-Range, Link, ETag, Warning, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset",
	}
	preflightLife = []string{"600"}
	preflightVary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
)

// originOf is the origin of a request and its domain in the form that allowlists have.
func originOf(request Header) (origin []string, host string, ok bool) {
	origin = request["Origin"]
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

// AllowOrigin has the answer be readable by pages of the domains on the application's allowlist.
func AllowOrigin(answer, request Header, app *domain.Application) {
	if len(app.Domains) == 0 {
		return
	}
	answer[vary] = append(answer[vary], "Origin")
	if origin, host, ok := originOf(request); ok && lists(app, host) {
		allow(answer, origin)
	}
}

// AllowListed has a document that needs no key be readable by pages of the domains on any allowlist.
func AllowListed(answer, request Header, catalog Catalog) {
	answer[vary] = append(answer[vary], "Origin")
	if origin, host, ok := originOf(request); ok && catalog.Listed(host) {
		allow(answer, origin)
	}
}

func allow(answer Header, origin []string) {
	answer[allowedOrigin] = origin
	answer[exposedHeaders] = readable
}

func lists(app *domain.Application, host string) bool {
	_, found := slices.BinarySearch(app.Domains, host)
	return found
}

// Preflight answers a page that is about to send a request with one of the methods; query is that of the address.
// A page that the catalog does not allow is judged by the newest one, which newest gives where it can be read.
func Preflight(
	answer, request Header, query, methods string, catalog Catalog, newest func() (c Catalog, read bool),
) {
	answer[vary] = append(answer[vary], preflightVary)
	origin, host, ok := originOf(request)
	if !ok {
		return
	}
	if !mayAsk(catalog, host, query) {
		if c, read := newest(); !read || !mayAsk(c, host, query) {
			return
		}
	}
	answer[allowedOrigin] = origin
	answer[allowedMethods] = []string{methods}
	answer[allowedHeaders] = sendable
	answer[maxAge] = preflightLife
}

// mayAsk reports that a page of the domain may ask with the key of the query; without a key,
// that it may with the key of some application.
func mayAsk(catalog Catalog, host, query string) bool {
	var params bind.Params
	params.Encoded(query)
	key, _ := params.Get(keyParameter)
	if key == "" && !params.Unreadable(keyParameter) {
		return catalog.Listed(host)
	}
	_, app, err := lookUp(catalog, key)
	return err == nil && lists(app, host)
}
