package personal

import (
	"context"
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/port"
)

// Engine is an engine whose members are opened. Of a member who is erased between the reading and
// the opening there is no data key any more: it is read once more then, and is gone. One that is there and
// cannot be opened is bare: no answer fails for it.
type Engine struct {
	port.Engine
	Sealer *Sealer
}

// Member is a member of the account, opened and united with those that are merged into it.
func (e Engine) Member(
	ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position,
) (*domain.Member, domain.Position, error) {
	return e.member(ctx, account, id, wait, e.Engine.Member, e.Sealer.unite)
}

// MemberRecord is the own record of a member of the account, opened. Those of members merged into it
// are as they were stored.
func (e Engine) MemberRecord(
	ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position,
) (*domain.Member, domain.Position, error) {
	return e.member(ctx, account, id, wait, e.Engine.MemberRecord, e.Sealer.open)
}

func (e Engine) member(
	ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position,
	read func(
		context.Context, domain.AccountID, domain.MemberID, domain.Position,
	) (*domain.Member, domain.Position, error),
	open func(context.Context, []*domain.Member, *openedCache, bool) ([]*domain.Member, error),
) (m *domain.Member, at domain.Position, err error) {
	err = twice(func(last bool) error {
		if m, at, err = read(ctx, account, id, wait); err != nil {
			return err
		}
		opened, err := open(ctx, []*domain.Member{m}, nil, last)
		if err == nil {
			m = opened[0]
		}
		return err
	})
	if err != nil {
		m = nil
	}
	return m, at, err
}

// Show is what a feed shows of each of the items beside its row, with opened and united members,
// and opened visits.
func (e Engine) Show(
	ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position,
) (shown []domain.Shown, err error) {
	err = twice(func(last bool) error {
		if shown, err = e.Engine.Show(ctx, account, items, wait); err != nil {
			return err
		}
		members := make([]*domain.Member, len(shown))
		for i := range shown {
			members[i] = shown[i].Member
		}
		if members, err = e.Sealer.unite(ctx, members, e.Sealer.shown, last); err != nil {
			return err
		}
		for i := range shown {
			shown[i].Member = members[i]
		}
		return e.Sealer.openVisits(ctx, account, items, shown, last)
	})
	if err != nil {
		shown = nil
	}
	return shown, err
}

// twice reads and opens, and does so once more where a data key is missing.
func twice(read func(last bool) error) error {
	err := read(false)
	if errors.Is(err, errNoKey) {
		err = read(true)
	}
	return err
}
