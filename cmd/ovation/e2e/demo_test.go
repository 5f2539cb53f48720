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
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// demo is a running ovation demo.
type demo struct {
	*harness.Process
	t testing.TB
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
func startDemo(t testing.TB, data string, args ...string) (d *demo, out *screen) {
	t.Helper()
	out = &screen{}
	args = append([]string{
		"demo", "--data", data, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--shards", "4", "--rate", "0",
	}, args...)
	cmd := exec.Command(program(t), args...)
	cmd.Stdout = out
	p, _, err := harness.StartProcess(t.Context(), cmd, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(syscall.SIGKILL) })
	return &demo{Process: p, t: t}, out
}

// until polls a text of the process until it holds what is looked for.
func (d *demo) until(text func() string, holds func(string) bool) string {
	d.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		now := text()
		switch {
		case holds(now):
			return now
		case d.t.Failed():
			d.t.FailNow() // what it waits for may have ended by that
		case time.Now().After(deadline):
			d.t.Fatalf("not within %s:\n%s\n%s", patience, now, d.Log())
		}
		select {
		case <-d.Ended():
			d.t.Fatalf("the demo ended:\n%s", d.Log())
		case <-time.After(pollEvery):
		}
	}
}

// asked is a printed question: the command and the answer below it.
type asked struct{ command, key, address, answer string }

var printed = regexp.MustCompile(`(?m)^  (curl -H 'X-API-Key: ([^']+)' '([^']+)')\n\n  (.*)\n`)

// questions waits until all three are printed.
func (d *demo) questions(out *screen) (all []asked) {
	d.t.Helper()
	text := d.until(out.String, func(s string) bool { return len(printed.FindAllString(s, -1)) == 3 })
	for _, m := range printed.FindAllStringSubmatch(text, -1) {
		all = append(all, asked{m[1], m[2], m[3], m[4]})
	}
	return all
}

// hold runs each command as printed, by curl where there is one, and compares the
// answer to the byte.
func (d *demo) hold(all []asked) {
	d.t.Helper()
	for _, q := range all {
		req, err := http.NewRequest(http.MethodGet, q.address, nil)
		if err != nil {
			d.t.Fatal(err)
		}
		req.Header.Set("X-API-Key", q.key)
		res, err := http.DefaultClient.Do(req)
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

// keyOf is the key that was printed.
func keyOf(out *screen) string {
	m := regexp.MustCompile(`(?m)^Key +(\S+)$`).FindStringSubmatch(out.String())
	if m == nil {
		return ""
	}
	return m[1]
}

// TestDemo_AnswersAsPrinted runs the demo, asks what it says to ask, cuts it off
// and starts it again, and starts the same audience again: always the same answers.
func TestDemo_AnswersAsPrinted(t *testing.T) {
	t.Parallel()
	onBothLogs(t, demoAnswers)
}

func demoAnswers(t *testing.T, on site) {
	data := filepath.Join(t.TempDir(), "data")
	flags := on.flags(newPrefix())
	size := append(flags, "--members", "250", "--actions", "12000")

	// The first run is killed while it publishes.
	d, _ := startDemo(t, data, size...)
	d.until(d.Log, func(s string) bool { return strings.Contains(s, "publishing a year of actions") })
	d.End(syscall.SIGKILL)

	d, out := startDemo(t, data, size...)
	first := d.questions(out)
	key := keyOf(out)
	d.hold(first)
	d.counted(out)
	if code := d.End(syscall.SIGTERM); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, d.Log())
	}

	d, out = startDemo(t, data, size...) // all is there
	again := d.questions(out)
	d.hold(again)
	if strings.Contains(d.Log(), "publishing") {
		t.Errorf("it publishes the past again:\n%s", d.Log())
	}
	d.tries(out)
	d.End(syscall.SIGTERM)
	if key == "" || keyOf(out) != key {
		t.Errorf("a later run prints the key %q, not %q", keyOf(out), key)
	}
	if got, want := strings.Join(answers(again), "\n"), strings.Join(answers(first), "\n"); got != want {
		t.Errorf("a later run prints\n%s\nnot\n%s", got, want)
	}

	d, _ = startDemo(t, data, append(flags, "--members", "250", "--actions", "12000", "--seed", "2")...)
	if code := d.Wait(); code != 2 || !strings.Contains(d.Log(), "--seed 1 --members 250 --actions 12000") {
		t.Errorf("another audience on the same directory: exit code %d:\n%s", code, d.Log())
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
	var st harness.Status
	if err := json.NewDecoder(res.Body).Decode(&st); err != nil {
		d.t.Fatal(err)
	}
	rows := st.Rows()
	for _, s := range st.Shards {
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

func TestDemo_DescribesItsAudience(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(program(t), "demo", "--describe", "--members", "300", "--actions", "5000")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "300 members, 5000 actions") {
		t.Fatalf("%v: %.200s", err, out)
	}
	if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}
