package node

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/webhooks/sending"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/dlq"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/cmd/ovation/tracing"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/storage/store"
)

// Node is every room, wired. Open opens it, Run serves until its
// context ends, Close gives everything back.
type Node struct {
	Config  config.Config // Memory is settled when the node is open
	Log     *slog.Logger
	Budget  tuning.Budget
	Secrets *secrets.Secrets
	Hasher  *activity.Hasher
	ID      domain.NodeID // in the list of the installation
	Clock   nodes.Clock   // the time of day

	Logs        Logs
	Stores      Stores
	Actors      *actors.Node
	Verifier    *verify.Verifier
	Rebuilder   *verify.Rebuilder
	DeadLetters *dlq.Service
	API         *api.API
	Webhooks    *sending.Runner
	Tracing     *tracing.Tracing // nil: nothing is traced
	ports       servers

	newID   bool           // ID is in no file yet
	closers []func() error // in order of opening
	made    []string       // what this start made: --data, what is opened in it, the file of secrets
	running sync.WaitGroup
}

// Stores are what the node keeps on its own disk beside the embedded log.
type Stores struct {
	Store   *store.Store
	Catalog *store.Catalog
	Keys    DataKeys
}

// servers are the API's port and the admin port.
type servers struct {
	public, admin net.Listener
	gate          admin.Gate // of the admin port
	adminServer   *http.Server
	metrics       *prometheus.Registry
	port          publicPort
	failed        chan error
	drain         drain
}

// HTTPAddr is where the API listens.
func (n *Node) HTTPAddr() string { return n.ports.public.Addr().String() }

// AdminAddr is where the admin port listens.
func (n *Node) AdminAddr() string { return n.ports.admin.Addr().String() }

// OnClose has f called when the node closes, before what was opened earlier.
func (n *Node) OnClose(f func() error) { n.closers = append(n.closers, f) }

// stopTime bounds how long the node's actors may take to end, after drainTime.
const stopTime = 20 * time.Second

// StopTime bounds how long a stop takes after --drain.
const StopTime = drainTime + stopTime + tracing.FlushTime

// Close gives everything back, in the opposite order of opening. Behind a node that did not
// stop in its time it closes nothing more: actors may still use the stores, and the process
// ends without.
func (n *Node) Close() error {
	var errs []error
	for i := len(n.closers) - 1; i >= 0; i-- {
		err := n.closers[i]()
		errs = append(errs, err)
		var still *actors.StopError
		if errors.As(err, &still) {
			n.closers = nil
			return errors.Join(errs...)
		}
	}
	n.closers = nil
	n.running.Wait()
	return errors.Join(errs...)
}

// drain is set when the node is about to stop.
type drain struct{ flag atomic.Bool }

func (d *drain) begin()      { d.flag.Store(true) }
func (d *drain) begun() bool { return d.flag.Load() }
