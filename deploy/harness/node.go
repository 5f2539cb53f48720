package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

// Node is an ovation serve. Its fields are set before Start and kept over a restart.
type Node struct {
	Binary  string
	Data    string
	LogData string   // directory of a log outside Data; empty: the log is in Data
	Prefix  string   // of its topics
	Args    []string // more flags of serve; every port is a free one unless they say otherwise
	Env     []string // more than this process has
	Within  []string // command that runs the binary; empty: none

	*Process // of the last start; nil before the first
	running  bool

	HTTP, Admin, Kafka string // addresses since the last start
}

// Lines of the log of ovation serve.
var (
	Starting = regexp.MustCompile(`msg=starting admin=(\S+)`)
	Serving  = regexp.MustCompile(`msg=serving http=(\S+) admin=(\S+) kafka=(\S+)`)
)

// Build builds the program of this checkout into a directory, as go build does by default.
func Build(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "ovation")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path,
		"github.com/ovation-analytics/ovation/cmd/ovation").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// Start runs the node, waits until it is ready and returns how long that took.
func (n *Node) Start(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	m, err := n.Begin(ctx, Serving)
	if err != nil {
		return 0, err
	}
	n.HTTP, n.Admin, n.Kafka = m[1], m[2], m[3]
	for {
		if status, _ := n.Get("/readyz"); status == http.StatusOK {
			return time.Since(began), nil
		}
		if err := n.Pause(ctx, 2*time.Millisecond); err != nil {
			return 0, err
		}
	}
}

// Begin runs the node and waits for a line of its log; it returns the submatches.
func (n *Node) Begin(ctx context.Context, line *regexp.Regexp) ([]string, error) {
	args := slices.Concat(n.Within, []string{
		n.Binary, "serve", "--data", n.Data, "--http", "127.0.0.1:0", "--admin",
		"127.0.0.1:0", "--embedded-kafka", "127.0.0.1:0",
	}, n.Args)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), n.Env...)
	p, m, err := StartProcess(ctx, cmd, line)
	if err == nil {
		n.Process = p
		n.running = true
	}
	return m, err
}

// Pause waits between two polls of the node; it fails once the node has ended.
func (n *Node) Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-n.Ended():
		return errors.New("the node ended:\n" + n.Log())
	case <-ctx.Done():
		return fmt.Errorf("%w\n%s", ctx.Err(), n.Log())
	}
}

// Stop ends the node in order and returns its exit code; 0 if it does not run.
func (n *Node) Stop() int { return n.end(syscall.SIGTERM) }

// Kill ends the node as a power cut does.
func (n *Node) Kill() { n.end(syscall.SIGKILL) }

func (n *Node) end(sig syscall.Signal) int {
	if !n.running {
		return 0
	}
	n.running = false
	return n.End(sig)
}

// LogFiles is the directory of the log that the node reads.
func (n *Node) LogFiles() string {
	if n.LogData != "" {
		return n.LogData
	}
	return filepath.Join(n.Data, "log")
}
