package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/credentials"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/activity"
	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	kafkatopics "github.com/ovation-analytics/ovation/ingest/kafka/topics"
	"github.com/ovation-analytics/ovation/storage/store"
)

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// brokerLife is the embedded log and its front, from a start to a stop or a cut.
type brokerLife struct {
	power *power
	log   *brokerlog.Log
	front *wire.Broker
	gate  *gate
	ended chan error
}

func startBroker(p *power) (*brokerLife, error) {
	l, err := brokerlog.Open("log", brokerlog.Options{FS: p.fs(), Logger: p.console, Now: p.now})
	if err != nil {
		return nil, err
	}
	if err := makeKeys(l); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	b := &brokerLife{power: p, log: l, gate: newGate(), ended: make(chan error, 1)}
	if b.front, err = wire.New(wire.Config{Listen: brokerAddress, Listener: b.gate, Logger: p.console}, l); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	go func() {
		b.ended <- b.front.Run(context.Background())
		close(b.ended)
	}()
	return b, nil
}

// makeKeys makes the topic of data keys: only a node may make one that is compacted, and the engine comes as a client.
func makeKeys(l *brokerlog.Log) error {
	if _, there := l.Topics.ByName(kafka.Keys); there {
		return nil
	}
	spec, settings := kafkatopics.Keys(""), map[string]string{}
	for _, s := range spec.Settings {
		settings[s.Name] = s.Value
	}
	_, err := l.Topics.Create(spec.Name, spec.Partitions, settings)
	return err
}

// stop may be called again.
func (b *brokerLife) stop() error {
	b.front.Close()
	return errors.Join(<-b.ended, b.log.Close())
}

// engineLife is the engine, every room of it but the ports, from a start to a stop or
// a cut.
type engineLife struct {
	*node.Node
	power  *power
	panics panics
	hits   *lifeHits
	off    func() bool // the broker's power
	asks   bool        // requests reach it; those of users go to another node else

	membership
}

// membership is what a node is in an installation of several.
type membership struct {
	id     domain.NodeID // zero: it does not join
	behind time.Duration // by which it reads the catalog late
	refuse time.Duration // --refuse-keys-after
}

const simShards = 2

// startEngine opens the engine as node.Open does. It gives up when the power is cut,
// and when that of its broker is.
func startEngine(p *power, w *wires, secrets *secrets.Secrets, hits *lifeHits, of membership) (_ *engineLife, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	broker := w.broker().power.off
	go func() {
		select {
		case <-p.off:
		case <-broker:
		case <-ctx.Done():
		}
		cancel()
	}()
	e := &engineLife{power: p, hits: hits, off: w.broker().power.isOff, asks: true, membership: of, Node: &node.Node{
		Config: config.Config{Shards: simShards, Memory: 8 << 20, PublicPort: config.PublicPort{RefuseKeysAfter: of.refuse}}, Log: p.console, Secrets: secrets, ID: of.id,
	}}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if e.Hasher, err = activity.NewHasher(secrets.Pepper[:]); err != nil {
		return nil, err
	}
	if e.Logs.Client, err = kafka.New(kafka.Config{Brokers: []string{brokerAddress}, ClientID: "ovation", Dial: w.dialer(p)}); err != nil {
		return nil, err
	}
	e.OnClose(func() error { e.Logs.Client.Close(); return nil })
	for _, step := range []func(context.Context) error{
		e.findTopics, e.openDisks, e.OpenActors, e.SettleLayout, e.openKeys, e.StartActors, e.answer, e.join,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (e *engineLife) findTopics(ctx context.Context) error {
	if _, err := kafkatopics.Ensure(ctx, e.Logs.Client, kafkatopics.Of("", simShards, simPartitions)); err != nil {
		return err
	}
	t := &e.Logs.Topics
	journal, err := ingest.OpenLog(ctx, e.Logs.Client, kafka.Journal, kafka.LZ4)
	if err != nil {
		return err
	}
	catalog, err := ingest.OpenLog(ctx, e.Logs.Client, kafka.Catalog, kafka.LZ4)
	if err != nil {
		return err
	}
	t.Journal = usageLog{panicLog{node.EventLog{Log: journal}, &e.panics.journal}, e.hits, e.off}
	t.Catalog = panicLog{lateLog{node.EventLog{Log: catalog}, e.behind}, &e.panics.catalog}
	t.Counts = new(activity.Stats)
	s, err := ingest.OpenSource(ctx, e.Logs.Client, ingest.SourceConfig{
		Topic: kafka.Activities, Journal: journal.Topic(), Hasher: e.Hasher, Stats: t.Counts,
	})
	if err != nil {
		return err
	}
	t.Source = node.PublicTopic{Source: s}
	t.Letters, err = ingest.NewDeadLetters(e.Logs.Client, kafka.DeadLetters, s, journal)
	return err
}

func (e *engineLife) openDisks(context.Context) error {
	var err error
	e.Stores.Store, err = store.Open("store", store.Options{FS: e.power.fs(), Logger: e.Log, CacheBytes: 1 << 20, MemTableBytes: 64 << 10, SealRows: 40})
	if err != nil {
		return err
	}
	e.OnClose(e.Stores.Store.Close)
	e.Stores.Catalog, err = store.OpenCatalog("catalog", store.Options{FS: e.power.fs(), CacheBytes: 1 << 20, MemTableBytes: 64 << 10})
	return err
}

func (e *engineLife) answer(context.Context) error {
	asked, err := testNetworks()
	if err != nil {
		return err
	}
	hooks, err := e.OpenWebhooks() // no receiver is reached: none is public
	if err != nil {
		return err
	}
	e.API, err = api.New(api.Config{
		Engine: hitCounter{node.Engine{Node: e.Actors}, e.hits}, Hasher: e.Hasher, Now: time.Now, BaseURL: "http://sim.test", Signing: e.Secrets.PrivateHalves(),
		TokenKey: e.Secrets.Token, Logger: e.Log, Keys: e.Stores.Keys.Keeper, Webhooks: hooks, LogRetention: node.KeptEmbedded, Lookups: api.Lookups{Networks: asked},
		HashCost: credentials.HashCost{Passes: 1, MemoryKiB: 8, Lanes: 1},
	})
	return err
}

// join takes part in an installation of several nodes.
func (e *engineLife) join(context.Context) error {
	if e.id == (domain.NodeID{}) {
		return nil
	}
	time.Sleep(2 * time.Millisecond) // no two processes of one machine begin at once
	e.Actors.Join(nodes.Self{
		Up:     domain.NodeUp{Address: "http://sim.test", Rules: domain.RulesVersion, Protocol: nodes.Protocol},
		IDFile: "node-id",
	}, ingest.NewBeats(e.Logs.Client, ""))
	return nil
}

// answers reports that the life has begun, and has power.
func (e *engineLife) answers() bool { return e != nil && e.API != nil && !e.power.isOff() }

// RoundTrip answers a request, unless the power is cut before the answer is out.
func (e *engineLife) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	e.API.ServeHTTP(w, r)
	if e.power.isOff() {
		return nil, errBroken
	}
	return w.Result(), nil
}

// speaks is a client of this life.
func (e *engineLife) speaks(key string) *client.Client {
	return client.New("http://sim.test", key).Over(&http.Client{Transport: e})
}

func newDisk() *vfs.MemFS { return vfs.NewCrashableMem() }
