package serve

import (
	"net/http"
	"strconv"

	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/wire"
)

// headers are those of the request's answers, errors too.
func (x *exchange) headers(h http.Header) {
	values := make([]string, 0, 5)    // one array for all of them: a poll is little else
	set := func(name, value string) { // a name in its canonical form
		values = append(values, value)
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
	req := &x.req
	set("Cache-Control", "private, no-cache")
	set("X-Position", wire.EncodePosition(req.Response.Position))
	if x.op.Method == http.MethodGet {
		lag := req.Response.LagMs
		if lag < 0 {
			lag = req.Engine.Lag().Milliseconds()
		}
		set("X-Lag-Ms", strconv.FormatInt(lag, 10))
	}
	if req.Response.Span != "" {
		set("X-Range", req.Response.Span)
	}
	if req.Response.Retry > 0 {
		set("Retry-After", strconv.FormatUint(uint64(req.Response.Retry), 10))
	}
	if req.Response.Replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	maxWarnings := MaxWarnings
	if x.allowed.Over() { // that is a warning, too
		maxWarnings--
	}
	// Clients and proxies bound the headers of an answer. Those of unknown names are the first: they yield.
	for _, text := range req.Response.Warnings[max(0, len(req.Response.Warnings)-maxWarnings):] {
		h.Add("Warning", "299 - "+strconv.QuoteToASCII(text))
	}
	for _, l := range req.Links.Header {
		h.Add("Link", l)
	}
}

// showQuota adds the headers of the account's rate, as of when the request was let in, to an answer
// to a valid key. refused: the request is over the rate.
func showQuota(h http.Header, allowed *limit.Allowance, refused bool) {
	q, ok := allowed.Quota()
	if !ok {
		return
	}
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	values := []string{number(q.Burst), number(q.Remaining), number(q.Reset)} // one array for all
	h["Ratelimit-Limit"] = values[0:1:1]
	h["Ratelimit-Remaining"] = values[1:2:2]
	h["Ratelimit-Reset"] = values[2:3:3]
	if refused {
		h.Set("Retry-After", number(q.Retry))
	}
	if allowed.Over() {
		h.Add("Warning", "299 - "+strconv.Quote("the account is over its rate of "+number(q.Rate)+" requests a second"))
	}
}
