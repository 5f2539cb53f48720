package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// standing is what a member has come to.
type standing struct {
	score   uint64
	actions uint64
}

// answer ranks the members with an action in the question: the first Top.End of
// them, or of those after Top.After, each with its latest action if Top.Latest is set.
// Audience is the caller's.
// The error is ErrCold, or that of the Source.
func (x *ranking) answer(v *rows.View, a *Ask) (*domain.Leaders, error) {
	defer x.end()
	defer x.forget()
	if !x.open(v, a, false) {
		return &domain.Leaders{}, nil
	}
	if a.Plan.top.Order == domain.ByVisit {
		var err error
		if a, err = x.byVisit(a); err != nil {
			return nil, err
		}
	}
	if err := x.score(a); err != nil {
		return nil, err
	}
	out := &domain.Leaders{}
	first := x.rank(a, out)
	out.Members = make([]domain.Leader, len(first))
	for i, p := range first {
		s := x.standing(p.Ord)
		l := domain.Leader{Member: domain.MemberID(p.ID), Score: s.score, Actions: s.actions}
		if a.Plan.top.Order.Timed() || a.Plan.visits != nil {
			l.At = a.At(domain.Ordinal(p.Ord))
		}
		out.Members[i] = l
	}
	if !a.Plan.top.Latest {
		return out, nil
	}
	var err error
	out.Latest, err = x.latest.find(a, first)
	return out, err
}

// rank sums up the standings and gives the first of them.
func (x *ranking) rank(a *Ask, sum *domain.Leaders) []topk.Entry {
	top := a.Plan.top
	b := topk.Entries{K: top.End()}
	var after topk.Entry
	if top.After != nil {
		after = topk.Entry{Key: top.After.Rank, ID: uint64(top.After.Member)}
		if top.Up {
			after.Key = ^after.Key
		}
	}
	if x.simple(&top) {
		x.rankSums(a, sum, &b)
		return b.Sorted()
	}
	x.list()
	for _, o := range x.ordinals {
		s := x.standing(o)
		sum.Total.Members++
		sum.Total.Actions += s.actions
		if top.Above != nil {
			sum.Above += uint64(bitset.Bit(s.score > *top.Above))
			continue
		}
		p := topk.Entry{Key: x.rankOf(a, o), Ord: o}
		if top.Up {
			p.Key = ^p.Key
		}
		if b.Full && p.Key < b.Floor.Key {
			continue
		}
		p.ID = uint64(a.ID(domain.Ordinal(o)))
		if top.After != nil && topk.Compare(p, after) <= 0 {
			sum.Ahead++
			continue
		}
		b.Offer(p)
	}
	return b.Sorted()
}

// rankOf is what a member with a standing is ranked by.
func (x *ranking) rankOf(a *Ask, o uint32) uint64 {
	switch a.Plan.top.Order {
	case domain.ByScore:
		return x.standing(o).score
	case domain.ByActions:
		return x.standing(o).actions
	}
	return uint64(a.At(domain.Ordinal(o)))
}
