package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
)

// demo is a running ovation demo.
type demo struct {
	t     testing.TB
	cmd   *exec.Cmd
	said  *screen
	ended chan error
}

// screen is what a process prints, so far.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// String is all of it.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// startDemo starts the binary on a directory.
func startDemo(t testing.TB, data string, args ...string) (d *demo, out, log *screen) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	out, log = &screen{}, &screen{}
	args = append([]string{
		"demo", "--data", data, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--shards", "4", "--rate", "0",
	}, args...)
	d = &demo{t: t, cmd: exec.Command(path, args...), said: log, ended: make(chan error, 1)}
	d.cmd.Stdout, d.cmd.Stderr = out, log
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { d.ended <- d.cmd.Wait() }()
	t.Cleanup(func() { d.end(syscall.SIGKILL) })
	return d, out, log
}

// end ends the process and gives its exit code.
func (d *demo) end(sig syscall.Signal) int {
	if d.cmd.ProcessState == nil {
		_ = d.cmd.Process.Signal(sig)
		<-d.ended
	}
	return d.cmd.ProcessState.ExitCode()
}

// until polls until the text holds what is looked for.
func (d *demo) until(s *screen, holds func(string) bool) string {
	d.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; {
		text := s.String()
		switch {
		case holds(text):
			return text
		case time.Now().After(deadline):
			d.t.Fatalf("the demo does not get there:\n%s\n%s", text, d.said)
		}
		select {
		case err := <-d.ended:
			d.ended <- err
			d.t.Fatalf("the demo ended: %v\n%s", err, d.said)
		case <-time.After(5 * time.Millisecond): // between looks at another process
		}
	}
}

// asked is a printed question: the command and the answer below it.
type asked struct{ command, answer string }

var printed = regexp.MustCompile(`(?m)^  (curl '[^']+')\n\n  (.*)\n`)

// questions waits until all three are printed.
func (d *demo) questions(out *screen) (all []asked) {
	d.t.Helper()
	text := d.until(out, func(s string) bool { return len(printed.FindAllString(s, -1)) == 3 })
	for _, m := range printed.FindAllStringSubmatch(text, -1) {
		all = append(all, asked{m[1], m[2]})
	}
	return all
}

// hold runs each command as printed, by curl where there is one, and compares the
// answer to the byte.
func (d *demo) hold(all []asked) {
	d.t.Helper()
	for _, q := range all {
		url := strings.TrimSuffix(strings.TrimPrefix(q.command, "curl '"), "'")
		res, err := http.Get(url)
		if err != nil {
			d.t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || string(body) != q.answer+"\n" {
			d.t.Errorf("%s\nanswers %s: %s\nprinted %s", q.command, res.Status, body, q.answer)
		}
		if _, err := exec.LookPath("curl"); err != nil {
			continue
		}
		if got, err := exec.Command("sh", "-c", q.command+" --silent").Output(); err != nil || string(got) != q.answer+"\n" {
			d.t.Errorf("%s\nprints %s (%v)\nprinted was %s", q.command, got, err, q.answer)
		}
	}
}

// answers are what was printed, without what differs between runs.
func answers(all []asked) (out []string) {
	for _, q := range all {
		out = append(out, q.answer)
	}
	return out
}

// TestTheDemoAnswersAsPrinted runs the demo, asks what it says to ask, cuts it off
// and starts it again, and starts the same audience anew: always the same answers.
func TestTheDemoAnswersAsPrinted(t *testing.T) {
	t.Parallel()
	onBothLogs(t, demoAnswers)
}

func demoAnswers(t *testing.T, on site) {
	data := filepath.Join(t.TempDir(), "data")
	flags := on.flags(newPrefix())
	size := append(flags, "--members", "250", "--actions", "12000", "--key", "a-key-to-try-it")

	// The first run is killed while it publishes.
	d, _, log := startDemo(t, data, size...)
	d.until(log, func(s string) bool { return strings.Contains(s, "publishing a year of actions") })
	d.end(syscall.SIGKILL)

	d, out, _ := startDemo(t, data, size...)
	first := d.questions(out)
	d.hold(first)
	d.counted(out)
	if code := d.end(syscall.SIGTERM); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, d.said)
	}

	d, out, log = startDemo(t, data, size...) // all is there
	again := d.questions(out)
	d.hold(again)
	if strings.Contains(log.String(), "publishing") {
		t.Errorf("it publishes the past again:\n%s", log)
	}
	d.end(syscall.SIGTERM)
	if got, want := strings.Join(answers(again), "\n"), strings.Join(answers(first), "\n"); got != want {
		t.Errorf("a later run prints\n%s\nnot\n%s", got, want)
	}

	d, _, log = startDemo(t, data, append(flags, "--members", "250", "--actions", "12000", "--seed", "2")...)
	<-d.ended
	if code := d.cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(log.String(), "--seed 1 --members 250 --actions 12000") {
		t.Errorf("another audience on the same directory: exit code %d:\n%s", code, log)
	}
}

// counted holds that all that was published is there, each once.
func (d *demo) counted(out *screen) {
	d.t.Helper()
	at := regexp.MustCompile(`Admin +(http://\S+)`).FindStringSubmatch(out.String())
	res, err := http.Get(at[1])
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	var st status
	if err := json.NewDecoder(res.Body).Decode(&st); err != nil {
		d.t.Fatal(err)
	}
	rows := int64(0)
	for _, s := range st.Shards {
		rows += s.Rows
		if len(s.DeadLetters) != 0 {
			d.t.Errorf("shard %d refused %v", s.Shard, s.DeadLetters)
		}
	}
	if want := historyRows(d.t, 250, 12_000); rows < want { // with the days since the history ended
		d.t.Errorf("%d rows for 12000 actions, of which %d count", rows, want)
	}
}

// historyRows is how many of the history's actions count: some follow twice.
func historyRows(t testing.TB, members, actions int) (n int64) {
	t.Helper()
	fans, err := audience.New(audience.Options{Seed: 1, Members: members, Actions: actions, End: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	once := map[[3]int]bool{}
	for a := range fans.History() {
		pair := [3]int{a.Member, a.Definition, a.Brand}
		if fans.Definitions[a.Definition].OneTime && once[pair] {
			continue
		}
		once[pair] = true
		n++
	}
	if n == 0 || n > int64(actions) {
		t.Fatalf("%d of %d count", n, actions)
	}
	return n
}

func TestTheDemoDescribesItsAudience(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "demo", "--describe", "--members", "300", "--actions", "5000")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "300 members, 5000 actions") {
		t.Fatalf("%v: %.200s", err, out)
	}
	if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}
