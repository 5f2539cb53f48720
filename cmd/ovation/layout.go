package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/storage"
)

// openNode opens the actors on the logs and the stores, and reads the catalog.
func (p *program) openNode(ctx context.Context) error {
	var trim func(context.Context, int, int64) error
	if p.eventLog != nil { // nobody else cuts the embedded log
		trim = func(ctx context.Context, partition int, before int64) error {
			_, err := p.client.DeleteRecords(ctx, p.cfg.TopicPrefix+kafka.Activities, partition, before)
			return err
		}
	}
	shards := p.topics.journal.Partitions()
	p.node = actors.New(actors.Options{
		Journal: p.topics.journal, Catalog: p.topics.catalog, Source: p.topics.source, DeadLetters: p.topics.letters,
		OpenShard: func(i int) (actors.ShardStore, error) {
			s, err := p.store.Shard(i)
			if err != nil {
				return nil, err
			}
			return shardStore{s}, nil
		},
		OpenCatalog: func() (actors.CatalogStore, error) { return catalogStore{p.catalog}, nil },
		Damaged:     storage.Damaged, TopicPrefix: p.cfg.TopicPrefix,
		Trim: trim, TrimAfter: time.Hour,
		ResidentBytes: int(p.budget.Shards.Columns), AwakeBytes: int(p.budget.Shards.Members), CachedIdentities: p.budget.Shards.Identities(shards),
		Workers: p.budget.Workers(), MaxRows: uint64(p.cfg.MaxRows),
		Incarnation: uint64(time.Now().UnixNano()),
		Log:         p.log,
	})
	p.onClose(func() error { return p.node.Stop(stopTime) })
	err := p.node.Open(ctx)
	if errors.Is(err, actors.ErrCatalogStopped) {
		err = p.catalogGoesOn(ctx, err)
	}
	if err != nil {
		return fmt.Errorf("the catalog cannot be read: %w", err)
	}
	return nil
}

// catalogGoesOn waits until an operator has helped the catalog on. Meanwhile the admin port
// is open: it says what helps, and takes the operator's word.
func (p *program) catalogGoesOn(ctx context.Context, err error) error {
	token, wrong := p.cfg.AdminPort.Token()
	if wrong != nil {
		return errors.Join(err, wrong)
	}
	p.log.Error("the node cannot start before its catalog can be read; the admin port is open", "err", err)
	p.gate.Open(p.adminPort(token))
	defer p.gate.Close()
	for errors.Is(err, actors.ErrCatalogStopped) {
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
		Node: p.node, Store: p.store, Adapt: func(s *storage.Shard) actors.ShardStore { return shardStore{s} },
		Shards: p.topics.journal.Partitions(), Memory: p.budget.Replay, SideBySide: p.budget.Replays(), Data: p.cfg.Data, Log: p.log,
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
	if p.node.Catalog().Layout() == nil {
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
	if n := p.topics.journal.Partitions(); n != l.Shards {
		return fmt.Errorf("the journal has %d partitions, the installation was made with %d shards", n, l.Shards)
	}
	return nil
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
