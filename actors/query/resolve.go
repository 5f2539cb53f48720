package query

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// Member is a member of the account as of the newest commit. Of one who was merged into another the
// error is domain.Merged, and the position that at which it is known.
func (c *Coordinator) Member(
	ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position,
) (*domain.Member, domain.Position, error) {
	m, at, err := c.MemberRecord(ctx, account, id, wait)
	if err != nil || !m.IsLent() {
		return m, at, err
	}
	into, at, err := c.survivor(account, m, at)
	if err == nil {
		err = domain.Merged(into)
	}
	return nil, at, err
}

// survivor is the member that one stands for who was merged: of a member that is merged itself the
// one that it stands for. Where that one is erased the error is domain.ErrErased: so are those who were
// merged into it, or about to be.
func (c *Coordinator) survivor(
	account domain.AccountID, m *domain.Member, at domain.Position,
) (domain.MemberID, domain.Position, error) {
	for range longestChain {
		shard := m.Lent.To.Slot().Shard(len(c.o.Shards))
		into, next, err := c.o.Shards[shard].Member(account, m.Lent.To)
		at = at.Reach(domain.Position{Shards: []domain.ShardOffset{{Shard: shard, Next: next}}})
		if err != nil || into == nil || !into.IsLent() {
			return m.Lent.To, at, err
		}
		m = into
	}
	return 0, at, domain.ErrUnavailable
}

// longestChain is how many merges are followed from a member to the one that it stands for: more are
// of shards between whose views two members were merged now this way, now that.
const longestChain = 1000

// MemberRecord is the record of a member of the account as of the newest commit, also of one who was
// merged into another: what is addressed to that one's own identities is applied to it.
func (c *Coordinator) MemberRecord(
	ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position,
) (*domain.Member, domain.Position, error) {
	if err := await(ctx, c.o.Logs, account, wait); err != nil {
		return nil, domain.Position{}, err
	}
	at := c.position()
	shard := id.Slot().Shard(len(c.o.Shards))
	m, next, err := c.o.Shards[shard].Member(account, id)
	at.Shards = []domain.ShardOffset{{Shard: shard, Next: next}}
	if m == nil && err == nil {
		err = domain.Bad(domain.NotFound, "memberid", "no such member")
	}
	return m, at, err
}

// Erased reports that the member of the account is known to be erased.
func (c *Coordinator) Erased(account domain.AccountID, id domain.MemberID) bool {
	return c.o.Shards[id.Slot().Shard(len(c.o.Shards))].Erased(account, id)
}

// Resolve is the member that an identity of the kind names as of the newest commit; of those
// that a pointer names the one created first; 0: none.
func (c *Coordinator) Resolve(
	ctx context.Context, account domain.AccountID, kind domain.IdentityKind, hash domain.IdentityHash,
	wait domain.Position,
) (domain.MemberID, domain.Position, error) {
	found, at, err := c.resolve(ctx, account, []domain.Name{{Kind: kind, Hash: hash}}, true, wait)
	if err != nil || len(found) == 0 {
		return 0, at, err
	}
	return found[0], at, nil
}

// ResolveAll is the members that the names name as of the newest commits, ascending, each
// once: all of those that a pointer names. Each shard is read as of one commit.
func (c *Coordinator) ResolveAll(
	ctx context.Context, account domain.AccountID, names []domain.Name, wait domain.Position,
) ([]domain.MemberID, domain.Position, error) {
	found, at, err := c.resolve(ctx, account, names, false, wait)
	slices.Sort(found)
	return slices.Compact(found), at, err
}

func (c *Coordinator) resolve(
	ctx context.Context, account domain.AccountID, names []domain.Name, earliest bool, wait domain.Position,
) ([]domain.MemberID, domain.Position, error) {
	if err := await(ctx, c.o.Logs, account, wait); err != nil {
		return nil, c.position(), err
	}
	at := c.position()
	byShard := make([][]domain.Name, len(c.o.Shards))
	for _, name := range names {
		i := name.Hash.Slot().Shard(len(c.o.Shards))
		byShard[i] = append(byShard[i], name)
	}
	var found []domain.MemberID
	for i, names := range byShard {
		if len(names) == 0 {
			continue
		}
		ids, next, err := c.o.Shards[i].Resolve(ctx, account, names, earliest)
		if err != nil {
			return nil, at, err
		}
		found = append(found, ids...)
		at.Shards = append(at.Shards, domain.ShardOffset{Shard: i, Next: next})
	}
	return found, at, nil
}

// position is that of the newest catalog, without shards.
func (c *Coordinator) position() domain.Position {
	return domain.Position{Journal: c.o.Logs.Journal(), Catalog: c.o.Logs.Catalog().Next()}
}

// Member reads on the caller's goroutine. One who is erased is domain.ErrErased.
func (l *Local) Member(account domain.AccountID, id domain.MemberID) (*domain.Member, int64, error) {
	v := l.Views.Acquire()
	if v == nil {
		return nil, 0, domain.ErrUnavailable
	}
	defer v.Release()
	m, err := recordOf(v, account, id)
	switch {
	case m == nil || m.State == domain.MemberActive:
		return m, v.Next, err
	case m.State == domain.MemberErased:
		return nil, v.Next, domain.ErrErased
	}
	return nil, v.Next, err
}

// Has looks at the view.
func (l *Local) Has(account domain.AccountID, id domain.MemberID) bool {
	v := l.Views.Acquire()
	if v == nil {
		return false
	}
	defer v.Release()
	place, ok := v.Roster.Find(id)
	return ok && place.Account == account
}

// Erased looks at the view. Only of a member that answers do not show the record is read.
func (l *Local) Erased(account domain.AccountID, id domain.MemberID) bool {
	v := l.Views.Acquire()
	if v == nil {
		return false
	}
	defer v.Release()
	place, ok := v.Roster.Find(id)
	of := v.Account(account)
	if !ok || place.Account != account || of == nil || of.Members.Shows(place.Ord) {
		return false
	}
	m, err := v.Snapshot.Member(account, place.Ord)
	return err == nil && m != nil && m.State == domain.MemberErased
}

// Resolve reads on the caller's goroutine.
func (l *Local) Resolve(
	ctx context.Context, account domain.AccountID, names []domain.Name, earliest bool,
) (found []domain.MemberID, next int64, err error) {
	v := l.Views.Acquire()
	if v == nil {
		return nil, 0, domain.ErrUnavailable
	}
	defer v.Release()
	err = resolveNames(ctx, v, account, names, earliest, func(id domain.MemberID) { found = append(found, id) })
	return found, v.Next, err
}

// resolveNames calls f with the members that names of the shard name. A claim that is pending
// names no member yet.
func resolveNames(
	ctx context.Context, v *view.View, account domain.AccountID, names []domain.Name, earliest bool,
	f func(domain.MemberID),
) error {
	for _, name := range names {
		if ctx.Err() != nil {
			return domain.ErrUnavailable
		}
		if name.Kind.Pointer() && earliest {
			id, err := v.Snapshot.Earliest(account, name.Hash)
			if err != nil {
				return err
			}
			if id != 0 {
				f(id)
			}
			continue
		}
		if name.Kind.Pointer() {
			if err := v.Snapshot.Pointed(account, name.Hash, f); err != nil {
				return err
			}
			continue
		}
		i, ok, err := v.Snapshot.Identity(account, name.Hash)
		if err != nil {
			return err
		}
		if ok && i.State == domain.Held {
			f(i.Member)
		}
	}
	return nil
}
