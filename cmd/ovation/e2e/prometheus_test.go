package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// watchFiles is where the files for Prometheus and Grafana are.
const watchFiles = "../../../deploy/compose/watch"

// prometheus is a Prometheus that scrapes nodes of a test, twice a second.
type prometheus struct {
	*harness.Process
	t       *testing.T
	address string
}

// target is an admin port, and what its metrics have as their instance.
type target struct{ admin, instance string }

const prometheusConfig = `
global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}
rule_files: [rules.yaml]
scrape_configs:
  - job_name: ovation
    static_configs:
`

// newPrometheus runs the installed Prometheus with these rules; without one the test is skipped.
func newPrometheus(t *testing.T, rules string, nodes ...target) *prometheus {
	t.Helper()
	binary, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed")
	}
	dir := t.TempDir()
	p := &prometheus{t: t, address: freePort(t)}
	var config strings.Builder
	config.WriteString(prometheusConfig)
	for _, n := range nodes {
		fmt.Fprintf(&config, "      - {targets: [%q], labels: {instance: %q}}\n", n.admin, n.instance)
	}
	for name, text := range map[string]string{"prometheus.yaml": config.String(), "rules.yaml": rules} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, "--config.file="+filepath.Join(dir, "prometheus.yaml"),
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+p.address, "--log.level=warn")
	if p.Process, _, err = harness.StartProcess(t.Context(), cmd, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(syscall.SIGKILL) })
	for _, n := range nodes {
		p.eventually("a scrape of "+n.instance, func() bool { return len(p.query(`up{instance="`+n.instance+`"} == 1`)) == 1 })
	}
	return p
}

// freePort is an address at which nothing listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// eventually polls until the condition holds.
func (p *prometheus) eventually(what string, holds func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) {
			p.t.Fatalf("no %s within %s; alerts %v\n%s", what, patience, p.alerts(), p.Log())
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-p.Ended():
			p.t.Fatalf("Prometheus ended:\n%s", p.Log())
		}
	}
}

// get decodes data of the API; false: Prometheus does not answer yet.
func (p *prometheus) get(path string, data any) bool {
	p.t.Helper()
	res, err := http.Get("http://" + p.address + path)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	answer := struct {
		Error string
		Data  any
	}{Data: data}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Error != "" {
		if res.StatusCode == http.StatusServiceUnavailable {
			return false
		}
		p.t.Fatalf("%s: %s: %v %s", path, res.Status, err, answer.Error)
	}
	return true
}

// query is the values of an expression now.
func (p *prometheus) query(expr string) (values []float64) {
	p.t.Helper()
	var data struct {
		Result []struct{ Value [2]any }
	}
	p.get("/api/v1/query?query="+url.QueryEscape(expr), &data)
	for _, r := range data.Result {
		text, _ := r.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			p.t.Fatalf("%s: %v", expr, err)
		}
		values = append(values, v)
	}
	return values
}

// alerts are the alerts that are pending or fire, as NAME of INSTANCE is STATE.
func (p *prometheus) alerts() (all []string) {
	p.t.Helper()
	var data struct {
		Alerts []struct {
			Labels map[string]string
			State  string
		}
	}
	p.get("/api/v1/alerts", &data)
	for _, a := range data.Alerts {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s of %s", a.State, a.Labels["alertname"], a.Labels["instance"])))
	}
	return all
}
