package e2e

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
)

const (
	repository = "../../.."
	guideRoot  = repository + "/api/docs/guide"
)

// notHere are the commands that no test can run as a guide has them: they start a node on its usual ports, build the
// program, need root, a daemon or a cluster, act on an id that the reader puts in, or read files of the reader.
var notHere = []string{
	"go", "git", "make", "sudo", "docker", "export", "./ovation", "ovation serve", "ovation secrets create secrets.yaml\nkubectl",
	"ovation dlq show", "ovation accept-gap TOPIC", "ovation set-aside SHARD", "ovation node remove ID", "ovation completion", "ovation collect file --as spotify", "ovation webhook listen", "upstream",
}

// tested are blocks without a language that another test runs.
var tested = []string{`curl "$API/v1.1/member/$ID/export"`, "ready: the node answers"}

// block is a fenced block of a text.
type block struct {
	language, text string
	line           int
}

// blocksOf are the fenced blocks of a file.
func blocksOf(t *testing.T, file string) (blocks []block) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	inside, line := false, 0
	for row := range strings.Lines(string(text)) {
		line++
		language, fence := strings.CutPrefix(strings.TrimSuffix(row, "\n"), "```")
		switch {
		case fence && !inside:
			blocks = append(blocks, block{language: language, line: line})
			inside = true
		case fence:
			inside = false
		case inside:
			blocks[len(blocks)-1].text += row
		}
	}
	if inside {
		t.Fatalf("%s: a block does not end", file)
	}
	return blocks
}

// step is what is typed, and what is printed then.
type step struct {
	command string
	answer  *regexp.Regexp // nil: anything
}

// steps are the commands of a block: of a console each with its answer, in which … is anything; sh is one command.
func (b block) steps() (steps []step) {
	if b.language == "sh" {
		return []step{{b.text, nil}}
	}
	for row := range strings.Lines(b.text) {
		row = strings.TrimSuffix(row, "\n")
		command, isCommand := strings.CutPrefix(row, "$ ")
		if isCommand {
			steps = append(steps, step{command, regexp.MustCompile(`^$`)})
			continue
		}
		last := &steps[len(steps)-1]
		parts := strings.Split(row, "…")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		before := strings.TrimSuffix(strings.TrimPrefix(last.answer.String(), "(?s)"), "$")
		if before != "^" {
			before += "\n"
		}
		last.answer = regexp.MustCompile("(?s)" + before + strings.Join(parts, ".*") + "$")
	}
	return steps
}

// guideFiles are README and the guides.
func guideFiles(t *testing.T) []string {
	t.Helper()
	files := []string{repository + "/README.md"}
	err := filepath.WalkDir(guideRoot, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Each block of README and of a guide runs on a fresh node and prints what the page says; every page but README and
// start goes on after the session of start. A block that cannot run here is of a command named above.
func TestReadme_Blocks(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"curl", "jq", "kcat"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	start, ran := guideRoot+"/start.md", 0
	for _, file := range guideFiles(t) {
		name, _ := filepath.Rel(repository, file)
		var runs []block
		for _, b := range blocksOf(t, file) {
			switch {
			case b.language == "sh" || b.language == "console":
				runs = append(runs, b)
			case b.language != "":
			case !slices.ContainsFunc(slices.Concat(notHere, tested), func(s string) bool { return strings.HasPrefix(b.text, s) }):
				t.Errorf("%s:%d: it is not run, and not named as what cannot run: %s", name, b.line, b.text)
			}
		}
		ran += len(runs)
		if len(runs) == 0 {
			continue
		}
		if file != start && name != "README.md" {
			runs = slices.Concat(sessionOf(t, start), runs)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newSession(t).run(runs)
		})
	}
	if ran < 30 {
		t.Errorf("%d blocks were run", ran)
	}
}

// sessionOf are the blocks of a console of a file.
func sessionOf(t *testing.T, file string) []block {
	t.Helper()
	return slices.DeleteFunc(blocksOf(t, file), func(b block) bool { return b.language != "console" })
}

// session is a shell in an empty directory, with the variables that the guides set, at a node of its own.
type session struct {
	t    *testing.T
	tell *bufio.Writer
	said *bufio.Reader
}

func newSession(t *testing.T) *session {
	t.Helper()
	n := embedded.start(t)
	_, key := n.account("Night Label")
	shell := exec.CommandContext(ctx(t), "bash")
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "API=http://"+n.HTTP, "KEY="+key, "KAFKA="+n.Kafka, "OVATION_KAFKA="+n.Kafka,
		"OVATION_ADMIN="+n.Admin, "PROGRAM="+program(t))
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	shell.Stderr = shell.Stdout
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = shell.Wait()
	})
	s := &session{t, bufio.NewWriter(in), bufio.NewReader(out)}
	// A command that fails is seen in what is printed.
	fmt.Fprintln(s.tell, "set -E; trap 'echo \"FAILED: $BASH_COMMAND\"' ERR")
	fmt.Fprintln(s.tell, `ovation() { "$PROGRAM" "$@"; }; curl() { command curl -s --fail-with-body "$@"; }`)
	return s
}

// run runs blocks one after the other.
func (s *session) run(blocks []block) {
	s.t.Helper()
	for _, b := range blocks {
		for _, step := range b.steps() {
			got := s.enter(step.command)
			if strings.Contains(got, "FAILED: ") || step.answer != nil && !step.answer.MatchString(got) {
				s.t.Errorf("line %d: %s\nprints %s\nnot    %s", b.line, step.command, got, step.answer)
			}
		}
	}
}

// enter types a command and reads what it prints.
func (s *session) enter(command string) string {
	s.t.Helper()
	fmt.Fprintf(s.tell, "%s\necho; echo END\n", command)
	if err := s.tell.Flush(); err != nil {
		s.t.Fatal(err)
	}
	var said strings.Builder
	for {
		line, err := s.said.ReadString('\n')
		if err != nil {
			s.t.Fatalf("%s: %v after %s", command, err, said.String())
		}
		if line == "END\n" {
			return strings.TrimSpace(said.String())
		}
		said.WriteString(line)
	}
}

// The commands by which the guide exports a member and imports it elsewhere run as they are, for a
// member that shares everything and for one that does not: no request of theirs is refused.
func TestReadme_Export(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	recipe := exportRecipe(t)
	root, err := filepath.Abs(repository)
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
		script := "set -eu\novation() { \"$PROGRAM\" \"$@\"; }\ncurl() { command curl -s --fail-with-body \"$@\"; }\n" +
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

// exportRecipe is the block of the guide that exports a member.
func exportRecipe(t *testing.T) string {
	t.Helper()
	for _, b := range blocksOf(t, guideRoot+"/members.md") {
		if strings.HasPrefix(b.text, tested[0]) {
			return b.text
		}
	}
	t.Fatal("the guide has no export")
	return ""
}
