package query

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Versions are those of now: an answer made after them holds as long as Unchanged reports it.
func (c *Coordinator) Versions() domain.Versions {
	out := make(domain.Versions, len(c.o.Shards))
	for i, s := range c.o.Shards {
		out[i] = s.Version()
	}
	return out
}

// Unchanged reports that an answer with that read set, made after the versions, would be the
// same if it were made now: nothing that it was made of was changed since, and no action lies
// between the edges of a range and those of the one that it has become, moved[i] being that
// of f.Rows[i]. It scans nothing. The position is that of an answer made now. That the catalog
// is the same is the caller's to know.
func (c *Coordinator) Unchanged(
	account domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range,
) (domain.Position, bool) {
	if len(since) != len(c.o.Shards) {
		return domain.Position{}, false
	}
	at := c.position()
	at.Shards = make([]domain.ShardOffset, 0, len(since))
	for i, s := range c.o.Shards {
		next, ok := s.Unchanged(account, since[i], f, moved)
		if !ok {
			return domain.Position{}, false
		}
		if next >= 0 {
			at.Shards = append(at.Shards, domain.ShardOffset{Shard: i, Next: next})
		}
	}
	return at, true
}

// Version is that of the newest view.
func (l *Local) Version() uint64 {
	if v := l.Views.Peek(); v != nil {
		return v.Version
	}
	return 0 // since when nothing is unchanged
}

// Unchanged compares versions: the view is looked at first, its versions after it.
func (l *Local) Unchanged(
	account domain.AccountID, since uint64, f *domain.ReadSet, moved []domain.Range,
) (int64, bool) {
	v := l.Views.Peek()
	read := false
	for _, id := range f.Members {
		if id.Slot().Shard(l.Shards) != l.ID {
			continue
		}
		read = true
		if !v.Since(since) || v.Versions().Record(id) > since {
			return 0, false
		}
	}
	for _, hash := range f.Names {
		if hash.Slot().Shard(l.Shards) != l.ID {
			continue
		}
		read = true
		if !v.Since(since) || v.Versions().Name(hash) > since {
			return 0, false
		}
	}
	if f.Scans() && l.among(f) {
		read = true
		if !v.Since(since) || !l.rowsUnchanged(v, account, since, f, moved) {
			return 0, false
		}
	}
	if !read {
		return -1, true
	}
	return v.Next, true
}

// among reports that rows and attributes were read of the shard.
func (l *Local) among(f *domain.ReadSet) bool {
	if f.Among == nil {
		return true
	}
	for _, id := range f.Among {
		if id.Slot().Shard(l.Shards) == l.ID {
			return true
		}
	}
	return false
}

// rowsUnchanged looks at what an account has in the shard.
func (l *Local) rowsUnchanged(
	v *view.View, account domain.AccountID, since uint64, f *domain.ReadSet, moved []domain.Range,
) bool {
	av := v.Account(account)
	if av == nil {
		return true // the account has no member here
	}
	if av.Versions.AttributesSince(f, since) || f.Notices && av.Versions.NoticedSince(since) ||
		f.Memberships && av.Versions.ListedSince(since) {
		return false
	}
	for i := range f.Rows {
		r, dense := &f.Rows[i], rows.EveryBrand
		switch {
		case r.Visits:
			dense = rows.Visits
		case r.Brand != 0:
			b, ok := l.Catalog().AnyBrand(account, r.Brand)
			if !ok {
				return false
			}
			dense = b.Dense
		}
		if av.Versions.RowsSince(dense, since) {
			return false
		}
		if moved[i] == r.Range {
			continue
		}
		if dense != rows.EveryBrand { // it is asked about, if only once a minute: it is to stay in memory
			av.Access.Note(dense, l.Now())
		}
		if av.Rows.HasRowsIn(dense, between(r.Range.From, moved[i].From)) ||
			av.Rows.HasRowsIn(dense, between(r.Range.To, moved[i].To)) {
			return false
		}
	}
	return true
}

// between is what lies between two edges.
func between(a, b domain.Second) domain.Range { return domain.Range{From: min(a, b), To: max(a, b)} }
