package e2e

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// A node that systemd runs says when it is ready, then that it lives, and that it stops.
func TestSystemd_Notify(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	n := newNode(t, harness.Node{Data: filepath.Join(t.TempDir(), "data"), Env: []string{"NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=200000"}})
	var all []string
	until := func(line string) {
		t.Helper()
		b := make([]byte, 4096)
		for {
			if err := l.SetReadDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			got, err := l.Read(b)
			if err != nil {
				t.Fatalf("no %s: %v; after %q", line, err, all)
			}
			all = append(all, string(b[:got]))
			if strings.Contains("\n"+all[len(all)-1]+"\n", "\n"+line+"\n") {
				return
			}
		}
	}
	n.start()
	until("READY=1")
	if first := all[0]; !strings.Contains(first, "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=not ready: the node is starting") {
		t.Errorf("the first message: %q", first)
	}
	all = nil
	until("WATCHDOG=1")
	if code := n.Stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, n.Log())
	}
	until("STOPPING=1")
	if last := all[len(all)-1]; !strings.HasSuffix(last, "\nEXTEND_TIMEOUT_USEC=38000000") {
		t.Errorf("of the stop: %q", last)
	}
}
