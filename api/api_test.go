package api

import (
	"crypto/ed25519"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/keys/keystest"
	"github.com/ovation-analytics/ovation/api/pages"
	"github.com/ovation-analytics/ovation/api/webhooks"
	"github.com/ovation-analytics/ovation/api/wire"
)

// A Config that lacks something is refused.
func TestNew_IncompleteConfig(t *testing.T) {
	whole := Config{
		Engine: &fakeEngine{}, Hasher: testHasher{}, Now: time.Now, BaseURL: "http://127.0.0.1:8080",
		Signing:  []PrivateKey{{ID: "k", Key: ed25519.NewKeyFromSeed(make([]byte, 32))}},
		TokenKey: [16]byte{1}, Keys: new(keystest.Keys),
		Webhooks: webhooks.Config{Deliveries: new(delivered), Secrets: webhookSecrets, Poster: new(delivered)},
	}
	if _, err := New(whole); err != nil {
		t.Fatal(err)
	}
	for name, lack := range map[string]func(*Config){
		"engine": func(c *Config) { c.Engine = nil }, "hasher": func(c *Config) { c.Hasher = nil }, "clock": func(c *Config) { c.Now = nil },
		"base": func(c *Config) { c.BaseURL = "" }, "scheme": func(c *Config) { c.BaseURL = "ftp://x" }, "token key": func(c *Config) { c.TokenKey = [16]byte{} },
		"data keys": func(c *Config) { c.Keys = nil }, "webhooks": func(c *Config) { c.Webhooks = webhooks.Config{} },
		"signing key": func(c *Config) { c.Signing = nil }, "private key": func(c *Config) { c.Signing = []PrivateKey{{ID: "k"}} },
		"kid": func(c *Config) { c.Signing = []PrivateKey{{Key: c.Signing[0].Key}} },
	} {
		c := whole
		lack(&c)
		if _, err := New(c); err == nil {
			t.Errorf("an API without %s was made", name)
		}
	}
}

// discard is a response writer that keeps only its header, made again like a
// server's.
type discard struct{ h http.Header }

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

// BenchmarkStatsActivity is what the API adds to a question: route, bind, render.
func BenchmarkStatsActivity(b *testing.B) {
	h := counting(b)
	answer, _ := h.engine.answer(&domain.Question{Groups: []domain.Group{{Definition: 100, Group: 100}, {Definition: 102, Group: 102}, {Definition: 103, Group: 103}}})
	h.engine.answer = func(*domain.Question) (*domain.Answer, error) {
		tally := *answer.Tally
		return &domain.Answer{Tally: &tally, Position: answer.Position}, nil
	}
	h.api.Config.Logger = discarded
	for name, query := range map[string]string{
		"plain":    "?apiKey=" + keyAdvanced,
		"filtered": "?APIKEY=" + keyAdvanced + "&period=2+Month&services=twitter,facebook&country=DE,FR&members=1,2,3,4,5&paid_only=1&includeOneTime=1",
	} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, "/v1.1/brand/1/stats/activity"+query, nil)
			b.ReportAllocs()
			for b.Loop() {
				h.engine.asked, h.engine.waited = h.engine.asked[:0], h.engine.waited[:0]
				h.api.ServeHTTP(&discard{http.Header{}}, r)
			}
		})
	}
}

// rewind keeps the state of the fake engine, and gives what puts it back.
func (s *fakeEngine) rewind() func() {
	brands, defs, segs, members, next := s.brands, s.defs, s.segs, maps.Clone(s.members), s.next
	hooks, delivered := s.hooks, s.delivered
	return func() {
		s.brands, s.defs, s.segs, s.members, s.next = slices.Clone(brands), slices.Clone(defs), slices.Clone(segs), maps.Clone(members), next
		s.hooks, s.delivered = slices.Clone(hooks), delivered
		s.submitted, s.asked, s.waited, s.content = nil, nil, nil, nil
	}
}

// FuzzRequest_AnswerOrProblem sends whole requests: any path or that of an operation, any query, body
// and kind of body. Each is answered, or refused by a whole problem of the contract
// that is no bug (500) and says nothing of the key.
func FuzzRequest_AnswerOrProblem(f *testing.F) {
	operations := Operations()
	kinds := []string{"application/x-www-form-urlencoded", "application/json", "application/x-ndjson", "", "text/plain", "application/json; charset=utf-8"}
	for i, o := range operations {
		path, params := exampled(o)
		f.Add(uint8(i), "", params.Encode(), "", uint8(0))
		f.Add(uint8(i), "", "", params.Encode(), uint8(0))
		f.Add(uint8(i), path+"/", params.Encode()+"&limit=5,5&cursor=&sort=asc", `{"limit":1}`, uint8(1))
		var all []string
		for _, q := range o.Plan.Params() {
			if q.Eg != "" {
				all = append(all, q.Name)
			}
		}
		if _, params = exampled(o, all...); o.Each != nil {
			f.Add(uint8(i), "", "", exampleRecord(o), uint8(2))
		}
		f.Add(uint8(i), "", params.Encode(), "", uint8(0))
	}
	f.Add(uint8(0), "/v1.1//brand/%31/../1", "period=1 Month&period_end=2+Week&limit=0,1001", "\xff", uint8(3))
	for _, p := range pages.All {
		f.Add(uint8(0), p.Path, "", "", uint8(0))
		f.Add(uint8(0), strings.ToUpper(p.Path), "", "", uint8(0))
		f.Add(uint8(0), p.Path+"/", "", "", uint8(0))
	}
	f.Add(uint8(0), "/web/app.js", "", "", uint8(0))
	h := newFixture(f)
	h.api.Config.Logger = discarded
	rewind := h.engine.rewind()
	f.Fuzz(func(t *testing.T, op uint8, path, query, body string, kind uint8) {
		rewind()
		o := operations[int(op)%len(operations)]
		if path == "" {
			path, _ = exampled(o)
		}
		query = "apiKey=" + keyEnterprise + "&" + query
		r := &http.Request{
			Method: o.Method, URL: &url.URL{Path: path, RawQuery: query}, RequestURI: path + "?" + query, Host: "api.example", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {kinds[int(kind)%len(kinds)]}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		}
		w := httptest.NewRecorder()
		h.serve(w, r)
		said := w.Body.Bytes()
		switch {
		case strings.Contains(w.Body.String(), keyEnterprise):
			t.Fatalf("%s %q %q: the answer holds the key: %s", o.Method, path, query, said)
		case w.Header().Get("X-Request-Id") == "":
			t.Fatalf("%s %q: no request id", o.Method, path)
		case w.Code == http.StatusMovedPermanently || w.Code == http.StatusTemporaryRedirect:
			if w.Header().Get("Location") == "" {
				t.Fatalf("%s %q leads nowhere", o.Method, path)
			}
		case w.Code == http.StatusOK && isPage(path):
		case w.Code == http.StatusOK || w.Code == http.StatusAccepted:
			documented(t, r, w)
			if w.Header().Get("Content-Type") == wire.ContentType && !json.Valid(said) {
				t.Fatalf("%s %q %q %q: no JSON: %s", o.Method, path, query, body, said)
			}
		default:
			if p, whole := problemOf(w); !whole || w.Code >= http.StatusInternalServerError {
				t.Fatalf("%s %q %q %q: %d %+v %s", o.Method, path, query, body, w.Code, p, said)
			}
		}
	})
}
