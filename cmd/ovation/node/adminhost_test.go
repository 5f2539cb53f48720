package node

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"github.com/ovation-analytics/ovation/cmd/ovation/config"
)

// On loopback the admin port answers a page by no name of its own; beyond it a scraper asks by any name, unless
// the configuration says which. The same while the node starts.
func TestAdminPort_NamesItIsAskedBy(t *testing.T) {
	for _, c := range []struct {
		admin string
		names []string
		host  string
		want  int
	}{
		{"127.0.0.1:0", nil, "", 200},
		{"127.0.0.1:0", nil, "localhost", 200},
		{"127.0.0.1:0", nil, "evil.example", 403},
		{"127.0.0.1:0", []string{"proxied.example"}, "proxied.example", 200},
		{"127.0.0.1:0", []string{"proxied.example"}, "evil.example", 403},
		{"localhost:0", nil, "localhost", 200},
		{"localhost:0", nil, "evil.example", 403},
		{"0.0.0.0:0", nil, "ovation", 200},
		{":0", nil, "ovation.metrics.svc.cluster.local:8081", 200},
		{":0", []string{"ovation", "node-1"}, "Node-1:8081", 200},
		{":0", []string{"ovation", "node-1"}, "", 200},
		{":0", []string{"ovation", "node-1"}, "evil.example", 403},
	} {
		n := &Node{
			Config: config.Config{AdminPort: config.AdminPort{Admin: c.admin}, AdminHost: c.names}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			ports: servers{failed: make(chan error, 1)},
		}
		if err := n.openGate(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(n.ports.admin.Addr().String())
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+"/livez", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			r.Host = c.host
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s with the names %q, asked by %q: %d, want %d", c.admin, c.names, c.host, answer.StatusCode, c.want)
		}
		if err := n.ports.adminServer.Close(); err != nil {
			t.Error(err)
		}
		n.running.Wait()
	}
}
