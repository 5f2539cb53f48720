package main

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/store"
)

// The rooms do not know each other. Where one names a type that another cannot
// return, a thin adapter is here.

// engine is the node as the API needs it.
type engine struct{ *actors.Node }

// Catalog is the newest state of the catalog.
func (e engine) Catalog() api.Catalog { return e.Node.Catalog() }

// management is the node as the admin port needs it, opening or open.
type management struct{ p *program }

// Submit appends a catalog command and waits for its outcome.
func (m management) Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error) {
	return m.p.node.Submit(ctx, s)
}

// Directory is the newest state of the catalog.
func (m management) Directory() admin.Directory { return m.p.node.Catalog() }

// AcceptGap lets a stopped partition be read on.
func (m management) AcceptGap(ctx context.Context, topic string, partition int) (domain.AcceptGap, error) {
	prefix := m.p.cfg.TopicPrefix
	switch topic {
	case prefix + kafka.Journal:
		return m.p.node.AcceptGap(ctx, true, partition)
	case prefix + kafka.Activities:
		return m.p.node.AcceptGap(ctx, false, partition)
	case prefix + kafka.Catalog:
		if partition == 0 {
			return m.p.node.AcceptCatalogGap(ctx)
		}
	}
	return domain.AcceptGap{}, domain.Bad(domain.NotFound, "topic", "no topic of that name is read on behind a gap")
}

// Status is the node as it is now.
func (m management) Status() any { return m.p.shown().Read() }

// Ready is nil when the node answers and is to be asked.
func (m management) Ready() error {
	if m.p.drain.begun() {
		return domain.Fail(domain.Unavailable, "the node is stopping")
	}
	if m.p.eventLog != nil && m.p.eventLog.Err() != nil {
		return m.p.eventLog.Err()
	}
	return m.p.node.Ready()
}

// Degraded is what has stopped while the node answers rightly: a partition of the public
// topic, or appends to a full disk or by a clock that is wrong.
func (m management) Degraded() error {
	var whys []string
	switch l := m.p.shown().ReadLog(); {
	case l == nil || l.Refusing == "":
	case l.Unstamped:
		whys = append(whys, "the embedded log stamps nothing, what is written is refused; what is published to activities is kept and counts once the clock is right: "+l.Refusing)
	default:
		whys = append(whys, "the embedded log takes nothing, what is published and written is refused: "+l.Refusing)
	}
	if k := m.p.shown().ReadKeys(); k != nil && k.Stopped != "" {
		whys = append(whys, k.Stopped)
	} else if k != nil && k.Refusing != "" {
		whys = append(whys, "no member can be registered, since no data key can be written: "+k.Refusing)
	}
	err := m.p.node.Degraded()
	if len(whys) == 0 {
		return err
	}
	if err != nil {
		whys = append(whys, err.Error())
	}
	return errors.New(strings.Join(whys, "; "))
}

// shown is this node for /status and the metrics.
func (p *program) shown() *status.Source {
	unopened := func() ([]domain.MemberID, uint64) { return nil, 0 }
	if p.api != nil {
		unopened = p.api.Unopened
	}
	return &status.Source{
		Unopened: unopened,
		Engine:   p.node, Store: p.store, Log: p.eventLog, Broker: p.broker, Activities: p.topics.counts,
		Replication: p.topics.replication,
		Stopping:    p.drain.begun, Verifier: p.verifier, Rebuilder: p.rebuilds,
		Keys: status.KeySource{Store: p.keys.store, Replica: p.keys.replica, Keeper: p.keys.keeper},
	}
}

// shardStore is a shard's part of the store as the shard needs it.
type shardStore struct{ *store.Shard }

// Snapshot is the store as of the last commit.
func (s shardStore) Snapshot() view.Snapshot { return s.Shard.Snapshot() }

// catalogStore is the catalog's store as the catalog needs it.
type catalogStore struct{ *store.Catalog }

// State is what was stored with the last commit.
func (s catalogStore) State() catalog.State { return catalog.State(s.Catalog.State()) }

// Commit stores entities and state.
func (s catalogStore) Commit(state catalog.State, entities []any) error {
	return s.Catalog.Commit(format.CatalogState(state), entities)
}

// drain is set when the node is about to stop.
type drain struct{ flag atomic.Bool }

func (d *drain) begin()      { d.flag.Store(true) }
func (d *drain) begun() bool { return d.flag.Load() }
