package view

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Set has the views of all shards, by id.
type Set struct {
	Holders []*Holder
	Dense   func(domain.AccountID, domain.BrandID) (uint32, bool) // of a brand that the account has or had
	Now     func() time.Time
}

// Versions are those of now: an answer made after them holds as long as Unchanged reports it.
func (s Set) Versions() domain.Versions {
	m := make(domain.Versions, len(s.Holders))
	for i, h := range s.Holders {
		if v := h.Peek(); v != nil {
			m[i] = v.Version // else 0, since when nothing is unchanged
		}
	}
	return m
}

// Unchanged reports that an answer with that read set, made after the versions, would be the
// same if it were made now: nothing that it was made of was changed since, and no action lies
// between the edges of a range and those of the one that it has become, moved[i] being that
// of f.Rows[i]. It scans nothing. The offsets are those of an answer made now. That the
// catalog is the same is the caller's to know.
func (s Set) Unchanged(account domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) ([]domain.ShardOffset, bool) {
	if len(since) != len(s.Holders) {
		return nil, false
	}
	views := make([]*View, len(s.Holders))
	look := func(shard int) *View { // the view first, its versions after: see Versions
		if views[shard] == nil {
			if v := s.Holders[shard].Peek(); v != nil && since[shard] >= v.versions.base {
				views[shard] = v
			}
		}
		return views[shard]
	}
	for _, id := range f.Members {
		shard := id.Slot().Shard(len(s.Holders))
		if v := look(shard); v == nil || v.versions.Record(id) > since[shard] {
			return nil, false
		}
	}
	for _, hash := range f.Names {
		shard := hash.Slot().Shard(len(s.Holders))
		if v := look(shard); v == nil || v.versions.Name(hash) > since[shard] {
			return nil, false
		}
	}
	var scanned []bool // nil: all
	if f.Among != nil {
		scanned = make([]bool, len(s.Holders))
	}
	for _, id := range f.Among {
		scanned[id.Slot().Shard(len(s.Holders))] = true
	}
	for shard := range s.Holders {
		if !f.Scans() || scanned != nil && !scanned[shard] {
			continue
		}
		if v := look(shard); v == nil || !s.unchangedIn(v, account, since[shard], f, moved) {
			return nil, false
		}
	}
	at := make([]domain.ShardOffset, 0, len(views))
	for i, v := range views {
		if v != nil {
			at = append(at, domain.ShardOffset{Shard: i, Next: v.Next})
		}
	}
	return at, true
}

// unchangedIn looks at what an account has in one shard.
func (s Set) unchangedIn(v *View, account domain.AccountID, since uint64, f *domain.ReadSet, moved []domain.Range) bool {
	av := v.Account(account)
	if av == nil {
		return true // the account has no member here
	}
	if attributesSince(&av.Versions.known, f.Known, since) || attributesSince(&av.Versions.any, f.Any, since) {
		return false
	}
	for i := range f.Rows {
		r, dense := &f.Rows[i], brand.EveryBrand
		if r.Brand != 0 {
			b, ok := s.Dense(account, r.Brand)
			if !ok {
				return false
			}
			dense = b
		}
		if av.Versions.rowsSince(dense, since) {
			return false
		}
		if moved[i] == r.Range {
			continue
		}
		if dense != brand.EveryBrand { // it is asked about, if only once a minute: it is to stay in memory
			av.Access.Note(dense, s.Now())
		}
		if av.Rows.Between(dense, between(r.Range.From, moved[i].From)) || av.Rows.Between(dense, between(r.Range.To, moved[i].To)) {
			return false
		}
	}
	return true
}

// between is what lies between two edges.
func between(a, b domain.Second) domain.Range { return domain.Range{From: min(a, b), To: max(a, b)} }
