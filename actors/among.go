package actors

import (
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/nodes"
)

// among is this node among those of its installation: the list is the catalog's, who beats is the membership's. It is
// known from the start, before the node has joined. Any goroutine.
type among struct {
	id       domain.NodeID
	catalog  func() *catalog.View
	snapshot func() *nodes.Snapshot // nil: no beat was read yet
}

// Self is this node.
func (a *among) Self() domain.NodeID { return a.id }

// Alone reports that no other node is listed.
func (a *among) Alone() bool { return a.others() == 0 }

// others is how many other nodes are listed.
func (a *among) others() (n int) {
	if a.id.IsZero() {
		return 0
	}
	for _, listed := range a.catalog().Nodes() {
		if listed.ID != a.id {
			n++
		}
	}
	return n
}

// Beats reports that a node is listed and was not silent for long, also one that said that it ends.
func (a *among) Beats(id domain.NodeID) bool { return a.snapshot().Beats(id) }

// Rank is the place of this node for a partition of the public topic. Before a beat was read it comes after all that
// are listed.
func (a *among) Rank(partition int) int { return a.RankOf(a.id, partition) }

// RankOf is that of any node.
func (a *among) RankOf(id domain.NodeID, partition int) int {
	others := a.others()
	if others == 0 {
		return 0
	}
	s := a.snapshot()
	if s == nil {
		return others
	}
	return s.RankOf(id, nodes.Routing, partition)
}
