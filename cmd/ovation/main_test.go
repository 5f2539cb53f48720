package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
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
		Dir:           "testdata/script",
		UpdateScripts: *updateGolden,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=10") // a program with the race detector else ends a second later
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"wrong":  exits(exitWrongUse),
			"failed": exits(exitFailed),
			"values": sameValues,
		},
	})
}

// sameValues holds two printed configurations against each other, without where their values are from.
func sameValues(ts *testscript.TestScript, _ bool, files []string) {
	comments := regexp.MustCompile(`(?m)^# .*\n| # .*$`)
	got, want := comments.ReplaceAllString(ts.ReadFile(files[0]), ""), comments.ReplaceAllString(ts.ReadFile(files[1]), "")
	if got != want {
		ts.Fatalf("%s and %s have other values:\n%s\n%s", files[0], files[1], got, want)
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
