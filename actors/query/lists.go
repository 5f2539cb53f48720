package query

import (
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// listPlan is a segment's list with what of it is the same in every shard.
type listPlan struct {
	segment   domain.SegmentID
	plan      *scan.Plan // of the rule; nil: it has none
	question  *domain.Question
	dense     uint32 // the rule's brand
	threshold uint32
}

// listPlans prepares lists. A brand that was deleted keeps its actions, so that a rule
// for it has the members it had.
func listPlans(v *catalog.View, account domain.AccountID, lists []domain.List) []listPlan {
	out := make([]listPlan, len(lists))
	for i, l := range lists {
		a := listPlan{segment: l.Segment}
		if r := l.Rule; r != nil {
			a.dense, a.threshold = rows.EveryBrand, max(r.Threshold, 1)
			a.question = &domain.Question{Account: account, Brand: r.Brand, Range: r.Range}
			for _, d := range r.Definitions {
				a.question.Groups = append(a.question.Groups, domain.Group{Definition: d})
			}
			a.plan = scan.NewPlan(a.question)
			if b := v.BrandByID(r.Brand); b != nil {
				a.dense = b.Dense
			}
		}
		out[i] = a
	}
	return out
}

// onList is the bitset of the members on a list, until it is asked for again.
func (s *execution) onList(l *listPlan) ([]uint64, error) {
	x := s.scratch
	var performed []uint64
	if l.plan != nil {
		ask := &scan.Ask{Plan: l.plan, Brand: l.dense, Cold: s.fromDisk(l.question)}
		var err error
		if x.performed, err = x.scan.AtLeast(s.account.Rows, x.performed, ask, l.threshold); err != nil {
			return nil, err
		}
		performed = x.performed
	}
	x.listed = s.account.Members.Listed(x.listed, l.segment, performed)
	return x.listed, nil
}

// countLists counts the members on each of the lists asked for, and on any of them, who pass
// the question's filter.
func (s *execution) countLists() error {
	s.part.Lists = make([]uint64, len(s.plan.lists))
	pass, err := s.members()
	if err != nil {
		return err
	}
	union := append(s.scratch.union[:0], make([]uint64, (s.account.Members.Members()+63)/64)...)
	s.scratch.union = union
	for i := range s.plan.lists {
		if s.ctx.Err() != nil {
			return domain.ErrUnavailable
		}
		set, err := s.onList(&s.plan.lists[i])
		if err != nil {
			return err
		}
		if pass != nil {
			keepOnly(set, pass)
		}
		s.part.Lists[i] = membersIn(set)
		for k, w := range set {
			union[k] |= w
		}
	}
	s.part.Union = membersIn(union)
	return nil
}

// membersIn is how many are in a set.
func membersIn(set []uint64) (n uint64) {
	for _, w := range set {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}
