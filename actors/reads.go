package actors

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// viewSet has the views of all shards.
func (n *Node) viewSet() view.Set {
	s := view.Set{Holders: make([]*view.Holder, len(n.shared)), Now: n.o.Now}
	for i, shared := range n.shared {
		s.Holders[i] = &shared.view
	}
	s.Dense = func(account domain.AccountID, id domain.BrandID) (uint32, bool) {
		b, ok := n.Catalog().AnyBrand(account, id)
		if !ok {
			return 0, false
		}
		return b.Dense, true
	}
	return s
}

// Versions are those of now: an answer made after them holds as long as Unchanged reports it.
func (n *Node) Versions() domain.Versions { return n.views.Versions() }

// Unchanged reports that an answer with that read set, made after the versions, would be the
// same if it were made now, at the position: see view.Set. That the catalog is the same is
// the caller's to know.
func (n *Node) Unchanged(account domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) (domain.Position, bool) {
	catalog := n.Catalog().Next()
	shards, ok := n.views.Unchanged(account, since, f, moved)
	if !ok {
		return domain.Position{}, false
	}
	return domain.Position{Journal: n.o.Journal.Topic(), Catalog: catalog, Shards: shards}, true
}
