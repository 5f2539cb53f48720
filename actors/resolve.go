package actors

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// ResolveAll is the members that the names name as of the newest commits, ascending,
// each once: all of those that a pointer names. Each shard is read as of one commit.
func (n *Node) ResolveAll(ctx context.Context, account domain.AccountID, names []domain.Name, wait domain.Position) ([]domain.MemberID, domain.Position, error) {
	at := domain.Position{Journal: n.o.Journal.Topic(), Catalog: n.Catalog().Next()}
	if err := n.Await(ctx, wait); err != nil {
		return nil, at, err
	}
	byShard := make([][]domain.Name, n.shards)
	for _, name := range names {
		i := name.Hash.Slot().Shard(n.shards)
		byShard[i] = append(byShard[i], name)
	}
	var found []domain.MemberID
	for i, names := range byShard {
		if len(names) == 0 {
			continue
		}
		v := n.shared[i].view.Acquire()
		if v == nil {
			return nil, at, domain.ErrUnavailable
		}
		err := resolveNames(v, ctx, account, names, func(id domain.MemberID) { found = append(found, id) })
		at.Shards = append(at.Shards, domain.ShardOffset{Shard: i, Next: v.Next})
		v.Release()
		if err != nil {
			return nil, at, err
		}
	}
	slices.Sort(found)
	return slices.Compact(found), at, nil
}

// resolveNames calls f with the members that names of the shard name. A claim that is pending
// names nobody yet.
func resolveNames(v *view.View, ctx context.Context, account domain.AccountID, names []domain.Name, f func(domain.MemberID)) error {
	for _, name := range names {
		if ctx.Err() != nil {
			return domain.ErrUnavailable
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
