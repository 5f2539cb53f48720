package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/view"
)

// A merged member that a question names stands for the one that it was merged into. The shard of the
// member named knows it: before shards are chosen by the names, the shards of all names are asked,
// and their views are among those that have to agree.

// names is what is known of members that a question names.
type names struct {
	shards []Shard               // those of the named members, by id; nil: of another one
	views  []lookedUp            // that they were looked up in; of shards that were not given one has no handovers
	merged []domain.MergedMember // named ones that were merged, and those that they were merged into
}

// lookedUp is a view that the names were looked up in.
type lookedUp struct {
	shard int
	Survivors
}

// survivors finds out which of the members were merged, and of those that they were merged into. Of
// each shard it looks at one view, not older than wait and the floors.
func (c *Coordinator) survivors(
	ctx context.Context, account domain.AccountID, ids []domain.MemberID, wait domain.Position, f floors,
) (names, error) {
	for {
		n := names{}
		one := true
		for ask := ids; len(ask) > 0 && one; {
			merged := len(n.merged)
			shards := c.shardsWith(ask)
			named := n.shards == nil
			if named {
				n.shards = shards
			}
			for i, shard := range shards {
				if shard == nil {
					continue
				}
				m := Named{Account: account, Members: ask, Next: wait.Next(i)}
				if f != nil {
					m.Handovers = f[i]
				}
				s, err := shard.Survivors(ctx, m)
				if err != nil {
					return n, err
				}
				one = n.add(i, s, named) && one
			}
			ask = n.unknown(merged)
		}
		if one {
			return n, nil
		}
		if !retry.Pause(ctx, roundPause) {
			return n, domain.ErrUnavailable
		}
	}
}

// Survivors are the members that a list stands for as of the newest commits, ascending, each once: of
// one who was merged into another that one.
func (c *Coordinator) Survivors(
	ctx context.Context, account domain.AccountID, ids []domain.MemberID, wait domain.Position,
) ([]domain.MemberID, domain.Position, error) {
	if err := await(ctx, c.o.Logs, account, wait); err != nil {
		return nil, c.position(), err
	}
	ctx, cancel := context.WithTimeout(ctx, maxLife)
	defer cancel()
	f := make(floors, len(c.o.Shards))
	var last []Apart
	for {
		n, err := c.survivors(ctx, account, ids, wait, f)
		at := c.position()
		if err != nil {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) && len(last) > 0 {
				err = c.o.Apart.note(last)
			}
			return nil, at, err
		}
		views := n.seen(nil)
		if !f.check(views) {
			last = apart(views)
			retry.Pause(ctx, roundPause)
			continue
		}
		c.o.Apart.agreed(views)
		for i := range n.views {
			v := &n.views[i]
			at = at.Reach(domain.Position{Shards: []domain.ShardOffset{{Shard: v.shard, Next: v.Next}}})
		}
		return survivorsOf(ids, n.into()), at, nil
	}
}

// add adds what a shard says, of members that the question names or of others; false where it said
// something earlier, of another view.
func (n *names) add(shard int, s Survivors, named bool) bool {
	n.merged = append(n.merged, s.Merged...)
	v := n.view(shard)
	switch {
	case v != nil:
		return reached(v.Handovers, s.Handovers) && reached(s.Handovers, v.Handovers)
	case named && len(s.Handovers) == 0:
		return true
	}
	n.views = append(n.views, lookedUp{shard, s})
	return named || n.shards[shard] == nil || len(s.Handovers) == 0
}

// view is that of a shard; nil: it has none, or one without handovers.
func (n *names) view(shard int) *lookedUp {
	for i := range n.views {
		if v := &n.views[i]; v.shard == shard {
			return v
		}
	}
	return nil
}

// seen appends them to others.
func (n *names) seen(all []viewState) []viewState {
	for i := range n.views {
		v := &n.views[i]
		all = append(all, viewState{v.shard, v.Handovers})
	}
	for i, shard := range n.shards {
		if shard != nil && n.view(i) == nil {
			all = append(all, viewState{shard: i})
		}
	}
	return all
}

// unknown are the members that those from the first on were merged into, without those that are
// known to be merged themselves.
func (n *names) unknown(first int) (ids []domain.MemberID) {
	for _, m := range n.merged[first:] {
		known := func(o domain.MergedMember) bool { return o.Member == m.Into }
		if !slices.ContainsFunc(n.merged, known) && !slices.Contains(ids, m.Into) {
			ids = append(ids, m.Into)
		}
	}
	return ids
}

// into is, by merged member, the one that it was merged into.
func (n *names) into() map[domain.MemberID]domain.MemberID {
	into := make(map[domain.MemberID]domain.MemberID, len(n.merged))
	for _, m := range n.merged {
		into[m.Member] = m.Into
	}
	return into
}

// replaced is the question about those that the named members stand for; the question itself where
// none was merged.
func (n *names) replaced(q *domain.Question) *domain.Question {
	if len(n.merged) == 0 {
		return q
	}
	into := n.into()
	out := *q
	out.Filter.Members = survivorsOf(q.Filter.Members, into)
	out.Filter.Exclude = survivorsOf(q.Filter.Exclude, into)
	return &out
}

// survivorsOf are the members that those of a list stand for, ascending, each once. Views that do not
// agree may have them stand for each other.
func survivorsOf(list []domain.MemberID, into map[domain.MemberID]domain.MemberID) []domain.MemberID {
	if len(list) == 0 {
		return list
	}
	out := make([]domain.MemberID, len(list))
	for i, id := range list {
		to, merged := into[id]
		for range into {
			if !merged {
				break
			}
			id = to
			to, merged = into[id]
		}
		out[i] = id
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Survivors reads on the caller's goroutine. Where nothing was ever merged it is a look at the view.
func (l *Local) Survivors(ctx context.Context, m Named) (Survivors, error) {
	if v := l.Views.Peek(); v != nil && v.Next >= m.Next && len(v.Handovers)+len(m.Handovers) == 0 {
		return Survivors{AsOf: AsOf{Next: v.Next}}, nil
	}
	return l.survivors(ctx, m)
}

func (l *Local) survivors(ctx context.Context, m Named) (s Survivors, err error) {
	v := l.await(ctx, m.Handovers)
	if v == nil {
		return s, domain.ErrUnavailable
	}
	defer v.Release()
	if v.Next < m.Next {
		return s, domain.ErrUnavailable
	}
	s.AsOf = AsOf{v.Next, v.Handovers}
	hidden := l.hidden(v, &m)
	if len(hidden) == 0 {
		return s, nil
	}
	err = v.Snapshot.Members(m.Account, hidden, func(x *domain.Member) {
		if x.State == domain.MemberActive && x.IsLent() {
			s.Merged = append(s.Merged, domain.MergedMember{Member: x.ID, Into: x.Lent.To})
		}
	})
	if err != nil {
		return s, fmt.Errorf("read members: %w", err)
	}
	return s, nil
}

// hidden are those of the members whose rows count nowhere, ascending.
func (l *Local) hidden(v *view.View, m *Named) (ords []domain.Ordinal) {
	of := v.Account(m.Account)
	if of == nil {
		return nil
	}
	for _, id := range m.Members {
		if id.Slot().Shard(l.Shards) != l.ID {
			continue
		}
		if at, ok := v.Roster.Find(id); ok && at.Account == m.Account && of.Rows.Hidden(at.Ord) {
			ords = append(ords, at.Ord)
		}
	}
	slices.Sort(ords)
	return slices.Compact(ords)
}
