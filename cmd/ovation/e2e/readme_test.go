package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
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

// The commands by which README exports a member and imports it elsewhere run as they are, for a
// member that shares everything and for one that does not: no request of theirs is refused.
func TestReadme_Export(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	recipe := indented(t, `curl "$API/v1.1/member/$ID/export"`)
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	from, to := embedded.start(t), embedded.start(t)
	_, key := from.account("from")
	api := from.api(key)
	for name, lines := range map[string]int{"shares-all": 0, "shares-nothing": 1} {
		account, otherKey := to.account(name)
		member, _, err := client.Do(ctx(t), api, client.RegisterMember{Service: "spotify", UID: name, AuthToken: "x"})
		if err != nil {
			t.Fatal(err)
		}
		id := wire.Number(member.Data.ID)
		if lines > 0 {
			if _, _, err := client.Do(ctx(t), api, client.UpdateMember{MemberID: domain.MemberID(member.Data.ID), Service: "spotify", Sharing: new(false)}); err != nil {
				t.Fatal(err)
			}
		}
		dir := t.TempDir()
		if err := os.Symlink(filepath.Join(root, "cmd"), filepath.Join(dir, "cmd")); err != nil {
			t.Fatal(err)
		}
		script := "set -eu\novation() { \"$PROGRAM\" \"$@\"; }\ncurl() { command curl -sS --fail-with-body \"$@\"; }\n" +
			strings.ReplaceAll(recipe, "--account 1 ", fmt.Sprintf("--account %d ", account))
		shell := exec.CommandContext(ctx(t), "bash", "-c", script)
		shell.Dir = dir
		shell.Env = append(os.Environ(), "API=http://"+from.HTTP, "KEY="+key, "ID="+id, "PROGRAM="+program(t),
			"OTHER=http://"+to.HTTP, "OTHER_KEY="+otherKey, "OTHER_KAFKA="+to.Kafka)
		out, err := shell.CombinedOutput()
		if err != nil || strings.Count(string(out), `"accepted"`) != 1+lines {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// indented is the block of commands of README that has the text.
func indented(t *testing.T, text string) string {
	t.Helper()
	all, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(all), "\n\n") {
		if strings.HasPrefix(block, "    ") && strings.Contains(block, text) {
			return strings.ReplaceAll(strings.TrimPrefix(block, "    "), "\n    ", "\n")
		}
	}
	t.Fatalf("README has no commands with %s", text)
	return ""
}
