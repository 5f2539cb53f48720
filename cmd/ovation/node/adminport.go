package node

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/build"
	"github.com/ovation-analytics/ovation/cmd/ovation/dlq"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
)

// openGate serves the admin port, which says that the node is starting.
func (n *Node) openGate(context.Context) error {
	var err error
	if n.ports.admin, err = net.Listen("tcp", n.Config.AdminPort.Admin); err != nil {
		return err
	}
	n.ports.gate.Hosts = n.adminHosts()
	n.ports.adminServer = admin.NewServer(&n.ports.gate)
	n.OnClose(n.ports.adminServer.Close)
	n.running.Go(func() { n.ports.failed <- served(n.ports.adminServer.Serve(n.ports.admin)) })
	n.Log.Info("starting", "admin", n.ports.admin.Addr().String())
	return nil
}

// adminPort is the handler of the admin port, of a node that is open or waits for its catalog.
func (n *Node) adminPort(token string) http.Handler {
	o := admin.Options{
		Engine: Management{n}, Jobs: jobs(n.Verifier, n.Rebuilder, n.DeadLetters), Token: token,
		Hosts: n.ports.gate.Hosts, Metrics: n.ports.metrics, Version: build.Read(), Now: n.Clock.Now, Log: n.Log, Level: n.Config.Level,
	}
	if n.API != nil {
		o.Console, o.Operator, o.PublicURL = n.API.Admin(), n.API.Operator, consoleURL(n.base())
		o.Letters = n.DeadLetters
		o.Signing = secrets.NewSigning(n.Config.SecretsFile(), n.API.Tokens, admin.NewOperator(n.Actors, n.Clock.Now))
	}
	return admin.New(o)
}

// consoleURL is where people reach the public port of a base address. One that listens on every interface is on this
// machine.
func consoleURL(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsUnspecified() {
		u.Host = net.JoinHostPort("localhost", u.Port())
	}
	return strings.TrimSuffix(u.String(), "/")
}

// adminHosts are the names that the admin port is asked by. Beyond loopback scrapers ask by names that only they
// know, unless the configuration gives them.
func (n *Node) adminHosts() admin.Hosts {
	own, _, _ := net.SplitHostPort(n.Config.AdminPort.Admin) // it listens there
	at, _ := n.ports.admin.Addr().(*net.TCPAddr)
	return admin.Hosts{
		Names: append([]string{own}, n.Config.AdminHost...),
		Any:   len(n.Config.AdminHost) == 0 && (at == nil || !at.IP.IsLoopback()),
	}
}

// replayPath is where the admin port replays dead letters.
const replayPath = "/letters/replay"

// jobs are the jobs beside the node, which may be nil.
func jobs(v *verify.Verifier, b *verify.Rebuilder, l *dlq.Service) []admin.Job {
	const (
		neverVerified = "the node has verified nothing yet"
		neverRebuilt  = "the node has rebuilt nothing since it started"
		neverReplayed = "the node has replayed no dead letter since it started"
	)
	if v == nil { // the node waits for its catalog
		return []admin.Job{
			notOpen[verify.Order]("/verify", neverVerified),
			notOpen[verify.RebuildOrder]("/rebuild", neverRebuilt),
			notOpen[dlq.Order](replayPath, neverReplayed),
		}
	}
	return []admin.Job{
		admin.NewJob("/verify", neverVerified, v.Start, v.Last, v.Cancel),
		admin.NewJob("/rebuild", neverRebuilt, b.Start, b.Last, b.Cancel),
		admin.NewJob(replayPath, neverReplayed, l.Start, l.Last, l.Cancel),
	}
}

// notOpen is the job of a node that is not open: it cannot begin.
func notOpen[O any](path, none string) admin.Job {
	start := func(O) error { return domain.Fail(domain.Unavailable, "the node is not open yet") }
	return admin.NewJob(path, none, start, func() *O { return nil }, func() {})
}

// served is a server's error, unless it was shut down.
func served(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
