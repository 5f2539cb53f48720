package query

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Addresses finds the members that activities over HTTP are addressed to. Any goroutine may call it.
type Addresses struct {
	Shards []Shard
	Logs   Logs
}

// Addressed are the members that the addresses mean, in their order: of an identity the one that has it,
// also where it is merged into another; 0: none. Of an address that no commit knows the shard is read
// once more when it has applied what was in its log: what another node has answered is there then.
func (a *Addresses) Addressed(
	ctx context.Context, account domain.AccountID, to []domain.Addressee, wait domain.Position,
) ([]domain.MemberID, error) {
	if err := await(ctx, a.Logs, account, wait); err != nil {
		return nil, err
	}
	out := make([]domain.MemberID, len(to))
	unknown, err := a.addressed(ctx, account, to, out)
	if err != nil || len(unknown) == 0 {
		return out, err
	}
	ends := domain.Position{Journal: a.Logs.Journal()}
	for shard := range unknown {
		next, err := a.Logs.End(ctx, shard)
		if err != nil {
			return nil, domain.ErrUnavailable
		}
		ends = ends.Reach(domain.Position{Shards: []domain.ShardOffset{{Shard: shard, Next: next}}})
	}
	if err := await(ctx, a.Logs, account, ends); err != nil {
		return nil, err
	}
	_, err = a.addressed(ctx, account, to, out)
	return out, err
}

// addressed looks the addresses up as far as they are not known yet, and gives the shards of those that
// mean no member.
func (a *Addresses) addressed(
	ctx context.Context, account domain.AccountID, to []domain.Addressee, out []domain.MemberID,
) (unknown map[int]struct{}, err error) {
	for i, of := range to {
		if out[i] != 0 {
			continue
		}
		if out[i], err = a.holder(ctx, account, of); err != nil {
			return nil, err
		}
		if out[i] == 0 {
			if unknown == nil {
				unknown = map[int]struct{}{}
			}
			unknown[of.Slot().Shard(len(a.Shards))] = struct{}{}
		}
	}
	return unknown, nil
}

// holder is the member of an address as of the newest commit; 0: none. An identity whose member is erased
// is about to be free.
func (a *Addresses) holder(
	ctx context.Context, account domain.AccountID, of domain.Addressee,
) (domain.MemberID, error) {
	shard := a.Shards[of.Slot().Shard(len(a.Shards))]
	if of.Member != 0 {
		if !shard.Has(account, of.Member) {
			return 0, nil
		}
		return of.Member, nil
	}
	ids, _, err := shard.Resolve(ctx, account, []domain.Name{{Kind: domain.ByService, Hash: of.Identity}}, true)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	if a.Shards[ids[0].Slot().Shard(len(a.Shards))].Erased(account, ids[0]) {
		return 0, nil
	}
	return ids[0], nil
}
