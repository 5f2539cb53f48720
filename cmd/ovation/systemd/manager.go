package systemd

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Manager is the service manager of this process. The zero Manager is none.
type Manager struct {
	socket   string        // a path, or @ and a name that is not in the file system
	watchdog time.Duration // how long it waits for a sign of life; 0: for ever
	log      *slog.Logger

	status string // as sent last
	ready  bool   // READY=1 was sent
	failed bool   // a message was lost, and the log has that
}

// FromEnvironment is the manager that the environment names.
func FromEnvironment(log *slog.Logger) *Manager {
	m := &Manager{socket: os.Getenv("NOTIFY_SOCKET"), log: log}
	if pid := os.Getenv("WATCHDOG_PID"); pid == "" || pid == strconv.Itoa(os.Getpid()) {
		if us, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64); err == nil && us > 0 {
			m.watchdog = time.Duration(us) * time.Microsecond
		}
	}
	return m
}

const (
	tellEvery   = time.Second
	startWithin = 30 * time.Second // from the last message of a node that is not ready yet
)

// Follow tells the manager every second how the node is, until ended is closed; once ctx ends, that the node stops,
// within so long. Ready is nil for a node that is ready, and is what the watchdog waits for: a node that cannot say
// how it is has died.
func (m *Manager) Follow(ctx context.Context, ended <-chan struct{}, ready func() error, stopWithin time.Duration) {
	if m.socket == "" {
		return
	}
	every := tellEvery
	if m.watchdog > 0 {
		every = min(every, m.watchdog/2)
	}
	t := time.NewTicker(every)
	defer t.Stop()
	m.follow(ctx, ended, t.C, ready, stopWithin)
}

func (m *Manager) follow(ctx context.Context, ended <-chan struct{}, ticks <-chan time.Time, ready func() error, stopWithin time.Duration) {
	m.tell(ready())
	for stop := ctx.Done(); ; {
		select {
		case <-stop:
			stop = nil
			m.send("STOPPING=1", "STATUS=stopping: requests under way are answered", extend(stopWithin))
		case <-ticks:
			if stop != nil {
				m.tell(ready())
			} else if m.watchdog > 0 {
				m.send("WATCHDOG=1")
			}
		case <-ended:
			return
		}
	}
}

// tell sends what is new of a node, whose err is why it is not ready.
func (m *Manager) tell(err error) {
	status := "ready"
	if err != nil {
		status = "not ready: " + strings.Join(strings.Fields(err.Error()), " ")
	}
	var lines []string
	switch {
	case m.ready:
	case err == nil:
		lines = append(lines, "READY=1")
		m.ready = true
	default:
		lines = append(lines, extend(startWithin))
	}
	if status != m.status {
		lines = append(lines, "STATUS="+status)
		m.status = status
	}
	if m.watchdog > 0 {
		lines = append(lines, "WATCHDOG=1")
	}
	if len(lines) > 0 {
		m.send(lines...)
	}
}

func extend(by time.Duration) string { return fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", by.Microseconds()) }

// send sends one message; the first that is lost is logged.
func (m *Manager) send(lines ...string) {
	err := m.write(strings.Join(lines, "\n"))
	if err != nil && !m.failed {
		m.log.Warn("systemd does not learn how the node is", "err", err)
	}
	m.failed = err != nil
}

func (m *Manager) write(message string) error {
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(message))
	return err
}
