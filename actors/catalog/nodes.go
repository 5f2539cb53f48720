package catalog

import (
	"bytes"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Node is what the list of nodes says of a node, one that is gone too; nil: it was never listed.
func (v *View) Node(id domain.NodeID) *domain.Node { return v.nodes[id] }

// Nodes are the nodes that are listed, by id.
func (v *View) Nodes() []*domain.Node {
	var listed []*domain.Node
	for _, n := range v.nodes {
		if n.Listed() {
			listed = append(listed, n)
		}
	}
	slices.SortFunc(listed, func(a, b *domain.Node) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return listed
}

func putNode(v *View, n *domain.Node) {
	v.nodes = maps.Clone(v.nodes)
	if v.nodes == nil {
		v.nodes = map[domain.NodeID]*domain.Node{}
	}
	v.nodes[n.ID] = n
}

func (l *ledger) nodeUp(c *domain.NodeUp) domain.Outcome {
	old := l.view.nodes[c.ID]
	if old != nil && old.Removed() {
		return domain.Failed(domain.Bad(domain.Conflict, "id", "the node was removed by an operator"))
	}
	since := c.At
	if old != nil && old.Listed() {
		since = old.Since
	}
	l.keep(&domain.Node{
		ID: c.ID, Address: c.Address, Zone: c.Zone, Rules: c.Rules, Protocol: c.Protocol, Program: c.Program, Since: since,
	})
	return domain.Outcome{New: old == nil || !old.Listed()}
}

func (l *ledger) nodeGone(c *domain.NodeGone) domain.Outcome {
	old := l.view.nodes[c.ID]
	switch {
	case old == nil:
		return domain.Failed(domain.Bad(domain.NotFound, "id", "no such node"))
	case old.Removed(), !old.Listed() && c.By != domain.GoneByOperator:
		return domain.Outcome{}
	}
	gone := *old
	gone.Gone = max(c.At, 1) // 0 says that it is listed
	gone.By = c.By
	l.keep(&gone)
	return domain.Outcome{}
}
