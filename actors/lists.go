package actors

import (
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// listAsk is a segment's list with what of it is the same in every shard.
type listAsk struct {
	segment   domain.SegmentID
	plan      *brand.Plan // of the rule; nil: it has none
	question  *domain.Question
	dense     uint32 // the rule's brand
	threshold uint32
}

// listsOf prepares lists. A brand that was deleted keeps its actions, so that a rule
// for it has the members it had.
func listsOf(v *catalog.View, account domain.AccountID, lists []domain.List) []listAsk {
	out := make([]listAsk, len(lists))
	for i, l := range lists {
		a := listAsk{segment: l.Segment}
		if r := l.Rule; r != nil {
			a.dense, a.threshold = brand.EveryBrand, max(r.Threshold, 1)
			a.question = &domain.Question{Account: account, Brand: r.Brand, Range: r.Range}
			for _, d := range r.Definitions {
				a.question.Groups = append(a.question.Groups, domain.Group{Definition: d})
			}
			a.plan = brand.NewPlan(a.question)
			if b := v.BrandByID(r.Brand); b != nil {
				a.dense = b.Dense
			}
		}
		out[i] = a
	}
	return out
}

// onList is the bitset of the members on a list, until x is used again for one.
func (p *partial) onList(x *workbench, v *view.View, av *view.Account, l *listAsk) ([]uint64, error) {
	var doers []uint64
	if l.plan != nil {
		ask := &brand.Ask{Plan: l.plan, Brand: l.dense, Cold: p.fromDisk(v.Snapshot, l.question)}
		var err error
		if x.doers, err = av.Rows.Doers(x.scratch, x.doers, ask, l.threshold); err != nil {
			return nil, err
		}
		doers = x.doers
	}
	x.listed = av.Crowd.Listed(x.listed, l.segment, doers)
	return x.listed, nil
}

// count counts the members on each of the lists asked for, and on any of them, who pass
// the question's filter.
func (p *partial) count(x *workbench, v *view.View, av *view.Account, m *ask) {
	p.lists = make([]uint64, len(m.lists))
	pass, err := p.whoCounts(x, v, av, m)
	if err != nil {
		p.err = err
		return
	}
	union := append(x.union[:0], make([]uint64, (av.Crowd.Members()+63)/64)...)
	x.union = union
	for i := range m.lists {
		if m.ctx.Err() != nil {
			p.err = domain.ErrUnavailable
			return
		}
		set, err := p.onList(x, v, av, &m.lists[i])
		if err != nil {
			p.err = err
			return
		}
		if pass != nil {
			keepOnly(set, pass)
		}
		p.lists[i] = membersIn(set)
		for k, w := range set {
			union[k] |= w
		}
	}
	p.union = membersIn(union)
}

// membersIn is how many are in a set.
func membersIn(set []uint64) (n uint64) {
	for _, w := range set {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}
