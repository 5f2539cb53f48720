package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// A path in another case, or with spare slashes, is redirected with its query.
func TestPaths_RedirectedToTheirSpelling(t *testing.T) {
	h := newFixture(t)
	for _, c := range []struct {
		method, target string
		status         int
		to             string
	}{
		{"GET", "/V1.1/Brands?limit=5&x=%26", 301, "/v1.1/brands?limit=5&x=%26"},
		{"HEAD", "/v1.1/brands/", 301, "/v1.1/brands"},
		{"POST", "/v1.1/Brand/Create?apiKey=k", 307, "/v1.1/brand/create?apiKey=k"},
		{"GET", "/v1.1//brand/7/STATS/activity", 301, "/v1.1/brand/7/stats/activity"},
		{"GET", "//evil.example/v1.1/brands", 404, ""},
		{"GET", "/OPENAPI.json", 301, "/openapi.json"},
	} {
		w := h.do(c.method, c.target, "")
		if got := w.Header().Get("Location"); w.Code != c.status || got != c.to {
			t.Errorf("%s %s: %d to %s", c.method, c.target, w.Code, got)
		}
	}
}

// A method that a path does not take is refused with those that it takes.
func TestMethods_NotAllowed(t *testing.T) {
	h := newFixture(t)
	for target, allow := range map[string]string{
		"/v1.1/brands": "GET, HEAD, OPTIONS", "/v1.1/brand/create": "POST, OPTIONS", "/openapi.json": "GET, HEAD, OPTIONS",
		"/v1.1/auth": "GET, HEAD, POST, OPTIONS",
	} {
		w := h.do(http.MethodPut, target, "")
		h.refused(w, domain.MethodNotAllowed, "")
		equal(t, allow, w.Header().Get("Allow"), target)
	}
}

// HEAD has the status and the headers of GET, and no body.
func TestHead_IsGetWithoutBody(t *testing.T) {
	h := newFixture(t)
	for _, target := range []string{"/v1.1/brands", "/v1.1/brand/1/stats/timeline", "/openapi.json", "/v1.1/brand/99"} {
		get, head := h.get(target), h.do(http.MethodHead, keyed(target, keyAdvanced), "")
		for _, name := range []string{"X-Request-Id", "RateLimit-Remaining"} { // each request's own
			get.Header().Del(name)
			head.Header().Del(name)
		}
		if d := cmp.Diff(get.Header(), head.Header()); d != "" || head.Code != get.Code || head.Body.Len() != 0 {
			t.Errorf("%s: %d, %d bytes\n%s", target, head.Code, head.Body.Len(), d)
		}
	}
}

// The answer of a GET has its position, its lag and its range; errors have the position.
func TestAnswer_PositionLagAndRange(t *testing.T) {
	h := newFixture(t)
	w := h.get("/v1.1/brand/1/stats/activity")
	p, err := wire.DecodePosition(w.Header().Get("X-Position"))
	want := domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 0, Next: 9}}}
	if d := cmp.Diff(want, p); d != "" || err != nil {
		t.Error(err, d)
	}
	equal(t, "3", w.Header().Get("X-Lag-Ms"), "the lag of the answer is")
	w = h.get("/v1.1/brands")
	equal(t, "12", w.Header().Get("X-Lag-Ms"), "the engine's lag is")
	p, _ = wire.DecodePosition(w.Header().Get("X-Position"))
	equal(t, domain.Position{Journal: journalID, Catalog: 5}, p)
	equal(t, "2026-03-13 12:35:00/2026-03-15 12:35:00", h.get("/v1.1/brand/1/stats/activity?period=2+Day").Header().Get("X-Range"), "X-Range")
	for _, target := range []string{"/v1.1/brand/77", "/v1.1/brands?limit=x"} { // errors too
		if got := h.get(target).Header().Get("X-Position"); got == "" {
			t.Errorf("%s has no position", target)
		}
	}
}

// Whatever is read for a request, or written, waits for the position of wait_for.
func TestWaitFor_ReadsNoEarlier(t *testing.T) {
	h := newFixture(t)
	want := domain.Position{Journal: journalID, Catalog: 9, Shards: []domain.ShardOffset{{Shard: 3, Next: 40}}}
	token := wire.EncodePosition(want)
	for _, target := range []string{"/v1.1/brand/1/stats/activity", "/v1.1/member/4097", "/v1.1/brands"} {
		h.engine.waited = nil
		w := h.get(target + "?wait_for=" + token)
		if w.Code != http.StatusOK || len(h.engine.waited) == 0 {
			t.Fatalf("%s: %d %s", target, w.Code, w.Body)
		}
		for _, got := range h.engine.waited {
			equal(t, want, got, target)
		}
		p, _ := wire.DecodePosition(w.Header().Get("X-Position"))
		if p.Catalog < 9 || p.Next(3) < 40 {
			t.Errorf("%s: answered at %+v", target, p)
		}
	}
	h.engine.waited = nil
	h.post("/v1.1/brand/create?wait_for="+token, "name=x&type=y")
	if len(h.engine.waited) == 0 || !cmp.Equal(h.engine.waited[0], want) {
		t.Errorf("a write waited for %v", h.engine.waited)
	}
}

// A wait ends after timeout_ms.
func TestWaitFor_Timeout(t *testing.T) {
	h := newFixture(t)
	var left time.Duration
	h.engine.await = func(ctx context.Context, _ domain.Position) error {
		at, ok := ctx.Deadline()
		if !ok {
			t.Error("the wait has no deadline")
		}
		left = time.Until(at)
		return domain.ErrUnavailable
	}
	token := wire.EncodePosition(domain.Position{Catalog: 99})
	for query, within := range map[string]time.Duration{"": 2 * time.Second, "&timeout_ms=500": 500 * time.Millisecond, "&timeout_ms=10000": 10 * time.Second} {
		h.refused(h.get("/v1.1/brands?wait_for="+token+query), domain.Unavailable, "wait_for")
		if left > within {
			t.Errorf("%q waits %s", query, left)
		}
	}
}

// A position of another journal is refused, without a wait once the journal is known.
func TestWaitFor_AnotherJournal(t *testing.T) {
	h := newFixture(t)
	foreign := wire.EncodePosition(domain.Position{Journal: domain.TopicID{9}, Catalog: 1})
	// Before the journal is known the engine judges.
	h.engine.await = func(context.Context, domain.Position) error {
		return domain.Bad(domain.InvalidParameter, "position", "another journal")
	}
	h.refused(h.get("/v1.1/brands?wait_for="+foreign), domain.InvalidParameter, "wait_for")
	h.engine.await = nil
	h.get("/v1.1/brand/1/stats/activity")
	h.engine.waited = nil
	h.refused(h.get("/v1.1/brands?wait_for="+foreign), domain.InvalidParameter, "wait_for")
	equal(t, 0, len(h.engine.waited), "waits")
}

// An answer whose tag the client has is a 304 with the headers.
func TestETag_NotModified(t *testing.T) {
	h := newFixture(t)
	for _, target := range []string{"/v1.1/brands", "/v1.1/member/4097", "/v1.1/brand/1/stats/activity", "/openapi.json"} {
		first := h.get(target)
		tag := first.Header().Get("Etag")
		if !strings.HasPrefix(tag, `W/"`) {
			t.Fatalf("%s: ETag %q", target, tag)
		}
		for _, given := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
			w := h.get(target, "If-None-Match", given)
			if w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("Etag") != tag {
				t.Errorf("%s with %s: %d, %d bytes", target, given, w.Code, w.Body.Len())
			}
			if strings.HasPrefix(target, "/v1.1") && (w.Header().Get("X-Position") == "" || w.Header().Get("Cache-Control") != "private, no-cache") {
				t.Errorf("%s: 304 with %v", target, w.Header())
			}
		}
		h.status(h.get(target, "If-None-Match", `W/"other"`), http.StatusOK, target)
	}
}

// The tag leaves out the member's token and nothing else.
func TestETag_WithoutTheMemberToken(t *testing.T) {
	h := newFixture(t)
	clock := now
	h.api.Config.Now = func() time.Time { return clock }
	first := h.get("/v1.1/member/4097")
	clock = clock.Add(time.Second)
	second := h.get("/v1.1/member/4097")
	if first.Body.String() == second.Body.String() {
		t.Fatal("the jwt of a second later is the same")
	}
	if a, b := first.Header().Get("Etag"), second.Header().Get("Etag"); a != b {
		t.Errorf("tags %s and %s", a, b)
	}
	h.engine.members[4097].Profile[0].Value = "Eve"
	if a, b := first.Header().Get("Etag"), h.get("/v1.1/member/4097").Header().Get("Etag"); a == b {
		t.Error("another body has the same tag")
	}
}

// What is ignored or clamped is named in a Warning each.
func TestWarnings_OneForEachIgnored(t *testing.T) {
	h := newFixture(t)
	w := h.get("/v1.1/brands?limit=5000&foo=1&b%22ar%0d%0aX:y=2")
	want := []string{
		`299 - "the parameter foo is unknown and was ignored"`, `299 - "the parameter b\"ar\r\nX:y is unknown and was ignored"`,
		`299 - "limit was clamped to 1000"`,
	}
	equal(t, want, w.Header().Values("Warning"))
	for _, c := range []struct {
		target string
		n      int
	}{
		{"/v1.1/brand/1/stats/activity?period=9+Year", 1},
		{"/v1.1/brand/1/stats/activity?end_date=2026-01-01+00:00:00&period_end=1+Day", 1},
		{"/v1.1/member/4097?showactions=1&showbrands=1&threshold=2&limit=3", 0},
		{"/v1.1/member/4097?showactions=1&limit=3000&extended=1", 1},
		{"/v1.1/member/4097?showactions=0&extended=", 0},
	} {
		if got := h.get(c.target).Header().Values("Warning"); len(got) != c.n {
			t.Errorf("%s: %q", c.target, got)
		}
	}
}

// Key and application name a request, whatever its form; parameters and path distinguish it from a misuse.
func TestIdempotencyKey_NamesTheRequest(t *testing.T) {
	h := newFixture(t)
	send := func(key, apiKey, target, body string) domain.Submission {
		t.Helper()
		var headers []string
		if key != "" {
			headers = []string{"Idempotency-Key", key}
		}
		if w := h.do("POST", keyed(target, apiKey), body, headers...); w.Code >= 500 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return h.engine.submitted[len(h.engine.submitted)-1]
	}
	const create = "/v1.1/brand/create"
	a := send("k", keyAdvanced, create, "name=x&type=y")
	b := send("k", keyAdvanced, create+"?TYPE=y&wait_for=&timeout_ms=5", `{"NAME":"x"}`)
	if a.Request != b.Request || a.BodyHash != b.BodyHash {
		t.Error("a repeat in another form is another request")
	}
	if c := send("k", keyAdvanced, create, "name=x&type=z"); c.Request != a.Request || c.BodyHash == a.BodyHash {
		t.Error("another parameter is taken for a repeat")
	}
	if c := send("k", keyAdvanced, "/v1.1/brand/1/edit", "name=x&type=y"); c.Request != a.Request || c.BodyHash == a.BodyHash {
		t.Error("another path is taken for a repeat")
	}
	if c := send("k", keyEnterprise, create, "name=x&type=y"); c.Request == a.Request {
		t.Error("two applications share a request id")
	}
	if c, d := send("", keyAdvanced, create, "name=x&type=y"), send("", keyAdvanced, create, "name=x&type=y"); c.Request == d.Request || c.Request.IsZero() {
		t.Error("requests without a key share an id")
	}
	h.refused(h.post(create, "name=x&type=y", "Idempotency-Key", strings.Repeat("x", 129)), domain.InvalidParameter, "Idempotency-Key")
}

// A repeat has its first outcome, an error too, and is marked.
func TestIdempotencyKey_Replayed(t *testing.T) {
	h := newFixture(t)
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{ID: 1, Replayed: true, Position: domain.Position{Journal: journalID, Catalog: 5}}, nil
	}
	w := h.post("/v1.1/brand/create", "name=x&type=y", "Idempotency-Key", "k")
	b := answered[wire.Brand](h, w)
	if b.ID != 1 || b.Fields["Name"] != "The Moons" || w.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("%+v %v", b, w.Header())
	}
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Code: domain.Conflict, Parameter: "slug", Message: "taken", Replayed: true}, nil
	}
	w = h.post("/v1.1/brand/create", "name=x&type=y", "Idempotency-Key", "k")
	h.refused(w, domain.Conflict, "slug")
	equal(t, "true", w.Header().Get("Idempotent-Replayed"), "a repeated error is marked")
}

// Each answered request with a valid key is a hit, and no other.
func TestHits_RequestsWithAValidKey(t *testing.T) {
	h := newFixture(t)
	tag := h.get("/v1.1/brands").Header().Get("Etag")
	h.get("/v1.1/brands", "If-None-Match", tag)
	h.get("/v1.1/brands?limit=x")
	h.post("/v1.1/brand/create", "")
	h.do("POST", keyed("/v1.1/brand/create", keyStandard), "") // its plan lacks it
	equal(t, 5, h.engine.hits)
	h.do("GET", "/v1.1/brands", "")
	h.do("GET", keyed("/v1.1/brands", "wrong"), "")
	h.do("GET", "/openapi.json", "")
	equal(t, 5, h.engine.hits, "after requests without a valid key")
}

// Requests are counted by operation, status and latency.
func TestStats_ByOperationAndStatus(t *testing.T) {
	h := newFixture(t)
	clock := now
	h.api.Config.Now = func() time.Time { clock = clock.Add(300 * time.Microsecond); return clock }
	h.get("/v1.1/brands")
	h.get("/v1.1/brands?limit=x")
	h.get("/nothing")
	got := map[string]map[int]uint64{}
	all := h.api.Stats()
	if len(all) < 70 {
		t.Errorf("%d operations are counted", len(all))
	}
	for _, s := range all {
		if len(s.Requests) == 0 {
			continue
		}
		got[s.Operation] = s.Requests
		var n, m uint64
		for _, k := range s.Latency {
			n += k
		}
		for _, k := range s.Requests {
			m += k
		}
		if n != m || s.Total <= 0 || len(s.Latency) != len(serve.LatencyBounds)+1 {
			t.Errorf("%s: %d latencies of %d requests, %s", s.Operation, n, m, s.Total)
		}
	}
	equal(t, map[string]map[int]uint64{"GET /v1.1/brands": {200: 1, 400: 1}, "none": {404: 1}}, got)
}

// The log has no query, no key and no token.
func TestLog_NothingPersonal(t *testing.T) {
	h := newFixture(t)
	h.post("/v1.1/member/register?utm=query-secret", "service=spotify&uid=uid-secret&authtoken=token-secret&email=mail-secret@x.y")
	h.get("/v1.1/member/4503599627370497?email=mail-secret@x.y") // no random id and no time has as many digits
	h.get("/v1.1/brands?keyword=query-secret")
	log := h.log.String()
	if strings.Count(log, "level=DEBUG") != 3 || !strings.Contains(log, `operation="GET /v1.1/member/:memberid"`) {
		t.Errorf("the access log: %s", log)
	}
	for _, secret := range []string{"secret", keyAdvanced, "4503599627370497"} {
		if strings.Contains(log, secret) {
			t.Errorf("%s is in the log: %s", secret, log)
		}
	}
}

// A request that finds no room until it may wait no longer is 503, and is to be repeated; one of an
// account that holds the room itself is 429.
func TestInFlight_NoRoomIsUnavailable(t *testing.T) {
	h := newFixture(t)
	h.renew(func(c *Config) { c.InFlightBytes = 2 })
	own, other := httptest.NewRecorder(), httptest.NewRecorder()
	answer := h.engine.Ask
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) { // while the first is under way
		ctx, leave := context.WithCancel(t.Context())
		leave()
		for w, key := range map[*httptest.ResponseRecorder]string{own: keyAdvanced, other: keyStranger} {
			target := "https://api.example/v1.1/members?limit=1000&apiKey=" + key
			h.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil).WithContext(ctx))
		}
		h.engine.answer = nil
		return answer(t.Context(), q, domain.Position{})
	}
	for range 2 {
		if first := h.get("/v1.1/brand/1/stats/activity"); first.Code != http.StatusOK {
			t.Errorf("%d, and there is room", first.Code)
		}
	}
	h.refused(own, domain.RateLimited, "")
	h.refused(other, domain.Unavailable, "")
}

// A bound that the engine refuses a question for is named; Unavailable is to be retried.
func TestEngine_RefusesAQuestion(t *testing.T) {
	h := newFixture(t)
	for _, target := range []string{
		"/v1.1/brand/1/stats/activity", "/v1.1/brand/1/stats/timeline", "/v1.1/brand/1/stats/location", "/v1.1/activity/feed",
		"/v1.1/members/active", "/v1.1/brands/crossover", "/v1.1/activity/count/daily",
	} {
		h.engine.answer = func(*domain.Question) (*domain.Answer, error) {
			return nil, domain.Fail(domain.PlanLimit, "the question would read more than 500 rows")
		}
		w := h.get(target)
		h.refused(w, domain.PlanLimit, "")
		if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "500 rows") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		h.engine.answer = func(*domain.Question) (*domain.Answer, error) { return nil, domain.ErrUnavailable }
		w = h.get(target)
		h.refused(w, domain.Unavailable, "")
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}

// The engine gets the client's context: its waits end when the client goes away.
func TestEngine_ClientWentAway(t *testing.T) {
	h := newFixture(t)
	ctx, leave := context.WithCancel(context.Background())
	met := false
	h.engine.await = func(asked context.Context, _ domain.Position) error {
		leave()
		met = asked.Err() != nil
		return domain.ErrUnavailable
	}
	target := "https://api.example/v1.1/brand/1/stats/activity?wait_for=" + wire.EncodePosition(domain.Position{Catalog: 9}) + "&apiKey=" + keyAdvanced
	w := httptest.NewRecorder()
	h.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil).WithContext(ctx))
	h.refused(w, domain.Unavailable, "")
	if !met {
		t.Error("the engine went on")
	}
}
