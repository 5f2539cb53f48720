package actors

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/view"
)

// A feed is asked for in two rounds: shards find and count its rows by their columns,
// and what the rows of the page say, and who did them, is asked of the shards that
// have them.

// labels is the id of an account's brand by its dense number. It reads the newest
// catalog, since a shard's view may hold rows of a brand that is newer than the
// question.
func (n *Node) labels(account domain.AccountID) func(dense uint32) domain.BrandID {
	return func(dense uint32) domain.BrandID {
		ids := n.Catalog().BrandIDs(account)
		if dense == brand.Visits || int(dense) > len(ids) {
			return 0
		}
		return ids[dense-1]
	}
}

// says reads contents until nobody waits for them any more.
func (m *ask) says(s view.Snapshot) brand.Says {
	return func(rows []domain.Row, f func(i int, recorded int64, content []byte)) error {
		if m.ctx.Err() != nil {
			return domain.ErrUnavailable
		}
		return s.Says(rows, f)
	}
}

// search looks through contents until nobody waits for them any more.
func (m *ask) search(s view.Snapshot) brand.Search {
	return func(b domain.BrandID, in domain.Range, sought *domain.Sought) error {
		nowhere := func(int) int { return -1 }
		while := *sought
		while.Near = func(text []byte, gist []uint64) func(int) int {
			if m.ctx.Err() != nil {
				return nowhere
			}
			return sought.Near(text, gist)
		}
		err := s.Search(m.question.Account, b, in, &while)
		if err == nil && m.ctx.Err() != nil {
			return domain.ErrUnavailable
		}
		return err
	}
}

// named gives a feed's rows their members.
func named(f *domain.Feed, crowd *member.Crowd) *domain.Feed {
	if f == nil {
		return nil
	}
	for i := range f.Items {
		item := &f.Items[i]
		item.Member = crowd.ID(item.Row.Ord)
		item.Row.Slot = item.Member.Slot()
	}
	return f
}

// Show is what a feed shows of each of the items beside its row, as of wait or later.
// Row and Member of an item are looked at; they may be from any answer.
func (n *Node) Show(ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position) ([]domain.Shown, error) {
	out, behind, err := n.show(ctx, account, items, wait)
	if !behind {
		return out, err
	}
	if err := n.Await(ctx, wait); err != nil {
		return nil, err
	}
	if out, behind, err = n.show(ctx, account, items, wait); behind {
		return nil, domain.ErrUnavailable
	}
	return out, err
}

// show asks each shard once; behind says that one has not applied wait.
func (n *Node) show(ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position) (out []domain.Shown, behind bool, err error) {
	n.turns.begin()
	defer n.turns.end()
	type part struct {
		at     []int
		items  []domain.FeedItem
		future *actor.Future
	}
	parts := map[int]*part{}
	for i := range items {
		shard := items[i].Member.Slot().Shard(n.shards)
		p := parts[shard]
		if p == nil {
			p = &part{}
			parts[shard] = p
		}
		p.at, p.items = append(p.at, i), append(p.items, items[i])
	}
	for shard, p := range parts {
		m := &show{ctx: ctx, account: account, items: p.items, next: wait.Next(shard)}
		p.future = n.system.Root.RequestFuture(n.desks[shard], m, patience(ctx))
	}
	out = make([]domain.Shown, len(items))
	for _, p := range parts {
		v, err := p.future.Result()
		if err != nil {
			return nil, false, domain.ErrUnavailable
		}
		s, ok := v.(*shown)
		if !ok {
			return nil, true, nil
		}
		if s.err != nil {
			return nil, false, s.err
		}
		for i, at := range p.at {
			out[at] = s.items[i]
		}
	}
	return out, false, nil
}

// from reads what is asked for, on a worker. A panic is an error of this question
// alone.
func (m *show) from(v *view.View) (out *shown) {
	out = &shown{items: make([]domain.Shown, len(m.items))}
	defer func() {
		if r := recover(); r != nil {
			out.err = &domain.Error{Code: domain.Internal, Op: "show", Err: fmt.Errorf("%v\n%s", r, debug.Stack())}
		}
	}()
	if m.ctx.Err() != nil {
		out.err = domain.ErrUnavailable
		return out
	}
	rows := make([]domain.Row, len(m.items))
	for i := range m.items {
		rows[i] = m.items[i].Row
		rows[i].Account = m.account
	}
	contents, err := v.Snapshot.Contents(rows)
	if err != nil {
		out.err = fmt.Errorf("read contents: %w", err)
		return out
	}
	met := map[domain.MemberID]*domain.Member{}
	for i := range m.items {
		id := m.items[i].Member
		who, ok := met[id]
		if !ok {
			if who, err = memberOf(v, m.account, id); err != nil {
				out.err = err
				return out
			}
			met[id] = who
		}
		out.items[i] = domain.Shown{Content: contents[i], Member: who}
	}
	return out
}

// memberOf is a member of the account; nil: there is none.
func memberOf(v *view.View, account domain.AccountID, id domain.MemberID) (*domain.Member, error) {
	place, ok := v.Roster.Find(id)
	if !ok || place.Account != account {
		return nil, nil
	}
	m, err := v.Snapshot.Member(account, place.Ord)
	if err != nil {
		return nil, fmt.Errorf("read a member: %w", err)
	}
	if m == nil || m.State != domain.MemberActive {
		return nil, nil
	}
	return m, nil
}
