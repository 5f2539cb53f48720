package actors

import (
	"github.com/ovation-analytics/ovation/actors/shard"
)

// KeepResident says anew how much memory columns may take, over all shards; 0: no bound.
// A shard that has more evicts them when it is told, one that gets more within
// lookEveryCommits commits.
func (n *Node) KeepResident(bytes int64) {
	n.resident.Store(bytes)
	if !n.started.Load() || bytes == 0 {
		return
	}
	each := bytes / int64(n.shards)
	for i, s := range n.shared {
		if s.Stats.Columns.Load() > each {
			n.system.Root.Send(n.pids[i], &shard.KeepLess{})
		}
	}
}

// Resident is how much they take, each shard's as of when it looked last.
func (n *Node) Resident() (bytes int64) {
	for _, s := range n.shared {
		bytes += s.Stats.Columns.Load()
	}
	return bytes
}
