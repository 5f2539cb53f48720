package api

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// faulty is a request to opt a member in to a brand, with faults.
type faulty struct {
	h       *fixture
	key     string
	brand   string
	query   url.Values
	body    string
	headers map[string]string
}

// fault is one fault of a request and what it is refused for.
type fault struct {
	name      string
	make      func(*faulty)
	code      domain.Code
	parameter string
}

// stepFaults are in the order in which a request is refused for them.
var stepFaults = []fault{
	{"an unknown key", func(f *faulty) { f.key = "nobody" }, domain.InvalidKey, "apiKey"},
	{"no token of the rate", func(f *faulty) {
		f.h.engine.limits = domain.Limits{Rate: 1, Burst: 1, Mode: domain.HardLimit}
		f.h.engine.next++
		f.h.get("/v1.1/brands")
	}, domain.RateLimited, ""},
	{"a large header", func(f *faulty) { f.headers["X-Large"] = strings.Repeat("x", serve.MaxHeader) }, domain.TooLarge, ""},
	{"a body of another type", func(f *faulty) { f.body, f.headers["Content-Type"] = "x", "text/plain" }, domain.UnsupportedMedia, ""},
	{"a long Idempotency-Key", func(f *faulty) { f.headers["Idempotency-Key"] = strings.Repeat("x", 129) }, domain.InvalidParameter, "Idempotency-Key"},
	{"an unknown parameter", func(f *faulty) { f.query.Set("strict", "1"); f.query.Set("nonsense", "1") }, domain.InvalidParameter, "nonsense"},
	{"another member", func(f *faulty) { f.query.Set("id", "8195") }, domain.WrongApplication, "Authorization"},
	{"a position of another journal", func(f *faulty) {
		f.query.Set("wait_for", wire.EncodePosition(domain.Position{Journal: domain.TopicID{9}, Catalog: 1}))
	}, domain.InvalidParameter, "wait_for"},
	{"a token from before a reset", func(f *faulty) {
		reset := *f.h.engine.members[4097]
		reset.TokenMade = now.Unix()
		f.h.engine.members[4097] = &reset
	}, domain.InvalidKey, "Authorization"},
	{"an unknown brand", func(f *faulty) { f.brand = "77" }, domain.NotFound, "brandid"},
}

// A request with two faults is refused for the one that comes first in the contract's order, be it in the header,
// the query, the body or in what there is.
func TestSteps_TwoFaultsAreRefusedForTheFirst(t *testing.T) {
	for i, first := range stepFaults {
		for _, second := range stepFaults[i:] {
			h := newFixture(t)
			f := &faulty{h: h, key: keyAdvanced, brand: "1", query: url.Values{"id": {"4097"}}, headers: map[string]string{}}
			f.headers["Authorization"] = "Bearer " + h.jwtOf(4097, keyAdvanced)
			h.get("/v1.1/brand/1/stats/activity") // from here on the journal is known
			second.make(f)
			if second.name != first.name {
				first.make(f)
			}
			f.query.Set("apiKey", f.key)
			var headers []string
			for _, name := range slices.Sorted(maps.Keys(f.headers)) {
				headers = append(headers, name, f.headers[name])
			}
			w := h.do(http.MethodPost, "/v1.1/brand/"+f.brand+"/optin?"+f.query.Encode(), f.body, headers...)
			wants(t, first.name+", "+second.name, w, first.code, first.parameter)
		}
	}
}

// What only the account may say is refused after the body is read, and before the request has its id.
func TestSteps_PublicKeyBetweenBodyAndRequestID(t *testing.T) {
	h := newFixture(t)
	const withheld = "/v1.1/member/register?service=spotify&uid=u&authtoken=t&paidaccount=1&apiKey=" + keyPublic
	long := strings.Repeat("x", 129)
	wants(t, "beside a body of another type", h.do(http.MethodPost, withheld, "x", "Content-Type", "text/plain"), domain.UnsupportedMedia, "")
	wants(t, "beside a long Idempotency-Key", h.do(http.MethodPost, withheld, "", "Idempotency-Key", long), domain.WrongApplication, "paidaccount")
}
