package personal

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/port"
)

// Engine is an engine whose members are opened.
type Engine struct {
	port.Engine
	Sealer *Sealer
}

// Member is a member of the account, opened.
func (e Engine) Member(
	ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position,
) (*domain.Member, domain.Position, error) {
	m, at, err := e.Engine.Member(ctx, account, id, wait)
	if err != nil {
		return m, at, err
	}
	opened, err := e.Sealer.Open(ctx, []*domain.Member{m})
	if err != nil {
		return nil, at, err
	}
	return opened[0], at, nil
}

// Show is what a feed shows of each of the items beside its row, with opened members and visits.
func (e Engine) Show(
	ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position,
) ([]domain.Shown, error) {
	shown, err := e.Engine.Show(ctx, account, items, wait)
	if err != nil {
		return shown, err
	}
	members := make([]*domain.Member, len(shown))
	for i := range shown {
		members[i] = shown[i].Member
	}
	if members, err = e.Sealer.Open(ctx, members); err != nil {
		return nil, err
	}
	for i := range shown {
		shown[i].Member = members[i]
	}
	return shown, e.Sealer.openVisits(ctx, account, items, shown)
}
