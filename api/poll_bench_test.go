package api

import (
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// processor is the processor time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPoll is a poll whose answer is unchanged: 304 from the response cache.
func BenchmarkPoll(b *testing.B) {
	for name, target := range map[string]string{
		"tally": "/v1.1/brand/1/stats/activity?period=1+Month&apiKey=" + keyAdvanced,
		"list":  "/v1.1/members/active?brandID=1&limit=20&apiKey=" + keyAdvanced,
	} {
		b.Run(name, func(b *testing.B) {
			h := newFixture(b)
			h.renew(func(c *Config) {
				c.Logger = discarded
				c.ByHost = true
			})
			at := domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 0, Next: 9}, {Shard: 1, Next: 1 << 20}}}
			h.engine.unchanged = func(domain.AccountID, domain.Versions, *domain.ReadSet, []domain.Range) (domain.Position, bool) {
				return at, true
			}
			r := httptest.NewRequest(http.MethodGet, target, nil)
			r.Host = "127.0.0.1:8080"
			r.Header.Set("Accept-Encoding", "gzip")
			again := httptest.NewRecorder()
			h.api.ServeHTTP(again, r)
			r.Header.Set("If-None-Match", again.Header().Get("Etag"))
			w := &discard{http.Header{}}
			b.ReportAllocs()
			before := processor() // what other processes do does not count
			for b.Loop() {
				clear(w.h)
				h.api.ServeHTTP(w, r)
			}
			b.ReportMetric(float64(processor()-before)/float64(b.N), "cpu-ns/op")
			if h.fromCache() == 0 {
				b.Fatal("no poll was answered from the cache")
			}
		})
	}
}
