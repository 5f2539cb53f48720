package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Prometheus' own linter finds nothing in the metrics; counters are there from the start; what was asked is counted by
// operation and shape; no label has what a client named.
func TestMetrics_LintedAndFromZero(t *testing.T) {
	n := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data"), Args: []string{"--memory", "256MiB", "--shards", "2"}})
	n.start()
	_, key := n.account("Label-of-the-test")
	get := func(path string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+n.HTTP+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", key)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	has := func(metrics string, patterns ...string) {
		t.Helper()
		for _, p := range patterns {
			if !regexp.MustCompile(`(?m)^` + p + `$`).MatchString(metrics) {
				t.Errorf("no %s", p)
			}
		}
	}
	_, metrics := n.Get("/metrics")
	has(metrics,
		`ovation_requests_total\{code="200",operation="GET /v1\.1/members"\} 0`, `ovation_requests_total\{code="503",operation="GET /v1\.1/members"\} 0`,
		`ovation_requests_total\{code="500",operation="none"\} 0`, `ovation_request_seconds_count\{operation="GET /v1\.1/members"\} 0`,
		`ovation_dead_letters_total\{reason="unknown_member",shard="1"\} 0`, `ovation_router_refused_total\{partition="0",reason="bad_json"\} 0`,
		`ovation_question_seconds_count\{shape="member_list"\} 0`, `ovation_questions_waiting 0`, `ovation_memory_budget_bytes 2\.68435456e\+08`,
		`ovation_memory_bytes\{part="columns"\} \S+`, `ovation_commit_seconds_bucket\{shard="0",le="0\.001"\} \d+`, `ovation_store_disk_bytes [1-9]\S*`,
		`ovation_build_info\{go="go1\.\S+",revision="\S+",rules="1",version="\S+"\} 1`,
	)
	get("/v1.1/members?keyword=keyword-of-the-test")
	get("/nothing-of-the-test")
	_, metrics = n.Get("/metrics")
	has(metrics,
		`ovation_requests_total\{code="200",operation="GET /v1\.1/members"\} 1`, `ovation_request_seconds_count\{operation="GET /v1\.1/members"\} 1`,
		`ovation_request_seconds_bucket\{operation="GET /v1\.1/members",le="10"\} 1`, `ovation_question_seconds_count\{shape="member_list"\} 1`,
		`ovation_requests_total\{code="404",operation="none"\} 1`,
	)
	problems, err := promlint.New(strings.NewReader(metrics)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	rules, err := os.ReadFile("../../../deploy/compose/watch/ovation.rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, name := range regexp.MustCompile(`(?:ovation|process)_[a-z_]+`).FindAllString(string(rules), -1) {
		named++
		if name != "ovation_tls_certificate_expiry_timestamp_seconds" && !strings.Contains(metrics, "\n# TYPE "+strings.TrimSuffix(name, "_bucket")+" ") {
			t.Errorf("an alert asks for %s, which the node has not", name)
		}
	}
	if named < 20 {
		t.Errorf("%d metrics in the alerts", named)
	}
	if strings.Contains(metrics, "of-the-test") || strings.Contains(metrics, key) {
		t.Error("a label has what a client named")
	}
}
