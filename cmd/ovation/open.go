package main

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
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/demo"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	"github.com/ovation-analytics/ovation/cmd/ovation/size"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
	"github.com/ovation-analytics/ovation/storage/store"
)

// The steps of newProgram, in their order; those of the logs are in logs.go.

// incarnation tells this process from every other: two that start at one moment, too.
func incarnation() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return binary.BigEndian.Uint64(b[:])
}

// probe checks that the addresses are free, and opens what the API's port needs, before anything
// is made: a node that cannot listen leaves no directory.
func (p *program) probe(context.Context) error {
	if err := p.cfg.CheckData(); err != nil {
		return err
	}
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
	var err error
	p.port, err = openPublicPort(&p.cfg.PublicPort, p.log)
	p.onClose(p.port.close)
	if err != nil {
		return err
	}
	if p.port.networks, err = p.cfg.ReadNetworks(p.log); err != nil {
		return err
	}
	p.port.geo, err = p.cfg.OpenGeo(p.cfg.Memory, p.log)
	return err
}

// openMemory settles --memory and bounds the heap.
func (p *program) openMemory(context.Context) error {
	by := "--memory"
	if p.cfg.Memory == 0 {
		chosen, why, err := tuning.Choose(os.DirFS("/"))
		if err != nil {
			return err
		}
		p.cfg.Memory = size.Bytes(chosen)
		by = why
	}
	p.budget = tuning.Divide(int64(p.cfg.Memory))
	undo := tuning.BoundHeap(int64(p.cfg.Memory))
	p.onClose(func() error { undo(); return nil })
	p.log.Info("memory budget",
		"memory", p.cfg.Memory.String(), "by", by, "atMost", fmt.Sprintf("%dMiB", p.cfg.Memory/tuning.MiB*5/4))
	return nil
}

// awaitDisk waits for the disk headroom that opening writes into. A store that is opened
// without fails, and only another process can open it then.
func (p *program) awaitDisk(ctx context.Context) error {
	for waited := 0; ; waited++ {
		err := diskHeadroom(&p.cfg)
		if err == nil {
			if waited > 0 {
				p.log.Info("the disk has room again: starting")
			}
			return nil
		}
		if _, full := errors.AsType[*pebblefs.FullError](err); !full {
			return err
		}
		err = fmt.Errorf("the node waits for room on the disk and starts by itself when there is more; "+
			"free some, or grow it: %w", err)
		p.gate.Wait(err)
		if waited%60 == 0 {
			p.log.Warn("waiting for room on the disk", "err", err)
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

func (p *program) openSecrets(context.Context) error {
	if err := os.MkdirAll(p.cfg.Data, 0o700); err != nil {
		return err
	}
	stat, err := os.Stat(p.cfg.Data)
	if err != nil {
		return err
	}
	if mode := stat.Mode().Perm(); mode&0o077 != 0 {
		p.log.Warn(fmt.Sprintf("--data: %s: mode %04o lets others in; chmod 700 it", p.cfg.Data, mode))
	}
	if p.secrets, err = secrets.Open(p.cfg.SecretsFile(), p.cfg.Data, demo.Mark); err != nil {
		return err
	}
	p.hasher, err = activity.NewHasher(p.secrets.Pepper[:])
	return err
}

// storeSyncWithin is when the store has made a shard's commit durable: what a power cut
// takes of it is read from the journal again, some thousands of records at most.
const storeSyncWithin = 100 * time.Millisecond

func (p *program) openStores(context.Context) error {
	var err error
	b := p.budget.Store
	shards := p.topics.journal.Partitions()
	o := store.Options{
		Logger: p.log, CacheBytes: b.Cache, MemTableBytes: int(b.Buffer), SyncWithin: storeSyncWithin,
		ContentFilterBytes: b.ContentFilterBytes(), FilterBytes: b.FilterBytes(shards),
		SealRows: b.SealRows(shards), TailBytes: b.TailBytes(shards),
	}
	if p.store, err = store.Open(filepath.Join(p.cfg.Data, "store"), o); err != nil {
		return fmt.Errorf("the store: %w", explainLocked(err))
	}
	p.onClose(p.store.Close)
	p.catalog, err = store.OpenCatalog(filepath.Join(p.cfg.Data, "catalog"), store.Options{
		Logger: p.log, CacheBytes: min(b.Cache/8, 8<<20), MemTableBytes: 1 << 20,
	})
	if err != nil {
		return fmt.Errorf("the catalog's store: %w", err)
	}
	return nil // the catalog actor closes it
}

// explainLocked explains an error by which another process has the directory.
func explainLocked(err error) error {
	if errors.Is(err, syscall.EAGAIN) {
		return fmt.Errorf("another process has the directory open (%w)", err)
	}
	return err
}

// openNode opens the actors on the logs and the stores, and reads the catalog.
func (p *program) openNode(ctx context.Context) error {
	shards := p.topics.journal.Partitions()
	p.node = actors.New(actors.Options{
		Logs: actors.Logs{
			Journal: p.topics.journal, Catalog: p.topics.catalog, Source: p.topics.source, DeadLetters: p.topics.letters,
			DataKeys: &p.keys,
		},
		Stores: actors.Stores{
			OpenShard: func(i int) (shard.Store, error) {
				s, err := p.store.Shard(i)
				if err != nil {
					return nil, err
				}
				return shardStore{s}, nil
			},
			OpenCatalog: func() (catalog.Store, error) { return catalogStore{p.catalog}, nil },
			Damaged:     store.Damaged,
		},
		Memory: actors.Memory{
			ResidentBytes: int(p.budget.Shards.Columns), MemberBytes: int(p.budget.Shards.Members),
			CachedRecordBytes: int(p.budget.Shards.Records),
			CachedIdentities:  p.budget.Shards.Identities(shards),
		},
		Questions:   actors.Questions{Workers: p.budget.Workers(), MaxRows: uint64(p.cfg.MaxRows)},
		Retention:   p.retention(p.cfg.TopicPrefix),
		TopicPrefix: p.cfg.TopicPrefix,
		Incarnation: incarnation(),
		Log:         p.log,
	})
	p.onClose(func() error { return p.node.Stop(stopTime) })
	err := p.node.Open(ctx)
	if errors.Is(err, catalog.ErrStopped) {
		err = p.awaitCatalog(ctx, err)
	}
	if err != nil {
		return fmt.Errorf("the catalog cannot be read: %w", err)
	}
	return nil
}

// awaitCatalog waits until an operator has mended the catalog. Meanwhile the admin port is
// open: it says what helps, and takes the command.
func (p *program) awaitCatalog(ctx context.Context, err error) error {
	token, wrong := p.cfg.AdminPort.Token()
	if wrong != nil {
		return errors.Join(err, wrong)
	}
	p.log.Error("the node cannot start before its catalog can be read; the admin port is open", "err", err)
	p.gate.Open(p.adminPort(token))
	defer p.gate.Close()
	for errors.Is(err, catalog.ErrStopped) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
		err = p.node.CatchUp(ctx)
	}
	return err
}

// startNode starts the shards and the routers.
func (p *program) startNode(context.Context) (err error) {
	p.node.Start()
	p.verifier, p.rebuilds, err = verify.Open(verify.Config{
		Node: p.node, Store: p.store, Adapt: func(s *store.Shard) shard.Store { return shardStore{s} },
		Shards: p.topics.journal.Partitions(), Memory: p.budget.Replay, SideBySide: p.budget.Replays(),
		Data: p.cfg.Data, Log: p.log,
	})
	if err != nil {
		return err
	}
	p.onClose(p.verifier.Close)
	p.onClose(p.rebuilds.Close)
	return nil
}

// settleLayout makes the catalog's first record, or checks that this node belongs to
// the installation that made it: the same pepper, the same number of partitions.
func (p *program) settleLayout(ctx context.Context) error {
	n := p.topics.journal.Partitions()
	if p.node.Catalog().Layout() == nil {
		if n != p.cfg.Shards {
			return fmt.Errorf("the journal was made with %d partitions, --shards of this new installation is %d", n, p.cfg.Shards)
		}
		if err := p.makeLayout(ctx); err != nil {
			return fmt.Errorf("the layout cannot be written: %w", err)
		}
	}
	l := p.node.Catalog().Layout()
	if l == nil {
		return errors.New("the catalog has no layout")
	}
	if l.Check != p.hasher.Check() {
		return errors.New("the secrets are not those of this installation: their pepper is another one")
	}
	if n != l.Shards {
		return fmt.Errorf("the journal has %d partitions, the installation was made with %d shards", n, l.Shards)
	}
	if l.Shards != p.cfg.Shards {
		p.log.Warn("--shards is of new installations only: this one has its own number", "shards", l.Shards, "flag", p.cfg.Shards)
	}
	return settleKeys(ctx, p)
}

func (p *program) makeLayout(ctx context.Context) error {
	s := domain.Submission{Command: &domain.Layout{
		Shards: p.topics.journal.Partitions(), Journal: p.topics.journal.Topic(), Source: p.topics.source.Topic(),
		Check: p.hasher.Check(), At: time.Now().UnixMilli(),
	}}
	_, _ = rand.Read(s.Request[:]) // never fails
	out, err := p.node.Submit(ctx, s)
	if err != nil {
		return err
	}
	return out.Err()
}

func (p *program) openAPI(context.Context) error {
	base := cmp.Or(p.cfg.BaseURL, p.cfg.Scheme()+"://"+p.public.Addr().String())
	var err error
	p.api, err = api.New(api.Config{
		Engine: engine{p.node}, Hasher: p.hasher, Now: time.Now, BaseURL: base, ByHost: p.cfg.BaseURL == "",
		Signing: p.secrets.PrivateHalves(), TokenKey: p.secrets.Token, Keys: p.keys.keeper, LogRetention: p.topics.kept, Logger: p.log, Access: p.port.accessLogger(), Proxies: p.cfg.Proxies(), Demo: p.cfg.Demo,
		Lookups: api.Lookups{Geo: p.port.located(), Networks: p.port.networks},
		Memory: api.Memory{
			CacheBytes: int(p.budget.API.Cached), OpenedBytes: int(p.budget.API.Opened), InFlightBytes: p.budget.API.InFlight,
			HashBytes: p.budget.API.Hashes, BeforeHash: tuning.NewHeapRoom().For,
		},
	})
	return err
}

// settleKeys publishes the signing keys of this node's secrets.
func settleKeys(ctx context.Context, p *program) error {
	op, now := admin.NewOperator(p.node), time.Now()
	err := secrets.PublishSigningKeys(ctx, op, p.node.Catalog().SigningKeys(), p.secrets.Signing, now)
	if domain.CodeOf(err) == domain.Conflict {
		return fmt.Errorf("the secrets are not those of this installation: %w", err)
	}
	if err != nil {
		return err
	}
	secrets.WarnWithoutKey(p.log, p.node.Catalog().SigningKeys(), p.secrets.Signing, now)
	return nil
}
