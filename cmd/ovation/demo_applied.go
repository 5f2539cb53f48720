package main

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// brokerAddress is where collectors publish.
func (p *program) brokerAddress() string { return p.brokers[0] }

// caughtUp reports that all that was in the public topic when it was asked is
// applied and committed.
func (p *program) caughtUp(ctx context.Context) bool {
	n, err := p.topics.source.Partitions(ctx)
	if err != nil || p.node.Ready() != nil {
		return false
	}
	ends := map[int]int64{}
	for i := range n {
		if ends[i], err = p.topics.source.End(ctx, i); err != nil {
			return false
		}
	}
	st := p.node.Status()
	if len(st.Routers) < n {
		return false
	}
	for _, r := range st.Routers {
		if r.Next < ends[r.Partition] {
			return false
		}
	}
	for i := range st.Shards {
		end, err := p.topics.journal.End(ctx, i)
		if err != nil || p.node.Await(ctx, domain.Position{Shards: []domain.ShardOffset{{Shard: i, Next: end}}}) != nil {
			return false
		}
	}
	return true
}
