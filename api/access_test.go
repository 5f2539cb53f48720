package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// accessed has the API write an access log.
func (h *fixture) accessed() *bytes.Buffer {
	b := new(bytes.Buffer)
	h.renew(func(c *Config) { c.Access = slog.New(slog.NewJSONHandler(b, nil)) })
	return b
}

// A line has the method, the pattern of the path, the status, the size, the time, the id of the
// request, and the application where the key is known.
func TestAccessLog_Line(t *testing.T) {
	h := newFixture(t)
	log := h.accessed()
	tag := h.get("/v1.1/brand/1").Header().Get("Etag")
	for _, c := range []struct {
		method, target, key, route string
		status, application        int
		headers                    []string
	}{
		{"GET", "/v1.1/brand/1?x=y", keyAdvanced, "/v1.1/brand/:brandid", 200, 2, nil},
		{"HEAD", "/v1.1/brand/1", keyAdvanced, "/v1.1/brand/:brandid", 200, 2, nil},
		{"GET", "/v1.1/brand/1", keyAdvanced, "/v1.1/brand/:brandid", 304, 2, []string{"If-None-Match", tag}},
		{"GET", "/v1.1/brand/77", keyEnterprise, "/v1.1/brand/:brandid", 404, 3, nil},
		{"GET", "/v1.1/brand/1", keyRevoked, "/v1.1/brand/:brandid", 401, 0, nil},
		{"POST", "/v1.1/brand/1/edit", keyStandard, "/v1.1/brand/:brandid/edit", 403, 1, nil},
		{"PUT", "/v1.1/brand/1", keyAdvanced, "/v1.1/brand/:brandid", 405, 0, nil},
		{"key-advanced", "/v1.1/brand/1", keyAdvanced, "/v1.1/brand/:brandid", 405, 0, nil},
		{"GET", "/v1.1/Brands", keyAdvanced, "", 301, 0, nil},
		{"GET", "/nothing/" + keyAdvanced, keyAdvanced, "", 404, 0, nil},
		{"GET", "/errors/not-found", "", "/errors/:slug", 200, 0, nil},
	} {
		log.Reset()
		w := h.do(c.method, keyed(c.target, c.key), "", c.headers...)
		var got struct {
			Method, Route, Request     string
			Status, Bytes, Application int
			TookMs                     *float64
		}
		if err := json.Unmarshal(log.Bytes(), &got); err != nil {
			t.Fatalf("%v: %s", err, log)
		}
		method := c.method
		if method == keyAdvanced {
			method = "other"
		}
		if got.Method != method || got.Route != c.route || got.Status != c.status || w.Code != c.status || got.Bytes != w.Body.Len() ||
			got.Application != c.application || got.Request != w.Header().Get("X-Request-Id") || got.TookMs == nil {
			t.Errorf("%s %s: %d: %s", c.method, c.target, w.Code, log)
		}
	}
}

// No line of the access log, and none of the log at level debug, has a secret or a personal value
// of the request, wherever it was: in the path, the query, the body, a header or the address.
func TestAccessLog_NoSecret(t *testing.T) {
	h := newFixture(t)
	log := h.accessed()
	h.log.Reset()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	var secrets []string
	secret := func() string {
		s := fmt.Sprintf("Zq%016xk", rnd.Uint64())
		secrets = append(secrets, s)
		return s
	}
	operations := Operations()
	for range 5 {
		for _, o := range operations {
			path := strings.NewReplacer(":brandid", secret(), ":brandID", secret(), ":activityid", secret(), ":segmentid", secret(),
				":memberid", secret(), ":actionid", secret()).Replace(o.Path)
			query := "apiKey=" + [...]string{keyAdvanced, secret()}[rnd.IntN(2)] + "&email=" + secret() + "&authtoken=" + secret() + "&" + secret() + "=1"
			body := ""
			if o.Method == http.MethodPost {
				body = "password=" + secret() + "&uid=" + secret() + "&ip=" + secret() + "&" + secret() + "=" + secret()
			}
			headers := []string{
				"Authorization", "Bearer " + secret(), "Idempotency-Key", secret(), "User-Agent", secret(), "Referer", secret(),
				"X-Forwarded-For", secret(), "Cookie", secret(), "If-None-Match", secret(),
			}
			h.do([...]string{o.Method, o.Method, o.Method, secret()}[rnd.IntN(4)], path+"?"+query, body, headers...)
		}
		h.do(http.MethodGet, "/"+secret()+"?"+secret(), "")
	}
	secrets = append(secrets, keyAdvanced, "192.0.2.1" /* of httptest */, "api.example")
	text := log.String() + h.log.String()
	lower := strings.ToLower(text)
	if n := strings.Count(log.String(), "\n"); n < 5*len(operations) {
		t.Fatalf("%d lines", n)
	}
	for _, s := range secrets {
		if strings.Contains(lower, strings.ToLower(s)) {
			t.Errorf("%q is in the log", s)
		}
	}
	if !strings.Contains(text, "/v1.1/brand/:brandid") {
		t.Error("the log has no route: it would pass without any line")
	}
}

// A request on which the program fails has its line, too.
func TestAccessLog_Failure(t *testing.T) {
	h := newFixture(t, func(*domain.Question) (*domain.Answer, error) { panic("secret-of-a-member") })
	log := h.accessed()
	h.get("/v1.1/brand/1/stats/activity")
	if text := log.String(); !strings.Contains(text, `"status":500`) || strings.Contains(text, "secret-of") {
		t.Error(text)
	}
}
