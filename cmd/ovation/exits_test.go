package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
)

// The exit code says what failed.
func TestRun_ExitCodes(t *testing.T) {
	seen := map[int]bool{exitFine: true}
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("disk"), exitFailed},
		{domain.ErrUnavailable, exitFailed},
		{fmt.Errorf("run: %w", &nodes.EndedError{Why: "removed"}), exitTakenOver},
		{fmt.Errorf("a.csv: %w: 3", errBadRows), exitBadRows},
		{domain.Bad(domain.InvalidParameter, "plan", "no"), exitWrongUse},
		{domain.Bad(domain.MissingParameter, "plan", "no"), exitWrongUse},
		{domain.Fail(domain.NotFound, "no such key"), exitFailed},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("exitCode(%v) = %d, want %d", c.err, got, c.want)
		}
		seen[c.want] = true
	}
	for _, e := range exits {
		if !seen[e.code] {
			t.Errorf("no error ends with %d, which is in the table", e.code)
		}
	}
}

// A command line ends with the code of the table.
func TestRun_ExitsOfTheTable(t *testing.T) {
	dir := t.TempDir()
	mapping, rows := filepath.Join(dir, "mapping.yaml"), filepath.Join(dir, "plays.csv")
	for path, text := range map[string]string{
		mapping: exampleMapping,
		rows:    "at,user,artist\n2026-05-01T10:00:00Z,ann,Moons\nnever,ben,Moons\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]int{
		"version":                            exitFine,
		"status --admin 127.0.0.1:0":         exitFailed,
		"fly":                                exitWrongUse,
		"log-level loud --admin 127.0.0.1:0": exitFailed, // no node says that it is wrong
		"config validate --shards 0":         exitWrongUse,
		"collect file --dry-run --account 1 " + mapping + " " + rows: exitBadRows,
	} {
		var out, errs bytes.Buffer
		if got := run(strings.Fields(line), &out, &errs); got != want {
			t.Errorf("ovation %s: exit code %d, want %d\n%s%s", line, got, want, &out, &errs)
		}
		if !slices.ContainsFunc(exits, func(e exit) bool { return e.code == want }) {
			t.Errorf("exit code %d is not in the table", want)
		}
	}
}

const exampleMapping = `source: shop/plays
time: "{at}"
member: {service: spotify, uid: "{user}"}
brand: {create: {name: "{artist}", type: Music}}
activities:
  play: {name: "played a track by {brand}", type: Listened, service: spotify}
`

// The guide on health has the table of exit codes. -update writes it.
func TestGuide_ExitCodes(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("| exit code | of | meaning |\n|---|---|---|\n")
	for _, e := range exits {
		fmt.Fprintf(&rows, "| %d | %s | %s |\n", e.code, cmp.Or(e.of, "all"), e.meaning)
	}
	inGuide(t, "../../api/docs/guide/operate/health.md", "exits", rows.String())
}
