package node

import (
	"context"
	"errors"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Management is the node as the admin port needs it, opening or open.
type Management struct{ p *Node }

// Management is the node for its admin port.
func (n *Node) Management() Management { return Management{n} }

// Submit appends a catalog command and waits for its outcome.
func (m Management) Submit(ctx context.Context, s domain.Submission) (domain.Outcome, error) {
	return m.p.Actors.Submit(ctx, s)
}

// Directory is the newest state of the catalog.
func (m Management) Directory() admin.Directory { return m.p.Actors.Catalog() }

// AcceptGap lets a stopped partition be read on.
func (m Management) AcceptGap(ctx context.Context, topic string, partition int, force bool) (domain.AcceptGap, error) {
	prefix := m.p.Config.TopicPrefix
	switch topic {
	case prefix + kafka.Journal:
		return m.p.Actors.AcceptGap(ctx, true, partition, force)
	case prefix + kafka.Activities:
		return m.p.Actors.AcceptGap(ctx, false, partition, force)
	case prefix + kafka.Catalog:
		if partition == 0 {
			return m.p.Actors.AcceptCatalogGap(ctx)
		}
	}
	return domain.AcceptGap{}, domain.Bad(domain.NotFound, "topic", "no topic of that name is read on behind a gap")
}

// SetAsideRecord makes a dead letter of the record at which a shard of this node stopped.
func (m Management) SetAsideRecord(ctx context.Context, shard int, offset int64, force bool) error {
	return m.p.Actors.SetAsideRecord(ctx, shard, offset, force)
}

// RemoveNode takes a node off the list for good; one that is alive must be forced.
func (m Management) RemoveNode(ctx context.Context, id domain.NodeID, force bool) error {
	return m.p.Actors.RemoveNode(ctx, id, force)
}

// Status is the node as it is now.
func (m Management) Status() any { return m.p.Shown().Read() }

// Ready is nil when the node answers and is to be asked.
func (m Management) Ready() error {
	if m.p.ports.drain.begun() {
		return domain.Fail(domain.Unavailable, "the node is stopping")
	}
	if m.p.Logs.Embedded != nil && m.p.Logs.Embedded.Err() != nil {
		return m.p.Logs.Embedded.Err()
	}
	return m.p.Actors.Ready()
}

// Degraded is what has stopped while the node answers rightly: a partition of the public
// topic, or appends to a full disk or by a clock that is wrong.
func (m Management) Degraded() error {
	var whys []string
	switch l := m.p.Shown().ReadLog(); {
	case l == nil || l.Refusing == "":
	case l.Unstamped:
		whys = append(whys, "the embedded log stamps nothing, what is written is refused; what is published to activities is kept and counts once the clock is right: "+l.Refusing)
	default:
		whys = append(whys, "the embedded log takes nothing, what is published and written is refused: "+l.Refusing)
	}
	if k := m.p.Shown().ReadKeys(); k != nil && k.Stopped != "" {
		whys = append(whys, k.Stopped)
	} else if k != nil && k.Refusing != "" {
		whys = append(whys, "no member can be registered, since no data key can be written: "+k.Refusing)
	}
	err := m.p.Actors.Degraded()
	if len(whys) == 0 {
		return err
	}
	if err != nil {
		whys = append(whys, err.Error())
	}
	return errors.New(strings.Join(whys, "; "))
}

// Shown is this node for /status and the metrics.
func (n *Node) Shown() *status.Source {
	unopened := func() ([]domain.MemberID, uint64) { return nil, 0 }
	if n.API != nil {
		unopened = n.API.Unopened
	}
	return &status.Source{
		Unopened: unopened,
		Engine:   n.Actors, Store: n.Stores.Store, Log: n.Logs.Embedded, Broker: n.Logs.Broker, Activities: n.Logs.Topics.Counts,
		Replication: n.Logs.Topics.Replication, Budget: int64(n.Config.Memory), ByHost: n.Config.BaseURL == "",
		Stopping: n.ports.drain.begun, Verifier: n.Verifier, Rebuilder: n.Rebuilder,
		Keys: status.KeySource{Store: n.Stores.Keys.Store, Replica: n.Stores.Keys.replica, Keeper: n.Stores.Keys.Keeper},
	}
}
