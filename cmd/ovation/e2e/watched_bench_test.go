package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// BenchmarkWatched is what it costs that a node is watched: processor time of a small GET with an access log by that
// without one, which is given beside that of two nodes that are alike; and processor time of one scrape.
func BenchmarkWatched(b *testing.B) {
	const gets = 500
	type measured struct {
		*node
		key   string
		spent time.Duration
	}
	var nodes []*measured
	for i, args := range [][]string{nil, nil, {"--access-log", filepath.Join(b.TempDir(), "access.log")}} {
		n := newNode(b, harness.Node{Data: filepath.Join(b.TempDir(), fmt.Sprint(i)), Args: append(args, "--memory", "256MiB")})
		n.start()
		_, key := n.account("measured")
		nodes = append(nodes, &measured{node: n, key: key})
	}
	get := func(address, key string) {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("X-API-Key", key)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			b.Fatalf("%s: %s", address, res.Status)
		}
	}
	cpu := func(n *node, work func()) time.Duration {
		before, err := harness.CPU(n.PID())
		if err != nil {
			b.Fatal(err)
		}
		work()
		after, err := harness.CPU(n.PID())
		if err != nil {
			b.Fatal(err)
		}
		return after - before
	}
	requests := 0
	for b.Loop() {
		requests += gets
		for _, i := range rand.Perm(len(nodes)) {
			n := nodes[i]
			n.spent += cpu(n.node, func() {
				for range gets {
					get("http://"+n.HTTP+"/v1.1/app/info", n.key)
				}
			})
		}
	}
	plain := nodes[0].spent
	b.ReportMetric(float64(plain.Microseconds())/float64(requests), "cpu-µs/get")
	b.ReportMetric(float64(nodes[1].spent)/float64(plain), "alike-ratio")
	b.ReportMetric(float64(nodes[2].spent)/float64(plain), "logged-ratio")
	const scrapes = 100
	spent := cpu(nodes[0].node, func() {
		for range scrapes {
			get("http://"+nodes[0].Admin+"/metrics", "")
		}
	})
	b.ReportMetric(float64(spent.Microseconds())/scrapes/1000, "cpu-ms/scrape")
}
