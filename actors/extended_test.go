package actors

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"syscall"
	"testing"
	"time"
)

// BenchmarkExtended is the list of members by their Extended nodes, of 4,000 members in 8 shards: with
// what of a node is sealed, with what the engine is asked for, and a 304 to either. CPU of the process
// on 2026-11-25, with blocks of the store that are not cached: 25 ms per 1,000 members opened, of it 17
// ms reading their records, 5 ms opening them, the rest nodes and conditions; 48 ms for a page of 1,000
// with their nodes; a 304 14 ns a member.
func BenchmarkExtended(b *testing.B) {
	const members = 4000
	r := newPollHarness(b, 8, 20)
	for i := range members {
		id := r.enroll(fmt.Sprint("u", i), "country=DE", "email=u"+fmt.Sprint(i)+"@x.example", "firstname=Ada", "surname=Fan", "domain=a.de", "city=Berlin")
		r.write(fmt.Sprint("/v1.1/member/", id, "/update"), "extended="+url.QueryEscape(fmt.Sprintf(`{"tier":"gold","age":%d,"tags":["a","b"]}`, i%50)))
		r.act(id, 1+i%20, 100, r.now())
	}
	r.settled()
	for name, target := range map[string]string{
		"byID":     "?limit=10&fields=FirstName,Score",
		"byIDNode": "?limit=10",
		"page1000": "?limit=1000",
		"query":    "?limit=10&fields=FirstName,Score&query_extended=age%3c10+and+tier%3dgold",
		"order":    "?limit=10&fields=FirstName,Score&order_by=age",
		"address":  "?limit=10&fields=FirstName,Score&query_extended=email%3d'u7@x.example'",
		"brands":   "?limit=10&fields=FirstName,Score&query_extended=ae_data.brands~1",
	} {
		target = "/v1.1/members/extended" + target + "&apiKey=" + pollKey
		tag := r.serve(r.api, http.MethodGet, target, "").Header().Get("Etag")
		for status, tags := range map[int][]string{http.StatusOK: nil, http.StatusNotModified: {tag}} {
			b.Run(fmt.Sprint(name, "/", status), func(b *testing.B) {
				q := httptest.NewRequest(http.MethodGet, "https://api.example"+target, nil)
				q.Header["If-None-Match"] = tags
				w := &silent{header: http.Header{}}
				b.ReportAllocs()
				before := cpuTime(b)
				for b.Loop() {
					clear(w.header)
					if r.api.ServeHTTP(w, q); w.status != status {
						b.Fatal(w.status)
					}
				}
				b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
			})
		}
	}
}

// cpuTime is what the process has used.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
