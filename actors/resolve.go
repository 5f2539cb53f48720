package actors

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
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
		v := n.shared[i].acquireView()
		if v == nil {
			return nil, at, domain.ErrUnavailable
		}
		err := v.named(ctx, account, names, func(id domain.MemberID) { found = append(found, id) })
		at.Shards = append(at.Shards, domain.ShardOffset{Shard: i, Next: v.next})
		v.release()
		if err != nil {
			return nil, at, err
		}
	}
	slices.Sort(found)
	return slices.Compact(found), at, nil
}

// named calls f with the members that names of the shard name. A claim that is pending
// names nobody yet.
func (v *shardView) named(ctx context.Context, account domain.AccountID, names []domain.Name, f func(domain.MemberID)) error {
	for _, name := range names {
		if ctx.Err() != nil {
			return domain.ErrUnavailable
		}
		if name.Kind.Pointer() {
			if err := v.snapshot.Pointed(account, name.Hash, f); err != nil {
				return err
			}
			continue
		}
		i, ok, err := v.snapshot.Identity(account, name.Hash)
		if err != nil {
			return err
		}
		if ok && i.State == domain.Held {
			f(i.Member)
		}
	}
	return nil
}
