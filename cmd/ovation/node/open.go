package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/demo"
	"github.com/ovation-analytics/ovation/cmd/ovation/dlq"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/cmd/ovation/size"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
	"github.com/ovation-analytics/ovation/storage/store"
)

// The steps of Open, in their order; those of the logs are in openlogs.go, those of the keys in openkeys.go.

// incarnation tells this process from every other: two that start at one moment, too.
func incarnation() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return binary.BigEndian.Uint64(b[:])
}

// probe checks that the addresses are free, and opens what the API's port needs, before anything
// is made: a node that cannot listen leaves no directory.
func (n *Node) probe(context.Context) error {
	if err := n.Config.CheckData(); err != nil {
		return err
	}
	type address struct{ flag, at string }
	addresses := []address{{"--http", n.Config.HTTP}, {"--admin", n.Config.AdminPort.Admin}}
	if len(n.Config.Kafka) == 0 {
		addresses = append(addresses, address{"--embedded-kafka", n.Config.EmbeddedKafka})
	}
	for _, a := range addresses {
		l, err := net.Listen("tcp", a.at)
		if err != nil {
			return fmt.Errorf("%s: %w", a.flag, err)
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	var err error
	n.ports.port, err = openPublicPort(&n.Config.PublicPort, n.Log)
	n.OnClose(n.ports.port.close)
	if err != nil {
		return err
	}
	if n.ports.port.networks, err = n.Config.PrivateFiles.ReadNetworks(n.Log); err != nil {
		return err
	}
	n.ports.port.geo, err = n.Config.PublicPort.OpenGeo(n.Config.Memory, n.Log)
	return err
}

// openMemory settles --memory and bounds the heap.
func (n *Node) openMemory(context.Context) error {
	by := "--memory"
	switch {
	case n.Config.Memory == 0 && n.Config.Demo: // a year of 3,000 fans fits, and it takes little of a machine that does something else
		n.Config.Memory = tuning.MinMemory
		by = "the least, for a demo"
	case n.Config.Memory == 0:
		chosen, why, err := tuning.Choose(os.DirFS("/"))
		if err != nil {
			return err
		}
		n.Config.Memory = size.Bytes(chosen)
		by = why
	}
	n.Budget = tuning.Divide(int64(n.Config.Memory))
	undo := tuning.BoundHeap(int64(n.Config.Memory))
	n.OnClose(func() error { undo(); return nil })
	n.Log.Info("memory budget",
		"memory", n.Config.Memory.String(), "by", by, "atMost", fmt.Sprintf("%dMiB", n.Config.Memory/tuning.MiB*5/4))
	return nil
}

// awaitDisk waits for the disk headroom that opening writes into. A store that is opened
// without fails, and only another process can open it then.
func (n *Node) awaitDisk(ctx context.Context) error {
	for waited := 0; ; waited++ {
		err := diskHeadroom(&n.Config)
		if err == nil {
			if waited > 0 {
				n.Log.Info("the disk has room again: starting")
			}
			return nil
		}
		if _, full := errors.AsType[*pebblefs.FullError](err); !full {
			return err
		}
		err = fmt.Errorf("the node waits for room on the disk and starts by itself when there is more; "+
			"free some, or grow it: %w", err)
		n.ports.gate.Wait(err)
		if waited%60 == 0 {
			n.Log.Warn("waiting for room on the disk", "err", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// diskHeadroom is nil, or which directory cannot be opened for want of it.
func diskHeadroom(c *config.Config) error {
	for _, dir := range c.DataDirs() {
		if err := pebblefs.CanOpen(nil, dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

func (n *Node) openSecrets(context.Context) error {
	n.made = missing(append([]string{n.Config.Data}, n.Config.DataDirs()...))
	if err := os.MkdirAll(n.Config.Data, 0o700); err != nil {
		return err
	}
	stat, err := os.Stat(n.Config.Data)
	if err != nil {
		return err
	}
	if mode := stat.Mode().Perm(); mode&0o077 != 0 {
		n.Log.Warn(fmt.Sprintf("--data: %s: mode %04o lets others in; chmod 700 it", n.Config.Data, mode))
	}
	if n.Secrets, err = secrets.Open(n.Config.SecretsFile(), n.Config.Data, demo.Mark); err != nil {
		return err
	}
	if len(n.Config.Kafka) == 0 { // a log of its own in a new directory is of no installation
		return n.keepSecrets()
	}
	return nil
}

// storeSyncWithin is when the store has made a shard's commit durable: what a power cut
// takes of it is read from the journal again, some thousands of records at most.
const storeSyncWithin = 100 * time.Millisecond

func (n *Node) openStores(context.Context) error {
	var err error
	b := n.Budget.Store
	shards := n.Logs.Topics.Journal.Partitions()
	o := store.Options{
		Logger: n.Log, CacheBytes: b.Cache, MemTableBytes: int(b.Buffer), SyncWithin: storeSyncWithin,
		ContentFilterBytes: b.ContentFilterBytes(), FilterBytes: b.FilterBytes(shards),
		SealRows: b.SealRows(shards), TailBytes: b.TailBytes(shards),
	}
	if n.Stores.Store, err = store.Open(filepath.Join(n.Config.Data, "store"), o); err != nil {
		return fmt.Errorf("the store: %w", ExplainLocked(err))
	}
	n.OnClose(n.Stores.Store.Close)
	n.Stores.Catalog, err = store.OpenCatalog(filepath.Join(n.Config.Data, "catalog"), store.Options{
		Logger: n.Log, CacheBytes: min(b.Cache/8, 8<<20), MemTableBytes: 1 << 20,
	})
	if err != nil {
		return fmt.Errorf("the catalog's store: %w", err)
	}
	return nil // the catalog actor closes it
}

// ExplainLocked explains an error by which another process has the directory.
func ExplainLocked(err error) error {
	if errors.Is(err, syscall.EAGAIN) {
		return fmt.Errorf("another process has the directory open (%w)", err)
	}
	return err
}

// OpenActors opens the actors on the logs and the stores, and reads the catalog.
func (n *Node) OpenActors(ctx context.Context) error {
	shards := n.Logs.Topics.Journal.Partitions()
	n.Actors = actors.New(actors.Options{
		Logs: actors.Logs{
			Journal: n.Logs.Topics.Journal, Catalog: n.Logs.Topics.Catalog, Source: n.Logs.Topics.Source, DeadLetters: n.Logs.Topics.Letters,
			DataKeys: &n.Stores.Keys, WhileReached: n.Logs.Client.WhileReached,
		},
		Stores: actors.Stores{
			OpenShard: func(i int) (shard.Store, error) {
				s, err := n.Stores.Store.Shard(i)
				if err != nil {
					return nil, err
				}
				return shardStore{s}, nil
			},
			OpenCatalog: func() (catalog.Store, error) { return catalogStore{n.Stores.Catalog}, nil },
			Damaged:     store.Damaged,
		},
		Memory: actors.Memory{
			ResidentBytes: int(n.Budget.Shards.Columns), MemberBytes: int(n.Budget.Shards.Members),
			CachedRecordBytes: int(n.Budget.Shards.Records),
			CachedIdentities:  n.Budget.Shards.Identities(shards),
		},
		Questions:   actors.Questions{Workers: n.Budget.Workers(), MaxRows: uint64(n.Config.MaxRows)},
		Retention:   n.Logs.Retention(n.Config.TopicPrefix),
		Traces:      n.Tracing.Records(),
		TopicPrefix: n.Config.TopicPrefix, RefuseKeysAfter: n.Config.PublicPort.RefuseKeysAfter,
		ID:          n.ID,
		Incarnation: incarnation(),
		Clock:       &n.Clock,
		Log:         n.Log,
	})
	n.OnClose(func() error { return n.Actors.Stop(stopTime) })
	err := n.Actors.Open(ctx)
	if errors.Is(err, catalog.ErrStopped) && !errors.Is(err, domain.ErrNewer) { // which an operator cannot mend here
		err = n.awaitCatalog(ctx, err)
	}
	if err != nil {
		return fmt.Errorf("the catalog cannot be read: %w", err)
	}
	return nil
}

// awaitCatalog waits until an operator has mended the catalog. Meanwhile the admin port is
// open: it says what helps, and takes the command.
func (n *Node) awaitCatalog(ctx context.Context, err error) error {
	token, wrong := n.Config.AdminPort.Token()
	if wrong != nil {
		return errors.Join(err, wrong)
	}
	n.Log.Error("the node cannot start before its catalog can be read; the admin port is open", "err", err)
	n.ports.gate.Open(n.adminPort(token))
	defer n.ports.gate.Close()
	for errors.Is(err, catalog.ErrStopped) && !errors.Is(err, domain.ErrNewer) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
		err = n.Actors.CatchUp(ctx)
	}
	return err
}

// StartActors starts the shards and the routers.
func (n *Node) StartActors(context.Context) (err error) {
	n.Actors.Start()
	n.Verifier, n.Rebuilder, err = verify.Open(verify.Config{
		Node: n.Actors, Store: n.Stores.Store, Adapt: func(s *store.Shard) shard.Store { return shardStore{s} },
		Shards: n.Logs.Topics.Journal.Partitions(), Memory: n.Budget.Replay, SideBySide: n.Budget.Replays(),
		Data: n.Config.Data, Log: n.Log,
	})
	if err != nil {
		return err
	}
	n.OnClose(n.Verifier.Close)
	n.OnClose(n.Rebuilder.Close)
	n.DeadLetters = dlq.NewService(func(ctx context.Context) (*dlq.Log, error) { return dlq.Open(ctx, n.Logs.Client, n.Config.TopicPrefix) }, n.Log)
	n.OnClose(n.DeadLetters.Close)
	return nil
}

// base is the address of the API: where clients reach it, or where it listens.
func (n *Node) base() string {
	return cmp.Or(n.Config.BaseURL, n.Config.PublicPort.Scheme()+"://"+n.ports.public.Addr().String())
}

func (n *Node) openAPI(context.Context) error {
	base := n.base()
	of, err := n.OpenWebhooks()
	if err != nil {
		return err
	}
	n.Webhooks = n.NewSender(of)
	by, err := n.signIns()
	if err != nil {
		return err
	}
	n.API, err = api.New(api.Config{
		Engine: Engine{n.Actors}, Hasher: n.Hasher, Now: time.Now, TimeOfDay: n.Clock.At, BaseURL: base, ByHost: n.Config.BaseURL == "",
		Signing: n.Secrets.PrivateHalves(), TokenKey: n.Secrets.Token, Keys: n.Stores.Keys.Keeper, Webhooks: of, SignIns: by, LogRetention: n.Logs.Topics.kept, Logger: n.Log, Access: n.ports.port.accessLogger(), Proxies: n.Config.BehindProxy.Proxies(), Demo: n.Config.Demo,
		Tracer:  n.tracer(),
		Lookups: api.Lookups{Geo: n.ports.port.located(), Networks: n.ports.port.networks},
		Memory: api.Memory{
			CacheBytes: int(n.Budget.API.Cached), OpenedBytes: int(n.Budget.API.Opened), InFlightBytes: n.Budget.API.InFlight,
			HashBytes: n.Budget.API.Hashes, BeforeHash: tuning.NewHeapRoom().For,
		},
	})
	return err
}

// listen opens the public address; connections wait until Run.
func (n *Node) listen(context.Context) error {
	var err error
	if n.ports.public, err = net.Listen("tcp", n.Config.HTTP); err != nil {
		return err
	}
	n.OnClose(closed(n.ports.public))
	return nil
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
