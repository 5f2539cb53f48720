package api

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
)

// limited is a fixture whose accounts have the limits, and a clock to be moved.
func limited(t *testing.T, l domain.Limits) (*fixture, *time.Time) {
	t.Helper()
	h := newFixture(t)
	h.engine.limits = l
	clock := now
	h.renew(func(c *Config) { c.Now = func() time.Time { return clock } })
	return h, &clock
}

// rateHeaders are Limit, Remaining, Reset and Retry-After of an answer.
func rateHeaders(w *httptest.ResponseRecorder) string {
	h := w.Header()
	return strings.Join([]string{
		h.Get("RateLimit-Limit"), h.Get("RateLimit-Remaining"), h.Get("RateLimit-Reset"), h.Get("Retry-After"),
	}, " ")
}

// An account has one bucket for all of its keys, which fills at its rate; what is over it is error
// 8, and no hit.
func TestRate_HardIsOneBucketAnAccount(t *testing.T) {
	h, clock := limited(t, domain.Limits{Rate: 2, Burst: 4, Mode: domain.HardLimit})
	const target = "/v1.1/brands"
	for i, key := range []string{keyStandard, keyAdvanced, keyGlobal, keyEnterprise} {
		w := h.do("GET", keyed(target, key), "")
		h.status(w, http.StatusOK, key)
		equal(t, []string{"4 3 1 ", "4 2 1 ", "4 1 2 ", "4 0 2 "}[i], rateHeaders(w), key)
	}
	hits := h.engine.hits
	for _, key := range []string{keyStandard, keyGlobal} {
		w := h.do("GET", keyed(target, key), "")
		h.refused(w, domain.RateLimited, "")
		equal(t, "4 0 2 1", rateHeaders(w), key)
	}
	equal(t, hits, h.engine.hits, "hits of refused requests")
	h.status(h.do("GET", keyed(target, keyStranger), ""), http.StatusOK, "another account")
	*clock = clock.Add(500 * time.Millisecond)
	h.status(h.get(target), http.StatusOK, "half a second later")
	h.refused(h.get(target), domain.RateLimited, "")
	*clock = clock.Add(time.Minute)
	equal(t, "4 3 1 ", rateHeaders(h.get(target)), "a minute later")
	equal(t, serve.Limited{Refused: 3}, h.api.Limited(), "counted")
}

// Every answer to a valid key shows the limits, whatever its status; no other answer does.
func TestRate_HeadersOfEveryAnswer(t *testing.T) {
	h, _ := limited(t, domain.Limits{Rate: 100, Burst: 200, Mode: domain.HardLimit})
	tag := h.get("/v1.1/brands").Header().Get("Etag")
	h.engine.answer = func(*domain.Question) (*domain.Answer, error) { panic("a defect") }
	for _, c := range []struct {
		status int
		w      *httptest.ResponseRecorder
	}{
		{200, h.get("/v1.1/brands")},
		{304, h.get("/v1.1/brands", "If-None-Match", tag)},
		{400, h.get("/v1.1/brands?limit=x")},
		{403, h.do("POST", keyed("/v1.1/brand/create", keyStandard), "name=x&type=y")},
		{404, h.get("/v1.1/brand/99")},
		{413, h.get("/v1.1/brands", "X-Large", strings.Repeat("x", serve.MaxHeader))},
		{415, h.post("/v1.1/brand/create", "x", "Content-Type", "text/plain")},
		{500, h.get("/v1.1/brand/1/stats/activity")},
	} {
		h.status(c.w, c.status)
		if got := strings.Fields(rateHeaders(c.w)); len(got) < 3 || got[0] != "200" {
			t.Errorf("%d: %q", c.status, got)
		}
	}
	for _, target := range []string{"/v1.1/brands", keyed("/v1.1/brands", "x"), keyed("/v1.1/no", keyAdvanced), "/openapi.json"} {
		if got := rateHeaders(h.do("GET", target, "")); strings.TrimSpace(got) != "" {
			t.Errorf("%s: %q", target, got)
		}
	}
}

// The contract's order: the key (1 2), the rate (8), the plan (9), the month (12), then the body
// and the parameters.
func TestLimits_OrderOfChecks(t *testing.T) {
	h, clock := limited(t, domain.Limits{Rate: 1, Burst: 1, Mode: domain.HardLimit, Month: 2})
	h.engine.apps[3].Plan = domain.Standard // the global key's
	all := func(key string) *httptest.ResponseRecorder {
		return h.do("POST", keyed("/v1.1/brand/create", key), "{", "Content-Type", "text/plain")
	}
	h.refused(all(keyStandard), domain.PlanRequired, "")
	h.refused(all(keyStandard), domain.RateLimited, "")
	h.refused(all(keyRevoked), domain.InvalidKey, "apiKey")
	h.refused(all(""), domain.MissingKey, "apiKey")
	*clock = clock.Add(time.Second)
	h.refused(h.do("GET", keyed("/v1.1/brands", keyGlobal), ""), domain.PlanRequired, "")
	for _, code := range []domain.Code{domain.UnsupportedMedia, domain.UnsupportedMedia, domain.PlanLimit} {
		*clock = clock.Add(time.Second)
		h.refused(all(keyAdvanced), code, "")
	}
	h.refused(all(keyAdvanced), domain.RateLimited, "")
	*clock = clock.Add(time.Second)
	h.refused(all(keyStandard), domain.PlanRequired, "")
	if len(h.engine.submitted) > 0 {
		t.Errorf("%d submissions", len(h.engine.submitted))
	}
}

// A 304 is a hit. One of the response cache takes no token; one whose answer was made and compared
// does. A poll without a token is a 304 of the cache or error 8, never an answer.
func TestRate_PollsTakeNoToken(t *testing.T) {
	h, clock := limited(t, domain.Limits{Rate: 1, Burst: 2, Mode: domain.HardLimit})
	h.engine.unchanged = func(domain.AccountID, domain.Versions, *domain.ReadSet, []domain.Range) (domain.Position, bool) {
		return domain.Position{}, true
	}
	const target = "/v1.1/brand/1/stats/activity"
	usage := usageTarget("interval", "day", "start_date", "2026-03-01 00:00:00", "period", "1 day")
	tag, compared := h.get(target).Header().Get("Etag"), h.get(usage).Header().Get("Etag")
	h.refused(h.get(target), domain.RateLimited, "")
	hits := h.engine.hits
	for range 5 {
		w := h.get(target, "If-None-Match", tag)
		h.status(w, http.StatusNotModified)
		equal(t, "2 0 2 ", rateHeaders(w), "a 304 without a token")
	}
	equal(t, hits+5, h.engine.hits, "hits of polls")
	asked := len(h.engine.asked)
	h.refused(h.get(target, "If-None-Match", `W/"other"`), domain.RateLimited, "")
	h.refused(h.get(target+"?brandID=x", "If-None-Match", tag), domain.RateLimited, "")
	h.refused(h.get(usage, "If-None-Match", compared), domain.RateLimited, "") // it would have to be made
	position := h.do("GET", keyed("/v1.1/brands", keyStranger), "").Header().Get("X-Position")
	h.refused(h.get(target+"?wait_for="+position, "If-None-Match", tag), domain.RateLimited, "")
	equal(t, asked, len(h.engine.asked), "questions of refused polls")
	*clock = clock.Add(time.Second)
	for range 5 {
		w := h.get(target, "If-None-Match", tag)
		h.status(w, http.StatusNotModified)
		equal(t, "2 1 1 ", rateHeaders(w), "a 304 of the cache gives its token back")
	}
	w := h.get(usage, "If-None-Match", compared)
	h.status(w, http.StatusNotModified)
	equal(t, "2 0 2 ", rateHeaders(w), "a compared 304 costs its token")
	h.refused(h.get(target), domain.RateLimited, "")
}

// Over a soft rate requests are served with a Warning, counted and hits.
func TestRate_Soft(t *testing.T) {
	h, _ := limited(t, domain.Limits{Rate: 3, Burst: 1, Mode: domain.SoftLimit})
	warned := func(w *httptest.ResponseRecorder) bool {
		return slices.Contains(w.Header().Values("Warning"), `299 - "the account is over its rate of 3 requests a second"`)
	}
	first := h.get("/v1.1/brands")
	h.status(first, http.StatusOK)
	second := h.get("/v1.1/brands")
	h.status(second, http.StatusOK)
	poll := h.get("/v1.1/brands", "If-None-Match", first.Header().Get("Etag"))
	h.status(poll, http.StatusNotModified)
	bad := h.get("/v1.1/brands?limit=x")
	h.refused(bad, domain.InvalidParameter, "limit")
	if warned(first) || !warned(second) || warned(poll) || !warned(bad) {
		t.Errorf("warned: %t %t %t %t", warned(first), warned(second), warned(poll), warned(bad))
	}
	equal(t, 4, h.engine.hits, "hits")
	equal(t, serve.Limited{Served: 2}, h.api.Limited(), "counted")
}

// Without limits of its own an account has those of the highest plan of its applications; a change
// of either holds for the next request.
func TestRate_OfThePlan(t *testing.T) {
	h, clock := limited(t, domain.Limits{})
	for plan, want := range map[domain.Plan]string{domain.Standard: "100 99 1 ", domain.Advanced: "1000 999 1 ", domain.Enterprise: "4000 3999 1 "} {
		h.engine.apps[9].Plan = plan
		h.engine.next++
		h.status(h.do("GET", keyed("/v1.1/brands", keyStranger), ""), http.StatusOK, plan)
		*clock = clock.Add(time.Minute)
		equal(t, want, rateHeaders(h.do("GET", keyed("/v1.1/brands", keyStranger), "")), plan.String())
	}
	equal(t, "4000 3999 1 ", rateHeaders(h.do("GET", keyed("/v1.1/brands", keyStandard), "")), "the standard key of an enterprise account")
	h.engine.limits = domain.Limits{Rate: 7}
	h.engine.next++
	equal(t, "14 13 1 ", rateHeaders(h.get("/v1.1/brands")), "a rate of its own")
}

// The requests of a calendar month are those stored and those of now, errors and 304 too, 429 not;
// the next month begins again, and counts of other nodes are read within a minute.
func TestMonth_IsUsedUp(t *testing.T) {
	h, clock := limited(t, domain.Limits{Rate: 1000, Burst: 1000, Mode: domain.HardLimit, Month: 10})
	h.engine.usage = []domain.HourHits{
		{Application: 1, Hour: hourOf(now), Hits: 3}, {Application: 3, Hour: hourOf(now) - 24*15, Hits: 100}, // of February
	}
	tag := h.get("/v1.1/brands").Header().Get("Etag")
	h.status(h.get("/v1.1/brands", "If-None-Match", tag), http.StatusNotModified)
	h.refused(h.get("/v1.1/brands?limit=x"), domain.InvalidParameter, "limit")
	for range 4 {
		h.status(h.do("GET", keyed("/v1.1/brands", keyStandard), ""), http.StatusOK)
	}
	h.refused(h.get("/v1.1/brands"), domain.PlanLimit, "")
	h.status(h.do("GET", keyed("/v1.1/brands", keyStranger), ""), http.StatusOK, "another account")
	equal(t, 9, h.engine.hits, "hits, that over the month among them")
	*clock = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	h.status(h.get("/v1.1/brands"), http.StatusOK, "the next month")
	h.engine.usage = append(h.engine.usage, domain.HourHits{Application: 2, Hour: hourOf(*clock), Hits: 10})
	h.status(h.get("/v1.1/brands"), http.StatusOK, "what another node counted is not read yet")
	*clock = clock.Add(time.Minute)
	h.refused(h.get("/v1.1/brands"), domain.PlanLimit, "")
	equal(t, serve.Limited{Month: 2}, h.api.Limited(), "counted")
}

// While the stored hits cannot be read, requests are not refused for the month; a second later
// they are read again. A 429 is none of the month's.
func TestMonth_NotReadable(t *testing.T) {
	h, clock := limited(t, domain.Limits{Rate: 1, Burst: 2, Mode: domain.HardLimit, Month: 5})
	h.engine.usage = []domain.HourHits{{Application: 1, Hour: hourOf(now), Hits: 5}}
	h.engine.usageFails = domain.ErrUnavailable
	h.status(h.get("/v1.1/brands"), http.StatusOK)
	h.status(h.get("/v1.1/brands"), http.StatusOK)
	h.engine.usageFails = nil
	h.refused(h.get("/v1.1/brands"), domain.RateLimited, "")
	h.refused(h.get("/v1.1/brands", "If-None-Match", `"x"`), domain.RateLimited, "")
	*clock = clock.Add(time.Second)
	h.refused(h.get("/v1.1/brands"), domain.PlanLimit, "")
}

// A 429 is no outcome: the same Idempotency-Key is taken when the account has a token again.
func TestRate_IsNoOutcome(t *testing.T) {
	h, clock := limited(t, domain.Limits{Rate: 1, Burst: 1, Mode: domain.HardLimit})
	h.status(h.get("/v1.1/brands"), http.StatusOK)
	post := func() *httptest.ResponseRecorder {
		return h.post("/v1.1/brand/create", "name=x&type=y", "Idempotency-Key", "k")
	}
	h.refused(post(), domain.RateLimited, "")
	equal(t, 0, len(h.engine.submitted), "submissions")
	*clock = clock.Add(time.Second)
	w := post()
	h.status(w, http.StatusOK)
	equal(t, "", w.Header().Get("Idempotent-Replayed"), "replayed")
}

// What requests on other nodes took is missing from the bucket of the account, for 16 seconds at
// most, and from no other one; a request that took no token is told the engine as such.
func TestRate_Elsewhere(t *testing.T) {
	h, clock := limited(t, domain.Limits{Rate: 2, Burst: 4, Mode: domain.HardLimit})
	h.engine.elsewhere(1, 2)
	w := h.get("/v1.1/brands")
	equal(t, "4 1 2 ", rateHeaders(w), "after two elsewhere")
	equal(t, 1, h.engine.paid, "paid")
	h.engine.elsewhere(1, 4)
	w = h.get("/v1.1/brands")
	h.refused(w, domain.RateLimited, "")
	equal(t, "4 0 4 2", rateHeaders(w), "a debt of three")
	h.status(h.get("/v1.1/brands", "If-None-Match", w.Header().Get("Etag")), http.StatusTooManyRequests, "no tag")
	h.engine.elsewhere(1, 1000)
	equal(t, "4 0 18 17", rateHeaders(h.get("/v1.1/brands")), "the greatest debt is that of 16 seconds")
	equal(t, "4 3 1 ", rateHeaders(h.do("GET", keyed("/v1.1/brands", keyStranger), "")), "another account")
	*clock = clock.Add(16_500 * time.Millisecond)
	first := h.get("/v1.1/brands")
	equal(t, "4 0 2 ", rateHeaders(first), "the debt is paid")
	h.status(h.get("/v1.1/brands", "If-None-Match", first.Header().Get("Etag")), http.StatusNotModified)
	equal(t, 3, h.engine.paid, "paid, without refusals and a 304")
}

// A Bearer that is none is code 2, which comes before the rate: also without a token. It takes one
// all the same, and its answer shows the limits.
func TestRate_InvalidBearer(t *testing.T) {
	h, _ := limited(t, domain.Limits{Rate: 1, Burst: 2, Mode: domain.HardLimit})
	for i, want := range []string{"2 1 1 ", "2 0 2 ", "2 0 2 "} {
		w := h.get("/v1.1/auth", "Authorization", "Bearer x")
		if p, _ := problemOf(w); p.Error.Code != int(domain.InvalidKey) {
			t.Errorf("request %d: %d %s", i, w.Code, w.Body)
		}
		equal(t, want, rateHeaders(w), i)
	}
	h.refused(h.get("/v1.1/brands"), domain.RateLimited, "")
	equal(t, 3, h.engine.hits, "hits")
}
