package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/transport"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/storage/store"
)

// program is a node: every room, wired. newProgram opens it, Run serves until its
// context ends, Close gives everything back.
type program struct {
	cfg     config.Config
	log     *slog.Logger
	budget  tuning.Budget
	secrets *secrets.Secrets
	hasher  *activity.Hasher

	logs
	stores
	node     *actors.Node
	verifier *verify.Verifier
	rebuilds *verify.Rebuilder
	api      *api.API
	servers

	closers []func() error // in order of opening
	running sync.WaitGroup
}

// stores are what the node keeps on its own disk beside the embedded log.
type stores struct {
	store   *store.Store
	catalog *store.Catalog
	keys    dataKeys
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

// newProgram opens the node: when it returns, the addresses are known, the engine
// catches up and the API does not answer yet. Meanwhile the admin port says what the node waits
// for.
func newProgram(ctx context.Context, cfg config.Config, log *slog.Logger) (*program, error) {
	return claimProgram(ctx, cfg, log, func() error { return nil })
}

// claimProgram is newProgram, with a step before anything is written into --data.
func claimProgram(ctx context.Context, cfg config.Config, log *slog.Logger, claim func() error) (_ *program, err error) {
	p := &program{cfg: cfg, log: log, servers: servers{metrics: status.NewRegistry(), failed: make(chan error, 2)}}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	for _, step := range []func(context.Context) error{
		p.openMemory, p.probe, p.openGate, p.awaitDisk,
		func(context.Context) error { return claim() },
		p.openSecrets, p.openLog, p.openTopics, p.openStores,
		p.openNode, p.settleLayout, p.keys.opening(p), p.startNode, p.listen, p.openAPI,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *program) onClose(f func() error) { p.closers = append(p.closers, f) }

// listen opens the public address; connections wait until Run.
func (p *program) listen(context.Context) error {
	var err error
	if p.public, err = net.Listen("tcp", p.cfg.HTTP); err != nil {
		return err
	}
	p.onClose(closed(p.public))
	return nil
}

// openGate serves the admin port, which says that the node is starting.
func (p *program) openGate(context.Context) error {
	var err error
	if p.admin, err = net.Listen("tcp", p.cfg.Admin); err != nil {
		return err
	}
	p.gate.Hosts = p.adminHosts()
	p.adminServer = admin.NewServer(&p.gate)
	p.onClose(p.adminServer.Close)
	p.running.Go(func() { p.failed <- served(p.adminServer.Serve(p.admin)) })
	p.log.Info("starting", "admin", p.admin.Addr().String())
	return nil
}

// adminPort is the handler of the admin port, of a node that is open or waits for its catalog.
func (p *program) adminPort(token string) http.Handler {
	o := admin.Options{
		Engine: management{p}, Jobs: jobs(p.verifier, p.rebuilds), Token: token,
		Hosts: p.gate.Hosts, Metrics: p.metrics, Version: built(), Log: p.log,
	}
	if p.api != nil {
		o.Signing = secrets.NewSigning(p.cfg.SecretsFile(), p.api.Tokens, admin.NewOperator(p.node))
	}
	return admin.New(o)
}

// adminHosts are the names that the admin port is asked by. Beyond loopback scrapers ask by names that only they
// know, unless the configuration gives them.
func (p *program) adminHosts() admin.Hosts {
	own, _, _ := net.SplitHostPort(p.cfg.Admin) // it listens there
	at, _ := p.admin.Addr().(*net.TCPAddr)
	return admin.Hosts{
		Names: append([]string{own}, p.cfg.AdminHost...),
		Any:   len(p.cfg.AdminHost) == 0 && (at == nil || !at.IP.IsLoopback()),
	}
}

// jobs are the jobs beside the node, which may be nil.
func jobs(v *verify.Verifier, b *verify.Rebuilder) []admin.Job {
	const (
		neverVerified = "the node has verified nothing yet"
		neverRebuilt  = "the node has rebuilt nothing since it started"
	)
	if v == nil { // the node waits for its catalog
		return []admin.Job{
			notOpen[verify.Order]("/verify", neverVerified),
			notOpen[verify.RebuildOrder]("/rebuild", neverRebuilt),
		}
	}
	return []admin.Job{
		admin.NewJob("/verify", neverVerified, v.Start, v.Last, v.Cancel),
		admin.NewJob("/rebuild", neverRebuilt, b.Start, b.Last, b.Cancel),
	}
}

// notOpen is the job of a node that is not open: it cannot begin.
func notOpen[O any](path, none string) admin.Job {
	start := func(O) error { return domain.Fail(domain.Unavailable, "the node is not open yet") }
	return admin.NewJob(path, none, start, func() *O { return nil }, func() {})
}

// closed closes a listener that its server may have closed already.
func closed(l net.Listener) func() error {
	return func() error {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

// Run serves until ctx ends, then drains: readiness goes false first; for the time of --drain
// responses carry Connection: close; then no request is accepted and those under way are answered.
func (p *program) Run(ctx context.Context) error {
	token, err := p.cfg.AdminPort.Token()
	if err != nil {
		return err
	}
	status.Register(p.metrics, p.shown(), p.api.Polls, p.api.Limited)
	p.gate.Open(p.adminPort(token))
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	p.running.Go(func() { tuning.NewHeapKeeper(int64(p.cfg.Memory), p.node, p.log).Run(keeping) })
	p.running.Go(func() { p.port.watch(keeping) })
	p.running.Go(func() { reclaim(keeping, p.log, reclaims(p.keys.store, p.eventLog)...) })
	status.RegisterPort(p.metrics, p.port.shown())
	public := transport.New(transport.Options{Handler: p.api, Certificate: p.port.certificate, Log: p.log})
	p.running.Go(func() { p.failed <- public.Serve(p.public) })
	still := p.cfg.Drain
	select {
	case err = <-p.failed:
	case <-p.store.Failed(): // it opens again only in another process
		err = fmt.Errorf("the store failed: %w", p.store.Err())
	case <-p.keys.store.Failed(): // likewise
		err = fmt.Errorf("the data keys failed: %w", p.keys.store.Err())
	case <-ctx.Done():
	}
	if err != nil {
		still = 0
	}
	p.drain.begin()
	p.log.Info("stopping: answering what is under way", "drain", still.String())
	over, cancel := context.WithTimeout(context.Background(), still+drainTime)
	defer cancel()
	return errors.Join(err, public.Drain(over, still), p.adminServer.Shutdown(over))
}

// drainTime bounds how long requests under way may take at a stop.
const drainTime = 15 * time.Second

// served is a server's error, unless it was shut down.
func served(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// stopTime bounds how long the node's actors may take to end, after drainTime.
const stopTime = 20 * time.Second

// Close gives everything back, in the opposite order of opening. Behind a node that did not
// stop in its time it closes nothing more: actors may still use the stores, and the process
// ends without.
func (p *program) Close() error {
	var errs []error
	for i := len(p.closers) - 1; i >= 0; i-- {
		err := p.closers[i]()
		errs = append(errs, err)
		var still *actors.StopError
		if errors.As(err, &still) {
			p.closers = nil
			return errors.Join(errs...)
		}
	}
	p.closers = nil
	p.running.Wait()
	return errors.Join(errs...)
}
