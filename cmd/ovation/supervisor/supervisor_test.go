package supervisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test's binary is also what it supervises: see role.
func TestMain(m *testing.M) {
	switch os.Getenv("ROLE") {
	case "":
		os.Exit(m.Run())
	case "supervisor":
		supervise()
	default:
		os.Exit(role())
	}
}

// role is a process that listens at AT and ends in order, noting its ROLE in the file ENDED; a stubborn one does not end by a word.
func role() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, err := Leash(ctx)
	if err != nil {
		return 9
	}
	l, err := net.Listen("tcp", os.Getenv("AT"))
	if err != nil {
		return 8
	}
	defer l.Close()
	if os.Getenv("ROLE") == "stubborn" {
		select {}
	}
	<-ctx.Done()
	f, err := os.OpenFile(os.Getenv("ENDED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 7
	}
	fmt.Fprintln(f, os.Getenv("ROLE"))
	f.Close()
	return 0
}

// supervise is a supervisor of two processes at the addresses in AT, until it is killed.
func supervise() {
	s := New(Options{Pause: time.Hour, Grace: time.Hour, Log: slog.New(slog.DiscardHandler)})
	for i, at := range strings.Split(os.Getenv("AT"), ",") {
		s.Start(fmt.Sprint(i), func() *exec.Cmd { return command([]string{"quiet", "stubborn"}[i%2], at, os.Getenv("ENDED")) })
	}
	select {}
}

func command(role, at, ended string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ROLE="+role, "AT="+at, "ENDED="+ended)
	return cmd
}

// freeAddress is one that nothing listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func listens(at string) bool {
	c, err := net.Dial("tcp", at)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// eventually polls until the condition holds; a minute is a failure.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("no %s within a minute", what)
		}
		time.Sleep(5 * time.Millisecond) // between polls of another process
	}
}

// newSupervisor is one whose processes end with the test.
func newSupervisor(t *testing.T, grace time.Duration) *Supervisor {
	t.Helper()
	s := New(Options{Pause: 10 * time.Millisecond, Grace: grace, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	t.Cleanup(func() {
		if !s.isEnding() {
			s.End()
		}
	})
	return s
}

// run has a process of that role run and waits until it listens.
func (s *Supervisor) run(t *testing.T, role, ended string) (p *Process, at string) {
	t.Helper()
	at = freeAddress(t)
	p = s.Start(role, func() *exec.Cmd { return command(role, at, ended) })
	if err := p.Await(t.Context(), func() bool { return listens(at) }); err != nil {
		t.Fatal(err)
	}
	return p, at
}

// A process that ends is started again, as often as it ends.
func TestSupervisor_StartsAgain(t *testing.T) {
	s := newSupervisor(t, time.Minute)
	p, at := s.run(t, "quiet", filepath.Join(t.TempDir(), "ended"))
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL} {
		before := p.PID()
		if err := syscall.Kill(before, sig); err != nil {
			t.Fatal(err)
		}
		eventually(t, "next life", func() bool { return p.PID() != before && listens(at) })
	}
}

// At the end none is left: the first one ends after the others, and what does not end in order is killed.
func TestSupervisor_Ends(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ended")
	s := newSupervisor(t, 100*time.Millisecond)
	_, first := s.run(t, "first", file)
	_, second := s.run(t, "second", file)
	_, stubborn := s.run(t, "stubborn", file)
	s.End()
	for _, at := range []string{first, second, stubborn} {
		if listens(at) {
			t.Errorf("%s is still held", at)
		}
	}
	if b, err := os.ReadFile(file); string(b) != "second\nfirst\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// One that ends before it was ready is not started again, and its end is told.
func TestSupervisor_NeverReady(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := newSupervisor(t, time.Minute)
	p := s.Start("node", func() *exec.Cmd { return command("quiet", taken.Addr().String(), "") })
	if err := p.Await(t.Context(), func() bool { return false }); err == nil || !strings.Contains(err.Error(), "node ended before it was ready: exit status 8") {
		t.Errorf("%v", err)
	}
	p = s.Start("none", func() *exec.Cmd { return exec.Command(filepath.Join(t.TempDir(), "none")) })
	if err := p.Await(t.Context(), func() bool { return false }); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// A supervisor that is killed leaves no process, whether they end by a word or not.
func TestSupervisor_Killed(t *testing.T) {
	a, b := freeAddress(t), freeAddress(t)
	cmd := command("supervisor", a+","+b, filepath.Join(t.TempDir(), "ended"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "processes", func() bool { return listens(a) && listens(b) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(t, "end of both", func() bool { return !listens(a) && !listens(b) })
}

// Where the kernel does not help, a process ends by its leash: in order, or by force.
func TestLeash(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ended")
	for role, code := range map[string]int{"quiet": 0, "stubborn": 1} {
		end, held, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		at := freeAddress(t)
		cmd := command(role, at, file)
		cmd.ExtraFiles = []*os.File{end}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		end.Close()
		eventually(t, "process", func() bool { return listens(at) })
		held.Close()
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != code || listens(at) {
			t.Errorf("%s: exit code %d, holds its port: %t", role, got, listens(at))
		}
	}
	if cmd := command("quiet", freeAddress(t), file); cmd.Run() == nil || cmd.ProcessState.ExitCode() != 9 {
		t.Errorf("without a supervisor: exit code %d", cmd.ProcessState.ExitCode())
	}
}

// Lines of several processes do not mix, each has its prefix.
func TestLines(t *testing.T) {
	var out bytes.Buffer
	l := NewLines(&out)
	a, b := l.Of("a: "), l.Of("b: ")
	for _, part := range []struct{ to, text string }{{"a", "one\ntw"}, {"b", "three\n"}, {"a", "o\n\n"}, {"b", "no end"}} {
		w := a
		if part.to == "b" {
			w = b
		}
		if n, err := w.Write([]byte(part.text)); n != len(part.text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if want := "a: one\nb: three\na: two\na: \n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
}
