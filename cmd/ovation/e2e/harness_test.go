package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// binary builds the plain program once, without the race detector: what users run.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ovation-e2e-")
	if err != nil {
		return "", err
	}
	atEnd = append(atEnd, func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "ovation")
	out, err := exec.Command("go", "build", "-o", path, "..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range atEnd {
		f()
	}
	os.Exit(code)
}

// node is a running ovation serve.
type node struct {
	t      testing.TB
	data   string
	logs   string // the directory of Apache Kafka's logs; empty: they are in data
	prefix string // of its topics
	args   []string
	env    []string // more than this process has
	within []string // the command that starts it, and where; nil: here

	program string // empty: the one that is tested

	cmd   *exec.Cmd
	lines *tail
	ended chan struct{}

	http, admin, kafka string // addresses, of this life
}

var (
	starting = regexp.MustCompile(`msg=starting admin=(\S+)`)
	serving  = regexp.MustCompile(`msg=serving http=(\S+) admin=(\S+) kafka=(\S+)`)
)

// life starts the process and waits until it is ready. Addresses are new ones.
func (n *node) life() {
	n.t.Helper()
	m := n.begin(serving)
	n.http, n.admin, n.kafka = m[1], m[2], m[3]
	n.eventually("readiness", func() bool { return n.get("/readyz") == http.StatusOK })
}

// begin starts the process and waits for a line of its log.
func (n *node) begin(line *regexp.Regexp) []string {
	n.t.Helper()
	path, err := binary()
	if err != nil {
		n.t.Fatal(err)
	}
	if n.program != "" {
		path = n.program
	}
	command := append(append([]string{}, n.within...), path, "serve", "--data", n.data, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0")
	n.cmd = exec.Command(command[0], append(command[1:], n.args...)...)
	n.cmd.Env = append(os.Environ(), n.env...)
	n.lines = &tail{}
	pipe, err := n.cmd.StderrPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	if err := n.cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	found := make(chan []string, 1)
	ended := make(chan struct{})
	n.ended = ended
	go func() {
		defer close(ended)
		for s := bufio.NewScanner(pipe); s.Scan(); {
			n.lines.add(s.Text())
			if m := line.FindStringSubmatch(s.Text()); m != nil {
				found <- m
			}
		}
	}()
	select {
	case m := <-found:
		return m
	case <-ended:
		n.t.Fatalf("the node ended at its start:\n%s", n.lines)
	case <-time.After(60 * time.Second):
		n.t.Fatalf("the node did not start:\n%s", n.lines)
	}
	return nil
}

// get is the status of an admin path.
func (n *node) get(path string) int {
	status, _ := n.says(path)
	return status
}

// says is the status and the answer of an admin path.
func (n *node) says(path string) (status int, body string) {
	res, err := http.Get("http://" + n.admin + path)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

// kill ends the process as a power cut would, and waits until it is gone.
func (n *node) kill() { n.end(syscall.SIGKILL) }

// stop ends the process in order and gives its exit code.
func (n *node) stop() int { return n.end(syscall.SIGTERM) }

func (n *node) end(sig syscall.Signal) int {
	if n.cmd == nil {
		return 0
	}
	_ = n.cmd.Process.Signal(sig)
	<-n.ended
	_ = n.cmd.Wait()
	code := n.cmd.ProcessState.ExitCode()
	n.cmd = nil
	return code
}

// eventually polls until the condition holds; a minute is a failure.
func (n *node) eventually(what string, holds func() bool) {
	n.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			n.t.Fatalf("no %s within a minute:\n%s", what, n.lines)
		}
		time.Sleep(5 * time.Millisecond) // between polls of another process
	}
}

// tail keeps the last lines of a process.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines = append(t.lines, line); len(t.lines) > 60 {
		t.lines = t.lines[1:]
	}
}

// String is the lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}

// manage speaks to the admin port; a nil body is a GET.
func (n *node) manage(path string, body, out any) {
	n.t.Helper()
	var res *http.Response
	var err error
	if body == nil {
		res, err = http.Get("http://" + n.admin + path)
	} else {
		b, _ := json.Marshal(body)
		res, err = http.Post("http://"+n.admin+path, "application/json", bytes.NewReader(b))
	}
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		n.t.Fatalf("%s: %s: %s", path, res.Status, b)
	}
	if err := json.Unmarshal(b, out); err != nil {
		n.t.Fatalf("%s: %v: %s", path, err, b)
	}
}

// account makes an account with an application of its name and gives its id and its key.
func (n *node) account(name string) (id uint32, key string) {
	n.t.Helper()
	return n.application(name, name)
}

// application makes an application of an account, and the account if there is none of the
// name.
func (n *node) application(account, name string) (id uint32, key string) {
	n.t.Helper()
	var out struct {
		Account struct{ ID uint32 }
		Key     string
	}
	n.manage("/applications", map[string]string{"account": account, "name": name, "plan": "enterprise"}, &out)
	return out.Account.ID, out.Key
}

// api is a client of this life of the node.
func (n *node) api(key string) *client.Client { return client.New("http://"+n.http, key) }

// status is what the tests read of /status.
type status struct {
	Shards []struct {
		Shard                                             int
		Behaviour, Stopped, Facts                         string
		Applied, End, Rows, Recorded, Duplicates, Repeats int64
		LettersWaiting, Outbox                            int64
		DeadLetters                                       map[string]int64
	}
	Routers []struct {
		Partition         int
		Next, End, Routed int64
		Stopped           string
	}
	LagMs int64
}

func (n *node) status() (st status) {
	n.t.Helper()
	n.manage("/status", nil, &st)
	return st
}

// settled waits until all that was published to the public topic, so many records in
// all, is routed and applied, and no outbox entry waits. The journal's ends are asked of the
// log: a shard knows of a record no earlier than when it reads it.
func (n *node) settled(published int64) {
	n.t.Helper()
	log, err := kafka.New(kafka.Config{Brokers: []string{n.kafka}, ClientID: "settled"})
	if err != nil {
		n.t.Fatal(err)
	}
	defer log.Close()
	n.eventually(fmt.Sprintf("settling of %d records", published), func() bool {
		st := n.status()
		sum := int64(0)
		for _, r := range st.Routers {
			sum += r.Next
		}
		if sum != published {
			return false
		}
		for i, s := range st.Shards {
			end, err := log.End(ctx(n.t), n.prefix+kafka.Journal, i)
			if err != nil || s.Applied < end || s.LettersWaiting > 0 || s.Outbox > 0 {
				return false
			}
		}
		return true
	})
}

// ctx ends with the test.
func ctx(t testing.TB) context.Context {
	c, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	return c
}
