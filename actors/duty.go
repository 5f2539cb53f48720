package actors

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// publishingDuty is which node publishes the outbox of a shard, by the ranks of the nodes.
type publishingDuty struct {
	n     *Node
	shard int
}

// Node is this node.
func (d publishingDuty) Node() domain.NodeID { return d.n.among.Self() }

// Rank is this node's; below zero while others are listed and not seen yet.
func (d publishingDuty) Rank() int {
	s := d.n.membership.current()
	if s == nil && !d.Alone() {
		return -1
	}
	return s.Rank(nodes.Publishing, d.shard)
}

// RankOf is that of any node.
func (d publishingDuty) RankOf(id domain.NodeID) int {
	return d.n.membership.current().RankOf(id, nodes.Publishing, d.shard)
}

// Alone reports that the catalog lists no other node.
func (d publishingDuty) Alone() bool { return d.n.among.Alone() }

// Receiver is a shard of this node; nil: it is not here.
func (d publishingDuty) Receiver(id int) *shard.Handle {
	if !d.n.started.Load() {
		return nil // the others are being started
	}
	h, err := d.n.shards.handle(id)
	if err != nil {
		return nil
	}
	return h
}

// looks has each shard look again and again whether it is to publish, where there are other nodes, and once more
// when there are none any more.
func (n *Node) looks(ctx context.Context) {
	for others := false; retry.Pause(ctx, shard.LookEvery); {
		had := others
		others = !n.among.Alone() || len(n.membership.current().Others()) > 0
		if others || had {
			n.broadcast(&shard.Look{})
		}
	}
}
