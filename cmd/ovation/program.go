package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/storage"
)

// program is a node: every room, wired. newProgram opens it, Run serves until its
// context ends, Close gives everything back.
type program struct {
	cfg     Config
	log     *slog.Logger
	budget  tuning.Budget
	secrets *Secrets
	hasher  *ingest.Hasher

	eventLog *brokerlog.Log // nil: a Kafka of its own
	broker   *wire.Broker
	brokers  []string
	client   *kafka.Client
	topics   topics
	store    *storage.Store
	catalog  *storage.Catalog
	node     *actors.Node
	verifier *verify.Verifier
	rebuilds *verify.Rebuilder
	api      *api.API
	metrics  *prometheus.Registry

	public, admin net.Listener
	gate          admin.Gate // of the admin port
	adminServer   *http.Server
	failed        chan error // of the servers
	drain         drain
	closers       []func() error // in order of opening
	running       sync.WaitGroup
}

// newProgram opens the node: when it returns, the addresses are known, the engine
// catches up and nobody is served yet. Meanwhile the admin port says what is waited for.
func newProgram(ctx context.Context, cfg Config, log *slog.Logger) (_ *program, err error) {
	p := &program{cfg: cfg, log: log, metrics: newMetrics(), failed: make(chan error, 2)}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	for _, step := range []func(context.Context) error{
		p.openMemory, p.probe, p.openGate, p.awaitDisk, p.openSecrets, p.openLog, p.openTopics, p.openStores, p.openNode, p.settleLayout, p.startNode, p.listen, p.openAPI,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *program) onClose(f func() error) { p.closers = append(p.closers, f) }

// probe looks whether the addresses are free before anything is made: a node that cannot
// listen leaves no directory.
func (p *program) probe(context.Context) error {
	addresses := []string{p.cfg.HTTP, p.cfg.Admin}
	if len(p.cfg.Kafka) == 0 {
		addresses = append(addresses, p.cfg.EmbeddedKafka)
	}
	for _, address := range addresses {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}

// openMemory settles --memory and bounds the heap.
func (p *program) openMemory(context.Context) error {
	by := "--memory"
	if p.cfg.Memory == 0 {
		chosen, why, err := tuning.Choose(os.DirFS("/"))
		if err != nil {
			return err
		}
		p.cfg.Memory = Size(chosen)
		by = why
	}
	p.budget = tuning.Divide(int64(p.cfg.Memory))
	undo := tuning.BoundHeap(int64(p.cfg.Memory))
	p.onClose(func() error { undo(); return nil })
	p.log.Info("memory budget", "memory", p.cfg.Memory.String(), "by", by, "atMost", fmt.Sprintf("%dMiB", p.cfg.Memory/tuning.MiB*5/4))
	return nil
}

func (p *program) openSecrets(context.Context) error {
	if err := os.MkdirAll(p.cfg.Data, 0o700); err != nil {
		return err
	}
	var err error
	if p.secrets, err = p.cfg.OpenSecrets(); err != nil {
		return err
	}
	p.hasher, err = ingest.NewHasher(p.secrets.Pepper[:])
	return err
}

// logSyncEvery is how often the log makes durable at most: what comes meanwhile shares the
// next fsync. What comes after a pause is not held back.
const logSyncEvery = time.Millisecond

// storeSyncWithin is when the store has made a shard's commit durable: what a power cut
// takes of it is read from the journal again, some thousands of records at most.
const storeSyncWithin = 100 * time.Millisecond

// openLog opens the embedded log, if there is no Kafka, and the client to either.
func (p *program) openLog(ctx context.Context) error {
	p.brokers = p.cfg.Kafka
	if len(p.brokers) == 0 {
		l, err := brokerlog.Open(filepath.Join(p.cfg.Data, "log"), brokerlog.Options{
			Logger: p.log, SyncEvery: logSyncEvery, TrustClock: p.cfg.TrustClock, CacheBytes: p.budget.Log.Cache, MemTableBytes: p.budget.Log.Buffer,
		})
		if err != nil {
			return fmt.Errorf("the embedded log: %w", taken(err))
		}
		p.eventLog = l
		p.onClose(l.Close)
		password, err := p.secrets.nodePassword()
		if err != nil {
			return err
		}
		own := wire.Config{
			Listen: p.cfg.EmbeddedKafka, Logger: p.log, Own: p.cfg.ownTopics(), Password: password,
			MaxProduce: p.budget.Log.Request, MaxFetch: p.budget.Log.Request / 2, KeepBytes: p.budget.Log.Connection,
		}
		if p.broker, err = wire.New(own, l); err != nil {
			return err
		}
		p.onClose(func() error { p.broker.Close(); return nil })
		p.running.Go(func() {
			if err := p.broker.Run(context.Background()); err != nil {
				p.log.Error("the embedded log is not served any more", "err", err)
			}
		})
		p.brokers = []string{p.broker.Addr()}
	}
	if p.cfg.inTheClear() {
		p.log.Warn("the password of Kafka goes over the network as it is: --kafka-sasl plain is without TLS")
	}
	var err error
	if p.client, err = p.newClient(); err != nil {
		return err
	}
	p.onClose(func() error { p.client.Close(); return nil })
	return nil
}

// taken says in words that another process has the directory.
func taken(err error) error {
	if errors.Is(err, syscall.EAGAIN) {
		return fmt.Errorf("another process has the directory open (%w)", err)
	}
	return err
}

func (p *program) newClient() (*kafka.Client, error) {
	c := kafka.Config{Brokers: p.brokers, ClientID: "ovation"}
	if p.broker != nil {
		c.Dial = func(context.Context, string, string) (net.Conn, error) { return p.broker.Dial() }
	}
	password, err := p.secrets.kafkaPassword(p.cfg.KafkaUser)
	if err != nil {
		return nil, err
	}
	if err := p.cfg.into(&c, password); err != nil {
		return nil, err
	}
	return kafka.New(c)
}

func (p *program) openStores(context.Context) error {
	var err error
	b := p.budget.Store
	shards := p.topics.journal.Partitions()
	o := storage.Options{
		Logger: p.log, CacheBytes: b.Cache, MemTableBytes: int(b.Buffer), SyncWithin: storeSyncWithin,
		GistBytes: b.ContentFilterBytes(), FilterBytes: b.FilterBytes(shards), SealRows: b.SealRows(shards), TailBytes: b.TailBytes(shards),
	}
	if p.store, err = storage.Open(filepath.Join(p.cfg.Data, "store"), o); err != nil {
		return fmt.Errorf("the store: %w", taken(err))
	}
	p.onClose(p.store.Close)
	if p.catalog, err = storage.OpenCatalog(filepath.Join(p.cfg.Data, "catalog"), storage.Options{Logger: p.log, CacheBytes: min(b.Cache/8, 8<<20), MemTableBytes: 1 << 20}); err != nil {
		return fmt.Errorf("the catalog's store: %w", err)
	}
	return nil // the catalog actor closes it
}

func (p *program) openAPI(context.Context) error {
	keys := p.secrets.Signing[0]
	base := cmp.Or(p.cfg.BaseURL, "http://"+p.public.Addr().String())
	var err error
	p.api, err = api.New(api.Config{
		Engine: engine{p.node}, Hasher: p.hasher, Now: time.Now, BaseURL: base, ByHost: p.cfg.BaseURL == "",
		Signer: signerOf(keys), TokenKey: p.secrets.Token, Logger: p.log, RememberedBytes: int(p.budget.API.Cached), InFlightBytes: p.budget.API.InFlight,
	})
	return err
}

// listen takes the public address; who connects waits until Run.
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
	p.adminServer = admin.NewServer(&p.gate)
	p.onClose(p.adminServer.Close)
	p.running.Go(func() { p.failed <- served(p.adminServer.Serve(p.admin)) })
	p.log.Info("starting", "admin", p.admin.Addr().String())
	return nil
}

// adminPort is the handler of the admin port, of a node that is open or waits for its catalog.
func (p *program) adminPort(token string) http.Handler {
	return admin.New(admin.Options{
		Engine: management{p}, Jobs: p.jobs(), Token: token, Metrics: p.metrics, Version: built(), Log: p.log,
	})
}

func (p *program) jobs() []admin.Job {
	const neverVerified, neverRebuilt = "the node has verified nothing yet", "the node has rebuilt nothing since it started"
	if p.verifier == nil { // the node waits for its catalog
		return []admin.Job{notOpen[verify.Order]("/verify", neverVerified), notOpen[verify.RebuildOrder]("/rebuild", neverRebuilt)}
	}
	return []admin.Job{
		admin.NewJob("/verify", neverVerified, p.verifier.Start, p.verifier.Last, p.verifier.Cancel),
		admin.NewJob("/rebuild", neverRebuilt, p.rebuilds.Start, p.rebuilds.Last, p.rebuilds.Cancel),
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

// Run serves until ctx ends, then drains: readiness goes false first, requests under
// way are answered, nothing new is taken.
func (p *program) Run(ctx context.Context) error {
	token, err := p.cfg.AdminPort.Token()
	if err != nil {
		return err
	}
	registerMetrics(p.metrics, p)
	p.metrics.MustRegister(newPollMetrics(p.api.Polls), newVerifyMetrics(p.verifier.Last), newFaultMetrics(p))
	p.gate.Open(p.adminPort(token))
	public := newPublicServer(p.api)
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	p.running.Go(func() { tuning.NewHeapKeeper(int64(p.cfg.Memory), p.node, p.log).Run(keeping) })
	p.running.Go(func() { p.failed <- served(public.Serve(p.public)) })
	select {
	case err = <-p.failed:
	case <-p.store.Failed(): // it opens again only in another process
		err = fmt.Errorf("the store failed: %w", p.store.Err())
	case <-ctx.Done():
	}
	p.drain.begin()
	p.log.Info("stopping: answering what is under way")
	over, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	return errors.Join(err, public.Shutdown(over), p.adminServer.Shutdown(over))
}

// drainTime bounds how long requests under way may take at a stop.
const drainTime = 15 * time.Second

// served is a server's error, if it did not end because it was told to.
func served(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// newPublicServer bounds slow and large requests; an answer has as long as a question
// may take. A header over the API's own bound, which is far lower, is a problem as other
// errors are; over this one net/http answers 431 itself.
func newPublicServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 2 << 20,
	}
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
