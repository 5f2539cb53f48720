package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
)

// TestMain lets scripts run the program under test by its name.
func TestMain(m *testing.M) {
	testscript.Main(quiet{m}, map[string]func(){"ovation": main})
}

// quiet isolates the tests, but not the program that they run, from the developer's
// settings.
type quiet struct{ *testing.M }

// Run runs the tests.
func (q quiet) Run() int {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "OVATION_") {
			os.Unsetenv(name)
		}
	}
	return q.M.Run()
}

// TestScripts_OutputAndExitCodes runs testdata/script: ovation is the program, wrong and failed run it
// and want exit code 2 or 1.
func TestScripts_OutputAndExitCodes(t *testing.T) {
	exits := func(code int) func(*testscript.TestScript, bool, []string) {
		return func(ts *testscript.TestScript, _ bool, args []string) {
			err := ts.Exec("ovation", args...)
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != code {
				ts.Fatalf("ovation %s: %v, want exit code %d", strings.Join(args, " "), err, code)
			}
			if ts.ReadFile("stdout") != "" {
				ts.Fatalf("ovation %s: standard output is not empty", strings.Join(args, " "))
			}
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=10") // a program with the race detector else ends a second later
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"wrong":  exits(exitWrongUse),
			"failed": exits(exitFailed),
		},
	})
}

// The exit code says what failed.
func TestRun_ExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("disk"), exitFailed},
		{domain.ErrUnavailable, exitFailed},
		{fmt.Errorf("run: %w", &nodes.EndedError{Why: "removed"}), exitTakenOver},
		{domain.Bad(domain.InvalidParameter, "plan", "no"), exitWrongUse},
		{domain.Bad(domain.MissingParameter, "plan", "no"), exitWrongUse},
		{domain.Fail(domain.NotFound, "no such key"), exitFailed},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("exitCode(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}

// Every flag has help.
func TestHelp_EveryFlag(t *testing.T) {
	parser, err := newParser(t.Output(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	leaves := parser.Model.Leaves(false)
	if len(leaves) < 10 {
		t.Fatalf("only %d commands", len(leaves))
	}
	for _, command := range leaves {
		if command.Help == "" {
			t.Errorf("%s has no help", command.Path())
		}
		for _, flag := range command.Flags {
			if flag.Help == "" {
				t.Errorf("%s --%s has no help", command.Path(), flag.Name)
			}
		}
	}
}
