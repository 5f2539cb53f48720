package api

import (
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestConfigThatLacksSomethingIsRefused(t *testing.T) {
	whole := Config{
		Engine: &fakeEngine{}, Hasher: testHasher{}, Now: time.Now, BaseURL: "http://127.0.0.1:8080",
		Signer: Signer{ID: "k", Key: ed25519.NewKeyFromSeed(make([]byte, 32))}, TokenKey: [16]byte{1},
	}
	if _, err := New(whole); err != nil {
		t.Fatal(err)
	}
	for name, lack := range map[string]func(*Config){
		"engine": func(c *Config) { c.Engine = nil }, "hasher": func(c *Config) { c.Hasher = nil }, "clock": func(c *Config) { c.Now = nil },
		"base": func(c *Config) { c.BaseURL = "" }, "scheme": func(c *Config) { c.BaseURL = "ftp://x" }, "token key": func(c *Config) { c.TokenKey = [16]byte{} },
		"signer": func(c *Config) { c.Signer.Key = nil }, "kid": func(c *Config) { c.Signer.ID = "" },
	} {
		c := whole
		lack(&c)
		if _, err := New(c); err == nil {
			t.Errorf("an API without %s was made", name)
		}
	}
}

// discard is a response writer that keeps only its header, made anew like a
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
	h.api.Logger = discarded
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
