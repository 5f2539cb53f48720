package actors

import (
	"context"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/nodes"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// Rules of applying. A partition is applied by the same rules on every node: by those that a Rules record in it names.
// A program that knows newer ones appends that record, one version after the other, once the programs of all nodes
// know it. So nodes of two versions run side by side, and a rolling upgrade changes nothing until its last node has
// joined.

// upgradeEvery is how often a node looks whether a partition can go on to newer rules.
const upgradeEvery = 10 * time.Second

// upgrades appends Rules to the partitions of shards that serve. One node does it for a shard; the one of rank i,
// where it was left undone for i rounds.
func (n *Node) upgrades(ctx context.Context) {
	undone := make([]int, n.count) // rounds, by shard
	for retry.Pause(ctx, upgradeEvery) {
		joined := n.membership.joined.Load()
		if joined == nil || !n.started.Load() {
			continue
		}
		for i, s := range n.here() {
			next := s.Stats.Rules.Load() + 1
			may := shard.Behaviour(s.Behaviour.Load()) == shard.Serving && next <= uint32(n.o.rules) && joined.AllKnow(next)
			if !may {
				undone[i] = 0
				continue
			}
			if joined.Rank(nodes.Upgrading, i) <= undone[i] {
				n.appenders[i].Post(domain.Record{
					Kind: domain.KindRules, Command: &domain.Rules{Version: uint16(next), Partition: uint32(i)},
				}, nil)
			}
			undone[i]++
		}
	}
}

// needsNewer ends a node that meets what needs a newer program before the shard served: it does not start. One that
// has served goes on with its other shards.
func (n *Node) needsNewer(err error) { n.membership.end(fmt.Errorf("%w; %s", err, upgrade)) }
