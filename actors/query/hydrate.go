package query

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// A feed is asked for in two rounds: shards find and count its rows by their columns, and the
// contents of the rows of the page, with their members, are asked of the shards that have
// them.

// Show is what a feed shows of each of the items beside its row, as of wait or later.
// Row and Member of an item are looked at; they may be from any answer.
func (c *Coordinator) Show(
	ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position,
) ([]domain.Shown, error) {
	out, behind, err := c.show(ctx, account, items, wait)
	if !behind {
		return out, err
	}
	if err := c.o.Logs.Await(ctx, wait); err != nil {
		return nil, err
	}
	if out, behind, err = c.show(ctx, account, items, wait); behind {
		return nil, domain.ErrUnavailable
	}
	return out, err
}

// show asks each shard once; behind says that one has not applied wait.
func (c *Coordinator) show(
	ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position,
) (out []domain.Shown, behind bool, err error) {
	c.o.Yield.Begin()
	defer c.o.Yield.End()
	type part struct {
		at     []int
		m      Show
		answer chan *Shown
	}
	parts := map[int]*part{}
	for i := range items {
		shard := items[i].Member.Slot().Shard(len(c.o.Shards))
		p := parts[shard]
		if p == nil {
			p = &part{m: Show{Account: account, Next: wait.Next(shard)}, answer: make(chan *Shown, 1)}
			parts[shard] = p
		}
		p.at = append(p.at, i)
		p.m.Items = append(p.m.Items, items[i])
	}
	ctx, cancel := context.WithTimeout(ctx, patience(ctx))
	defer cancel()
	for shard, p := range parts {
		c.o.Shards[shard].Show(ctx, &p.m, func(s *Shown) { p.answer <- s })
	}
	out = make([]domain.Shown, len(items))
	for _, p := range parts {
		select {
		case s := <-p.answer:
			if s.Behind || s.Err != nil {
				return nil, s.Behind, s.Err
			}
			for i, at := range p.at {
				out[at] = s.Items[i]
			}
		case <-ctx.Done():
			return nil, false, domain.ErrUnavailable
		}
	}
	return out, false, nil
}

// Show reads on a worker, unless too many questions wait.
func (l *Local) Show(ctx context.Context, m *Show, done func(*Shown)) {
	refuse := func(err error) { done(&Shown{Behind: errors.Is(err, errBehind), Err: domain.ErrUnavailable}) }
	l.offer(m.Next, refuse, func(_ *scratch, v *view.View) { done(m.read(ctx, v)) })
}

// read reads what is asked for, on a worker. A panic is an error of this question
// alone.
func (m *Show) read(ctx context.Context, v *view.View) (out *Shown) {
	out = &Shown{Items: make([]domain.Shown, len(m.Items))}
	defer func() {
		if r := recover(); r != nil {
			out.Err = &domain.Error{Code: domain.Internal, Op: "show", Err: fmt.Errorf("%v\n%s", r, debug.Stack())}
		}
	}()
	if ctx.Err() != nil {
		out.Err = domain.ErrUnavailable
		return out
	}
	rows := make([]domain.Row, len(m.Items))
	for i := range m.Items {
		rows[i] = m.Items[i].Row
		rows[i].Account = m.Account
	}
	contents, err := v.Snapshot.Contents(rows)
	if err != nil {
		out.Err = fmt.Errorf("read contents: %w", err)
		return out
	}
	met, err := m.members(v)
	if err != nil {
		out.Err = err
		return out
	}
	for i := range m.Items {
		out.Items[i] = domain.Shown{Content: contents[i], Member: met[m.Items[i].Member], Place: placeOf(v, &rows[i])}
	}
	return out
}

// members are the active members of the account that the items name, read in the order of their
// keys.
func (m *Show) members(v *view.View) (map[domain.MemberID]*domain.Member, error) {
	met := make(map[domain.MemberID]*domain.Member, len(m.Items))
	ords := make([]domain.Ordinal, 0, len(m.Items))
	for i := range m.Items {
		at, ok := v.Roster.Find(m.Items[i].Member)
		if _, again := met[m.Items[i].Member]; again || !ok || at.Account != m.Account {
			continue
		}
		met[m.Items[i].Member] = nil
		ords = append(ords, at.Ord)
	}
	slices.Sort(ords)
	err := v.Snapshot.Members(m.Account, ords, func(x *domain.Member) {
		if x.State == domain.MemberActive {
			met[x.ID] = x
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	return met, nil
}

// recordOf is what there is of a member of the account, whatever its state; nil: nothing.
func recordOf(v *view.View, account domain.AccountID, id domain.MemberID) (*domain.Member, error) {
	place, ok := v.Roster.Find(id)
	if !ok || place.Account != account {
		return nil, nil
	}
	m, err := v.Snapshot.Member(account, place.Ord)
	if err != nil {
		return nil, fmt.Errorf("read a member: %w", err)
	}
	return m, nil
}
