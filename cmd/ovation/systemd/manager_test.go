package systemd

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// socket is a manager's socket, named in the environment, and what comes there.
func socket(t *testing.T, name string) (receive func() string) {
	t.Helper()
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	t.Setenv("NOTIFY_SOCKET", name)
	return func() string {
		b := make([]byte, 4096)
		n, err := l.Read(b)
		if err != nil {
			t.Error(err)
		}
		return string(b[:n])
	}
}

// A start is extended while the node is not ready; READY=1 is sent once, a status when it changes, a sign of life
// each time, and at the end that the node stops.
func TestManager_TellsHowTheNodeIs(t *testing.T) {
	receive := socket(t, filepath.Join(t.TempDir(), "notify"))
	t.Setenv("WATCHDOG_USEC", "60000000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	m := FromEnvironment(slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	ticks, states, ended, over := make(chan time.Time), make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		m.follow(ctx, ended, ticks, func() error { return <-states }, 45*time.Second)
	}()
	for i, c := range []struct {
		state error
		want  string
	}{
		{errors.New("shard 3 replays"), "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=not ready: shard 3 replays\nWATCHDOG=1"},
		{errors.New("shard 3 replays"), "EXTEND_TIMEOUT_USEC=30000000\nWATCHDOG=1"},
		{errors.New("shard 4\nreplays"), "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=not ready: shard 4 replays\nWATCHDOG=1"},
		{nil, "READY=1\nSTATUS=ready\nWATCHDOG=1"},
		{nil, "WATCHDOG=1"},
		{errors.New("the log is closed"), "STATUS=not ready: the log is closed\nWATCHDOG=1"},
		{nil, "STATUS=ready\nWATCHDOG=1"},
	} {
		if i > 0 {
			ticks <- time.Time{}
		}
		states <- c.state
		if got := receive(); got != c.want {
			t.Errorf("message %d: %q, want %q", i, got, c.want)
		}
	}
	cancel()
	if got, want := receive(), "STOPPING=1\nSTATUS=stopping: requests under way are answered\nEXTEND_TIMEOUT_USEC=45000000"; got != want {
		t.Errorf("of a stop %q, want %q", got, want)
	}
	ticks <- time.Time{}
	if got := receive(); got != "WATCHDOG=1" {
		t.Errorf("of a node that stops %q", got)
	}
	close(ended)
	<-over
}

// A node that cannot say how it is gives no sign of life.
func TestManager_WatchdogOfANodeThatHangs(t *testing.T) {
	receive := socket(t, "@ovation-test-"+strconv.Itoa(os.Getpid()))
	t.Setenv("WATCHDOG_USEC", "60000000")
	m := FromEnvironment(slog.New(slog.DiscardHandler))
	ticks, hang, hangs, ended, over := make(chan time.Time, 9), make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	for range cap(ticks) {
		ticks <- time.Time{}
	}
	asked := 0
	go func() {
		defer close(over)
		m.follow(t.Context(), ended, ticks, func() error {
			if asked++; asked == 2 {
				close(hangs)
				<-hang
			}
			return nil
		}, time.Second)
	}()
	if got := receive(); got != "READY=1\nSTATUS=ready\nWATCHDOG=1" {
		t.Errorf("%q", got)
	}
	<-hangs
	if n := len(ticks); n != cap(ticks)-1 {
		t.Errorf("%d ticks are left of %d: the manager went on", n, cap(ticks))
	}
	close(ended)
	close(hang)
	<-over
}

// Another process's watchdog and a wrong time ask for no sign of life; without a socket nothing is sent.
func TestManager_Environment(t *testing.T) {
	for _, c := range []struct {
		usec, pid string
		want      time.Duration
	}{{"", "", 0}, {"x", "", 0}, {"-5", "", 0}, {"2000000", "", 2 * time.Second}, {"2000000", "1", 0}} {
		t.Setenv("WATCHDOG_USEC", c.usec)
		t.Setenv("WATCHDOG_PID", c.pid)
		if m := FromEnvironment(nil); m.watchdog != c.want {
			t.Errorf("%q of %q: %v, want %v", c.usec, c.pid, m.watchdog, c.want)
		}
	}
	t.Setenv("NOTIFY_SOCKET", "")
	FromEnvironment(nil).Follow(t.Context(), nil, func() error { t.Error("asked"); return nil }, 0)
}

// A socket that is not there is logged once.
func TestManager_LostMessages(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "gone"))
	var log bytes.Buffer
	m := FromEnvironment(slog.New(slog.NewTextHandler(&log, nil)))
	m.tell(errors.New("a"))
	m.tell(errors.New("b"))
	if n := strings.Count(log.String(), "systemd does not learn how the node is"); n != 1 {
		t.Errorf("%d lines: %s", n, &log)
	}
}
