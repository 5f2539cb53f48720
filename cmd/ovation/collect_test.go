package main

import (
	"strings"
	"testing"
)

// Flags that contradict each other are wrong use, each with its reason.
func TestCollect_WrongUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, says string
	}{
		{"collect file", `expected "<mapping> <input>"`},
		{"collect file testdata/none.yaml none.csv", "no such file"},
		{"collect generator --rate=-1", "--rate and --show"},
		{"collect generator --create", "--create needs --key"},
		{"collect generator --members 0 --dry-run", "members: 0 is not between"},
		{"collect generator --members 5 --actions 5", "--account is required"},
		{"collect generator --end soon", "--end"},
	} {
		var out, errs strings.Builder
		if code := run(strings.Fields(c.args), &out, &errs); code != exitWrongUse || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: %d %s", c.args, code, errs.String())
		}
	}
}

// A dry run of the generator shows its first actions and connects to nothing.
func TestCollect_GeneratorDryRun(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	code := run(strings.Fields("collect generator --dry-run --members 20 --actions 500 --show 1 --end 2026-11-21"), &out, &errs)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if code != exitFine || len(lines) != 2 || !strings.HasPrefix(lines[0], `{"id":"1-`) || lines[1] != "500 actions mapped from 500 rows" {
		t.Errorf("%d %q %s", code, lines, errs.String())
	}
}
