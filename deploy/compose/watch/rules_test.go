package watch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var alert = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)

// Each alert has a test in which it fires and one in which it does not.
func TestRules_TestedBothWays(t *testing.T) {
	alerts := alert.FindAllStringSubmatch(read(t, "ovation.rules.yaml"), -1)
	tests := read(t, "ovation.rules.test.yaml")
	if len(alerts) < 15 {
		t.Errorf("only %d alerts", len(alerts))
	}
	for _, a := range alerts {
		for _, name := range []string{a[1] + " fires", a[1] + " does not fire"} {
			if !strings.Contains(tests, "- name: "+name+"\n") {
				t.Errorf("no test %q", name)
			}
		}
	}
}

// Prometheus takes configuration and alerts, and every alert fires as its tests say; with another threshold, tests fail.
func TestRules_Promtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	dir := t.TempDir()
	run := func(rules string, args ...string) error {
		t.Helper()
		files := map[string]string{"ovation.rules.yaml": rules}
		for _, name := range []string{"ovation.rules.test.yaml", "prometheus.yaml"} {
			files[name] = read(t, name)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.Command(promtool, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		t.Logf("promtool %s: %s", args, out)
		return err
	}
	rules := read(t, "ovation.rules.yaml")
	for _, args := range [][]string{{"check", "config", "prometheus.yaml"}, {"check", "rules", "ovation.rules.yaml"}, {"test", "rules", "ovation.rules.test.yaml"}} {
		if err := run(rules, args...); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	for _, c := range [][2]string{{"> 25000", "> 26000"}, {"ovation_ready == 0", "ovation_ready == 1"}, {"ovation_clock_ahead_seconds > 60", "ovation_clock_ahead_seconds > 59"}, {"> on () group_left () 0.01", "> on () group_left () 0.005"}} {
		changed := strings.Replace(rules, c[0], c[1], 1)
		if changed == rules {
			t.Errorf("no %q in the rules", c[0])
		} else if run(changed, "test", "rules", "ovation.rules.test.yaml") == nil {
			t.Errorf("with %q in place of %q the tests pass", c[1], c[0])
		}
	}
}
