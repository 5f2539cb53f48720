package watch

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/cmd/ovation/status"
)

// dashboard is what tests read of a dashboard.
type dashboard struct {
	UID, Title string
	Panels     []struct {
		ID                 int
		Title, Description string
		GridPos            struct{ X, Y, W, H int }
		Targets            []struct{ Expr, LegendFormat string }
		FieldConfig        struct {
			Defaults struct {
				Unit       string
				Thresholds struct{ Steps []struct{ Value *float64 } }
			}
		}
	}
}

func dashboards(t *testing.T) (all []dashboard) {
	t.Helper()
	files, err := filepath.Glob("dashboards/*.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("dashboards %q: %v", files, err)
	}
	for _, f := range files {
		var d dashboard
		if err := json.Unmarshal([]byte(read(t, f)), &d); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		all = append(all, d)
	}
	return all
}

// Each panel has a title of its own, a unit, a sentence and expressions, and shares its place with no other. One that names
// an alert has its threshold as a line.
func TestDashboards_Panels(t *testing.T) {
	rules := read(t, "ovation.rules.yaml")
	seen, lines := map[string]bool{}, 0
	for _, d := range dashboards(t) {
		places := map[[2]int]bool{}
		for _, p := range d.Panels {
			place := [2]int{p.GridPos.X, p.GridPos.Y}
			if p.Title == "" || seen[p.Title] || places[place] || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 ||
				!regexp.MustCompile(`^\S.*\.$`).MatchString(p.Description) {
				t.Errorf("%s: %+v", d.Title, p)
			}
			seen[p.Title], places[place] = true, true
			m := regexp.MustCompile(`threshold of \[(\w+)\]`).FindStringSubmatch(p.Description)
			if m == nil {
				continue
			}
			lines++
			_, rule, found := strings.Cut(rules, "- alert: "+m[1]+"\n")
			expr, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(rule), "expr: "), "\n")
			steps := p.FieldConfig.Defaults.Thresholds.Steps
			if !found || len(steps) != 2 || steps[1].Value == nil {
				t.Fatalf("%s: no threshold of %s", p.Title, m[1])
			}
			number := regexp.QuoteMeta(fmt.Sprint(*steps[1].Value))
			number = strings.Replace(number, `1e\+09`, "1e9", 1)
			if !regexp.MustCompile(`[<>=] ` + number + `\b`).MatchString(expr) {
				t.Errorf("%s: the threshold %v is not that of %s: %s", p.Title, *steps[1].Value, m[1], expr)
			}
		}
	}
	if lines < 8 {
		t.Errorf("%d panels have a threshold", lines)
	}
}

var metric = regexp.MustCompile(`\b(?:ovation|process|go)_[a-z_]+`)

// Dashboards and alerts ask for metrics that the program has.
func TestDashboards_Metrics(t *testing.T) {
	exported := metrics(t)
	asked := 0
	check := func(where, expr string) {
		for _, name := range metric.FindAllString(expr, -1) {
			asked++
			if !exported[name] {
				t.Errorf("%s asks for %s, which the program does not have", where, name)
			}
		}
	}
	for _, d := range dashboards(t) {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				check(p.Title, target.Expr)
			}
		}
	}
	check("an alert", strings.Join(regexp.MustCompile(`(?m)^ +expr: .*$`).FindAllString(read(t, "ovation.rules.yaml"), -1), "\n"))
	if asked < 70 {
		t.Errorf("%d metrics are asked for", asked)
	}
	if exported["ovation_lag_second"] {
		t.Error("a misnamed metric is taken")
	}
}

// metrics are the names of what the program exports: those that its source describes, and those of every Go program.
func metrics(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob("../../../cmd/ovation/status/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`describe\("(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			names["ovation_"+m[1]] = true
		}
	}
	families, err := status.NewRegistry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		names[f.GetName()] = true
	}
	for name := range names {
		if strings.HasSuffix(name, "_seconds") {
			for _, part := range []string{"_bucket", "_count", "_sum"} {
				names[name+part] = true
			}
		}
	}
	return names
}

// Prometheus parses each expression.
func TestDashboards_Promtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	check := func(exprs ...string) error {
		t.Helper()
		var rules strings.Builder
		rules.WriteString("groups:\n  - name: panels\n    rules:\n")
		for i, expr := range exprs {
			expr = strings.NewReplacer("$__rate_interval", "1m", "$instance", ".+").Replace(expr)
			fmt.Fprintf(&rules, "      - {record: 'panel:%d', expr: '%s'}\n", i, expr)
		}
		file := filepath.Join(t.TempDir(), "panels.yaml")
		if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(promtool, "check", "rules", file).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	var all []string
	for _, d := range dashboards(t) {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				all = append(all, target.Expr)
			}
		}
	}
	if err := check(all...); err != nil {
		t.Error(err)
	}
	if check("sum by (instance (up)") == nil {
		t.Error("an expression that cannot be parsed is taken")
	}
}
