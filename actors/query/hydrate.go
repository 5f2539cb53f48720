package query

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/trace"
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
	defer trace.From(ctx).Start("show").End()
	out, behind, err := c.show(ctx, account, items, wait)
	if !behind {
		return out, err
	}
	if err := await(ctx, c.o.Logs, account, wait); err != nil {
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
	ctx, cancel := context.WithTimeout(ctx, maxLife)
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

// Show reads what is not cached on a worker, unless too many questions wait.
func (l *Local) Show(ctx context.Context, m *Show, done func(*Shown)) {
	refuse := func(err error) { done(&Shown{Behind: errors.Is(err, errBehind), Err: domain.ErrUnavailable}) }
	v := l.acquire(m.Next)
	if v == nil {
		refuse(errBehind)
		return
	}
	out := &Shown{Items: make([]domain.Shown, len(m.Items))}
	missing := v.Cached(m.Account, m.Items, out.Items)
	if len(missing) > 0 {
		l.run(v, refuse, func(_ *scratch, v *view.View) { done(m.read(ctx, v, out, missing)) })
		return
	}
	m.places(v, out)
	v.Release()
	done(out)
}

// read reads what is missing, on a worker. A panic is an error of this question alone.
func (m *Show) read(ctx context.Context, v *view.View, out *Shown, missing []int) *Shown {
	defer func() {
		if r := recover(); r != nil {
			out.Err = &domain.Error{Code: domain.Internal, Op: "show", Err: fmt.Errorf("%v\n%s", r, debug.Stack())}
		}
	}()
	if ctx.Err() != nil {
		out.Err = domain.ErrUnavailable
		return out
	}
	if out.Err = m.contents(v, out.Items, missing); out.Err != nil {
		return out
	}
	if out.Err = m.members(v, out.Items, missing); out.Err != nil {
		return out
	}
	v.Cache(m.Items, out.Items, missing)
	m.places(v, out)
	return out
}

// places are where the visits among the items were made.
func (m *Show) places(v *view.View, out *Shown) {
	for i := range m.Items {
		row := m.Items[i].Row
		row.Account = m.Account
		out.Items[i].Place = placeOf(v, &row)
	}
}

// contents reads the contents of the items that have a row.
func (m *Show) contents(v *view.View, out []domain.Shown, missing []int) error {
	rows := make([]domain.Row, 0, len(missing))
	of := make([]int, 0, len(missing))
	for _, i := range missing {
		if row := m.Items[i].Row; row.Seq != 0 {
			row.Account = m.Account
			rows = append(rows, row)
			of = append(of, i)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	contents, err := v.Snapshot.Contents(rows)
	if err != nil {
		return fmt.Errorf("read contents: %w", err)
	}
	for n, i := range of {
		out[i].Content = contents[n]
	}
	return nil
}

// members reads the members of the items that are not cached, those active ones of the account, in
// the order of their keys.
func (m *Show) members(v *view.View, out []domain.Shown, missing []int) error {
	found := make(map[domain.MemberID]*domain.Member, len(missing))
	ords := make([]domain.Ordinal, 0, len(missing))
	for _, i := range missing {
		id := m.Items[i].Member
		at, ok := v.Roster.Find(id)
		if _, again := found[id]; again || !ok || at.Account != m.Account {
			continue
		}
		found[id] = out[i].Member
		if out[i].Member == nil {
			ords = append(ords, at.Ord)
		}
	}
	slices.Sort(ords)
	err := v.Snapshot.Members(m.Account, ords, func(x *domain.Member) {
		if x.State == domain.MemberActive {
			found[x.ID] = x
		}
	})
	if err != nil {
		return fmt.Errorf("read members: %w", err)
	}
	for _, i := range missing {
		out[i].Member = found[m.Items[i].Member]
	}
	return nil
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
