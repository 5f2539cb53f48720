package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Every command has examples in its help, and each of them is a right command line of that command.
func TestHelp_Examples(t *testing.T) {
	t.Setenv("OVATION_KEY", "ov_of-the-reader")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("ovation.yaml", []byte("data: /var/lib/ovation\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	parser, err := newParser(t.Output(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Leaves(true) {
		lines := examplesOf(command)
		if len(lines) == 0 {
			t.Errorf("%s has no example", command.FullPath())
		}
		for _, line := range lines {
			if !strings.Contains(command.Detail, "\n    "+line) {
				t.Errorf("%s: its help lacks %q", command.FullPath(), line)
			}
			fresh, err := newParser(t.Output(), t.Output()) // one that was used knows flags of an example before
			if err != nil {
				t.Fatal(err)
			}
			got, err := fresh.Parse(wordsOf(t, line))
			if err != nil {
				t.Errorf("%s: %v", line, err)
			} else if got.Selected().FullPath() != command.FullPath() {
				t.Errorf("%s: is an example of %s", line, command.FullPath())
			}
		}
	}
}

// wordsOf are the words that a shell gives to the program, without what it does with the output.
func wordsOf(t *testing.T, line string) []string {
	t.Helper()
	line, _, _ = strings.Cut(line, " > ")
	if _, piped, found := strings.Cut(line, " | "); found {
		line = piped
	}
	line, found := strings.CutPrefix(line, "ovation ")
	if !found {
		t.Fatalf("%q runs another program", line)
	}
	out, err := exec.Command("sh", "-c", "printf '%s\\n' "+line).Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.TrimSuffix(string(out), "\n")
	return strings.Split(strings.ReplaceAll(words, "/etc/ovation/", ""), "\n")
}

// Commands with many flags have them in groups; every variable has the prefix of the program, or that of OpenTelemetry.
func TestHelp_Groups(t *testing.T) {
	parser, err := newParser(t.Output(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Leaves(true) {
		if len(command.Flags) <= 8 {
			continue
		}
		for _, flag := range command.Flags {
			if flag.Group == nil && !flag.Hidden {
				t.Errorf("%s --%s has no group", command.FullPath(), flag.Name)
			}
		}
	}
	for _, name := range variables(parser.Model) {
		if !strings.HasPrefix(name, variablePrefix) && !strings.HasPrefix(name, "OTEL_") {
			t.Errorf("%s is read without its prefix", name)
		}
	}
}

// Every command that answers prints its answer as JSON, too.
func TestHelp_Output(t *testing.T) {
	without := map[string]string{
		"serve": "runs until it is ended", "demo": "runs until it is ended", "completion": "prints a script",
	}
	parser, err := newParser(t.Output(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Leaves(true) {
		name := strings.TrimPrefix(command.FullPath(), "ovation ")
		has := slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == "output" && slices.Contains(f.EnumSlice(), "json") })
		if _, listed := without[name]; has == listed {
			t.Errorf("%s: has --output json: %t", name, has)
		}
	}
}

// The nearest name has the fewest edits; one that is far from all has none.
func TestMisspelt_Nearest(t *testing.T) {
	known := []string{"OVATION_DATA", "OVATION_HTTP", "OVATION_LOG_LEVEL", "OVATION_LOG_FORMAT"}
	for name, want := range map[string]string{
		"OVATION_DAT": "OVATION_DATA", "OVATION_DATAA": "OVATION_DATA", "OVATION_ATAD": "", "OVATION_HTPP": "OVATION_HTTP", "OVATION_LOGFORMAT": "OVATION_LOG_FORMAT",
		"OVATION_": "", "OVATION_X": "", "OVATION_WINGS": "", "OVATION_LOG_FORMATS": "OVATION_LOG_FORMAT",
	} {
		if got := nearest(name, known); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"ab", "ba", 2}} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d edits, want %d", c.a, c.b, got, c.want)
		}
	}
}

// What the program reads, and what Kubernetes sets for a service of its name, is no cause to warn.
func TestMisspelt_KnownAndOfKubernetes(t *testing.T) {
	parser, err := newParser(t.Output(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	environ := []string{
		"PATH=/bin", "OVATION_PORT=tcp://10.0.0.1:8080", "OVATION_PORT_8080_TCP_ADDR=10.0.0.1", "OVATION_SERVICE_HOST=10.0.0.1",
		"OVATION_SERVICE_PORT_HTTP=8080",
	}
	for _, name := range variables(parser.Model) {
		environ = append(environ, name+"=x")
	}
	for _, name := range []string{"OVATION_DATA", "OVATION_CONFIG", "OVATION_MASTER_KEYS", "OVATION_KAFKA_PASSWORD", "OVATION_ADMIN_TOKEN", "OVATION_API"} {
		if !slices.Contains(variables(parser.Model), name) {
			t.Errorf("%s is not known", name)
		}
	}
	if got := misspelt(parser.Model, environ); len(got) > 0 {
		t.Error(got)
	}
}

// help COMMAND is COMMAND --help.
func TestHelp_AsCommand(t *testing.T) {
	for line, want := range map[string]string{"": "", "help": "--help", "help dlq list": "dlq list --help", "dlq help": "dlq help", "status": "status"} {
		if got := strings.Join(withoutHelp(strings.Fields(line)), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	var model *kong.Application
	if parser, err := newParser(t.Output(), t.Output()); err == nil {
		model = parser.Model
	}
	if slices.ContainsFunc(model.Children, func(n *kong.Node) bool { return n.Name == "help" }) {
		t.Error("a command is named help")
	}
}
