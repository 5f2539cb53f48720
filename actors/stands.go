package actors

import (
	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Mark is the moment of now: an answer made after it stands for as long as Stands says so.
func (n *Node) Mark() domain.Mark {
	m := make(domain.Mark, len(n.shared))
	for i, s := range n.shared {
		if v := s.view.Load(); v != nil {
			m[i] = v.version // else 0, since when nothing stands
		}
	}
	return m
}

// Stands reports that an answer with that footprint, made after the mark, would be the
// same if it were made now: nothing that it was made of was changed since, and no action
// lies between the edges of a range and those of the one that it has become, moved[i]
// being that of f.Rows[i]. It scans nothing. The position is that of an answer made now.
// That the catalog says the same is for the caller to know.
func (n *Node) Stands(account domain.AccountID, since domain.Mark, f *domain.Footprint, moved []domain.Range) (domain.Position, bool) {
	if len(since) != len(n.shared) {
		return domain.Position{}, false
	}
	catalog, views := n.Catalog(), make([]*shardView, len(n.shared))
	look := func(shard int) *shardView { // the view first, its stamps after: see stamps
		if views[shard] == nil {
			if v := n.shared[shard].view.Load(); v != nil && since[shard] >= v.stamps.base {
				views[shard] = v
			}
		}
		return views[shard]
	}
	for _, id := range f.Members {
		shard := id.Slot().Shard(n.shards)
		if v := look(shard); v == nil || v.stamps.record(id).Load() > since[shard] {
			return domain.Position{}, false
		}
	}
	for _, hash := range f.Names {
		shard := hash.Slot().Shard(n.shards)
		if v := look(shard); v == nil || v.stamps.name(hash).Load() > since[shard] {
			return domain.Position{}, false
		}
	}
	var scanned []bool // nil: all
	if f.Among != nil {
		scanned = make([]bool, len(n.shared))
	}
	for _, id := range f.Among {
		scanned[id.Slot().Shard(n.shards)] = true
	}
	for shard := range n.shared {
		if !f.Scans() || scanned != nil && !scanned[shard] {
			continue
		}
		if v := look(shard); v == nil || !n.standsIn(v, catalog, account, since[shard], f, moved) {
			return domain.Position{}, false
		}
	}
	at := domain.Position{Journal: n.o.Journal.Topic(), Catalog: catalog.Next(), Shards: make([]domain.ShardOffset, 0, len(views))}
	for i, v := range views {
		if v != nil {
			at.Shards = append(at.Shards, domain.ShardOffset{Shard: i, Next: v.next})
		}
	}
	return at, true
}

// standsIn looks at what an account has in one shard.
func (n *Node) standsIn(v *shardView, entities *catalog.View, account domain.AccountID, since uint64, f *domain.Footprint, moved []domain.Range) bool {
	av := v.accounts.Get(uint32(account))
	if av == nil {
		return true // nobody of the account lives here
	}
	if factsSince(&av.stamps.known, f.Known, since) || factsSince(&av.stamps.any, f.Any, since) {
		return false
	}
	for i := range f.Rows {
		r, dense := &f.Rows[i], brand.EveryBrand
		if r.Brand != 0 {
			b, ok := entities.AnyBrand(account, r.Brand)
			if !ok {
				return false
			}
			dense = b.Dense
		}
		if av.stamps.rowsSince(dense, since) {
			return false
		}
		if moved[i] == r.Range {
			continue
		}
		if dense != brand.EveryBrand { // it is asked about, if only once a minute: it is to stay in memory
			av.heat.ask(dense, n.o.Now())
		}
		if av.rows.Between(dense, between(r.Range.From, moved[i].From)) || av.rows.Between(dense, between(r.Range.To, moved[i].To)) {
			return false
		}
	}
	return true
}

// between is what lies between two edges.
func between(a, b domain.Second) domain.Range { return domain.Range{From: min(a, b), To: max(a, b)} }
