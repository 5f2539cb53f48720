package harness

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

// Process is a child process that logs to standard error.
type Process struct {
	cmd   *exec.Cmd
	lines tail
	ended chan struct{}
	wait  sync.Once // of cmd: two that wait at once would wait for ever
}

// StartProcess starts a command and waits for the first line of its log that matches; it
// returns the submatches. With a nil line it waits for nothing.
func StartProcess(ctx context.Context, cmd *exec.Cmd, line *regexp.Regexp) (*Process, []string, error) {
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	found := make(chan []string, 1)
	go p.read(pipe, line, found)
	if line == nil {
		return p, nil, nil
	}
	select {
	case m := <-found:
		return p, m, nil
	case <-p.ended:
		err = fmt.Errorf("%s ended at its start", cmd.Path)
	case <-ctx.Done():
		err = fmt.Errorf("%s did not log %q: %w", cmd.Path, line, ctx.Err())
	}
	p.End(syscall.SIGKILL)
	return nil, nil, fmt.Errorf("%w\n%s", err, p.Log())
}

func (p *Process) read(pipe io.Reader, line *regexp.Regexp, found chan<- []string) {
	defer close(p.ended)
	matched := false
	for s := bufio.NewScanner(pipe); s.Scan(); {
		p.lines.add(s.Text())
		if matched || line == nil {
			continue
		}
		if m := line.FindStringSubmatch(s.Text()); m != nil {
			matched = true
			found <- m
		}
	}
}

// PID is the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Log is the last lines that the process logged.
func (p *Process) Log() string { return p.lines.String() }

// Ended is closed when the process has closed its log.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Wait waits until the process is gone and returns its exit code. Any number may wait.
func (p *Process) Wait() int {
	<-p.ended
	p.wait.Do(func() { _ = p.cmd.Wait() })
	return p.cmd.ProcessState.ExitCode()
}

// End sends a signal and waits.
func (p *Process) End(sig syscall.Signal) int {
	_ = p.cmd.Process.Signal(sig) // it may have ended
	return p.Wait()
}

// tail keeps the last lines of a log.
type tail struct {
	mu    sync.Mutex // guards lines
	lines []string
}

// tailLines is how many lines a tail keeps.
const tailLines = 60

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	if len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
}

// String is the lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
