package e2e

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// quiet are the panels that load alone does not raise above 0: faults do, or a lack of memory.
var quiet = []string{
	"Lag", "Stopped", "Retried", "Failed requests", "Backlog", "Outbox", "Failures", "Limited", "Scans that wait", "Compaction debt",
	"Evictions", "Members loaded", "Damaged files", "Members without personal values", "Clock",
}

// Each expression of each dashboard has series in a Prometheus that scrapes a demo under load, and is above 0 where load
// makes it so.
func TestDashboards_HaveSeries(t *testing.T) {
	t.Parallel()
	panels := panelsOf(t)
	for _, name := range quiet {
		if panels[name] == nil {
			t.Errorf("there is no panel %q", name)
		}
	}
	d, out := startDemo(t, filepath.Join(t.TempDir(), "data"), "--embedded-kafka", "127.0.0.1:0", "--members", "100", "--actions", "3000", "--rate", "20")
	questions := d.questions(out)
	find := func(name string) string {
		return regexp.MustCompile(`(?m)^` + name + ` +(?:http://)?([^/\s]+)`).FindStringSubmatch(out.String())[1]
	}
	questions = append(questions, asked{key: keyOf(out), address: "http://" + find("API") + "/v1.1/members"})
	p := newPrometheus(t, "groups: []\n", target{find("Admin"), "demo"})

	loaded, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	defer load.Wait()
	defer stop()
	load.Go(func() { ask(loaded, questions) })
	load.Go(func() { publishRefused(loaded, find("Kafka")) })
	for title, exprs := range panels {
		for _, expr := range exprs {
			var last []float64
			p.eventually("series of "+title+": "+expr, func() bool {
				last = p.query(expr)
				return len(last) > 0 && (slices.Contains(quiet, title) || slices.ContainsFunc(last, func(v float64) bool { return v > 0 }))
			})
		}
	}
	if got := p.query(`sum(rate(ovation_requests{instance=~".+"}[10s]))`); len(got) != 0 {
		t.Errorf("a misnamed metric has %v", got)
	}
}

// panelsOf are the expressions of all dashboards by the panel's title, with short intervals, of all instances.
func panelsOf(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(watchFiles, "dashboards/*.json"))
	if err != nil || len(files) < 5 {
		t.Fatalf("dashboards %q: %v", files, err)
	}
	panels := map[string][]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				expr := strings.NewReplacer("$__rate_interval", "20s", "$instance", ".+").Replace(target.Expr)
				panels[p.Title] = append(panels[p.Title], expr)
			}
		}
	}
	return panels
}

// ask asks the demo's questions again and again, half of them as polls.
func ask(ctx context.Context, questions []asked) {
	for ctx.Err() == nil {
		q := questions[rand.IntN(len(questions))]
		tag := ""
		for range 2 {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, q.address, nil)
			if err != nil {
				return
			}
			r.Header.Set("X-API-Key", q.key)
			if tag != "" {
				r.Header.Set("If-None-Match", tag)
			}
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				continue
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			tag = res.Header.Get("ETag")
		}
	}
}

// publishRefused publishes what a router refuses.
func publishRefused(ctx context.Context, broker string) {
	c, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		return
	}
	defer c.Close()
	for ctx.Err() == nil {
		_ = c.ProduceSync(ctx, &kgo.Record{Topic: kafka.Activities, Value: []byte("not JSON")}).FirstErr()
	}
}
