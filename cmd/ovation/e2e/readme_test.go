package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The session of README prints what it says there, on a node that has just been started.
func TestReadme_Session(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	steps := sessionOf(t)
	n := embedded.start(t)
	_, key := n.account("Night Label")
	shell := exec.Command("bash")
	shell.Env = append(os.Environ(), "API=http://"+n.HTTP, "KEY="+key)
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	shell.Stderr = os.Stderr
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for _, s := range steps {
		fmt.Fprintln(in, s.command)
		fmt.Fprintln(in, "echo END")
		var said strings.Builder
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%s: %v", s.command, err)
			}
			if line == "END\n" {
				break
			}
			said.WriteString(line)
		}
		if got := strings.TrimSpace(said.String()); !s.answer.MatchString(got) {
			t.Errorf("%s\nanswers %s\nnot     %s", s.command, got, s.answer)
		}
	}
	_ = in.Close()
	if err := shell.Wait(); err != nil {
		t.Error(err)
	}
}

// step is a command of the session, and what it prints.
type step struct {
	command string
	answer  *regexp.Regexp
}

// sessionOf are the commands of README's session; … stands for anything.
func sessionOf(t *testing.T) (steps []step) {
	t.Helper()
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## A session\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	for line := range strings.Lines(section) {
		line = strings.TrimSuffix(line, "\n")
		command, isCommand := strings.CutPrefix(line, "    $ ")
		switch {
		case isCommand:
			steps = append(steps, step{command, regexp.MustCompile(`^$`)})
		case strings.HasPrefix(line, "    ") && len(steps) > 0:
			parts := strings.Split(strings.TrimSpace(line), "…")
			for i := range parts {
				parts[i] = regexp.QuoteMeta(parts[i])
			}
			steps[len(steps)-1].answer = regexp.MustCompile(`(?s)^` + strings.Join(parts, ".*") + `$`)
		}
	}
	if len(steps) < 10 {
		t.Fatalf("README's session has %d commands", len(steps))
	}
	return steps
}
