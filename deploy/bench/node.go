package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is a process of ours that says on standard error where it listens.
type child struct {
	cmd   *exec.Cmd
	lines tail
	ended chan struct{}
}

// startChild starts a process and waits for a line that matches; the matches are
// given.
func startChild(ctx context.Context, says *regexp.Regexp, path string, args ...string) (*child, []string, error) {
	c := &child{cmd: exec.Command(path, args...), ended: make(chan struct{})}
	pipe, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, nil, err
	}
	found := make(chan []string, 1)
	go c.follow(pipe, says, found)
	select {
	case m := <-found:
		return c, m, nil
	case <-c.ended:
		err = fmt.Errorf("%s ended at its start", path)
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.end(syscall.SIGKILL)
	return nil, nil, fmt.Errorf("%w\n%s", err, c.lines.String())
}

func (c *child) follow(pipe io.Reader, says *regexp.Regexp, found chan<- []string) {
	defer close(c.ended)
	told := false
	for s := bufio.NewScanner(pipe); s.Scan(); {
		c.lines.add(s.Text())
		if m := says.FindStringSubmatch(s.Text()); m != nil && !told {
			told = true
			found <- m
		}
	}
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// end signals the process and waits until it is gone.
func (c *child) end(sig syscall.Signal) {
	_ = c.cmd.Process.Signal(sig)
	<-c.ended
	_ = c.cmd.Wait()
}

// tail keeps the last lines of a process.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines = append(t.lines, line); len(t.lines) > 40 {
		t.lines = t.lines[1:]
	}
}

// String is the lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}

// node is an ovation serve.
type node struct {
	binary  string
	data    string
	logData string // of a log that is not the node's own
	args    []string
	within  []string // command that runs the program; empty: none

	*child
	http, admin, kafka string // addresses, of this life
}

var serving = regexp.MustCompile(`msg=serving http=(\S+) admin=(\S+) kafka=(\S+)`)

// start runs the node and waits until it is ready; it gives how long that took.
func (n *node) start(ctx context.Context) (time.Duration, error) {
	args := append([]string{"serve", "--data", n.data, "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--embedded-kafka", "127.0.0.1:0", "--log-level", "info"}, n.args...)
	began := time.Now()
	command := append(append(slices.Clone(n.within), n.binary), args...)
	c, m, err := startChild(ctx, serving, command[0], command[1:]...)
	if err != nil {
		return 0, err
	}
	n.child, n.http, n.admin, n.kafka = c, m[1], m[2], m[3]
	for n.readiness() != http.StatusOK {
		select {
		case <-time.After(2 * time.Millisecond):
		case <-n.ended:
			return 0, errors.New("the node ended before it was ready:\n" + n.lines.String())
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return time.Since(began), nil
}

func (n *node) readiness() int {
	res, err := http.Get("http://" + n.admin + "/readyz")
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// stop ends the node in order. One that does not run is no fault.
func (n *node) stop() { n.leave(syscall.SIGTERM) }

// kill ends it as a power cut would.
func (n *node) kill() { n.leave(syscall.SIGKILL) }

func (n *node) leave(sig syscall.Signal) {
	if n.child != nil {
		n.end(sig)
		n.child = nil
	}
}

// build builds the program into a directory, without a profile.
func build(ctx context.Context, dir string) (string, error) {
	path := dir + "/ovation"
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, module+"/cmd/ovation").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

const module = "github.com/ovation-analytics/ovation"

// progress says on standard error what goes on.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s  %s\n", time.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
}
