package query

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/scan"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// memberFilter is what of choosing the members of a question is the same in every shard.
type memberFilter struct {
	from      *listPlan       // they are on it; nil: no matter
	performed *scan.Performed // they performed it; nil: no matter
	brands    []uint32        // that actions are required for, by dense number
}

// newMemberFilter prepares a question's filter. A brand that an action is required for may be deleted: its
// actions are still what members did.
func newMemberFilter(v *catalog.View, q *domain.Question) (*memberFilter, error) {
	c := &memberFilter{}
	if f := q.Filter.From; f != nil {
		c.from = &listPlans(v, q.Account, []domain.List{*f})[0]
	}
	if len(q.Filter.AnyOf)+len(q.Filter.AllOf) == 0 {
		return c, nil
	}
	any, err := requiredActions(v, q.Account, q.Filter.AnyOf)
	if err != nil {
		return nil, err
	}
	all, err := requiredActions(v, q.Account, q.Filter.AllOf)
	if err != nil {
		return nil, err
	}
	c.performed = scan.NewPerformed(q.Range, any, all)
	c.performed.Brands(func(dense uint32) { c.brands = append(c.brands, dense) })
	slices.Sort(c.brands)
	c.brands = slices.Compact(c.brands)
	return c, nil
}

// requiredActions are performed actions as shards count them.
func requiredActions(v *catalog.View, account domain.AccountID, required []domain.Performed) ([]scan.Required, error) {
	out := make([]scan.Required, len(required))
	for i, d := range required {
		out[i] = scan.Required{Definition: d.Definition, Brand: rows.EveryBrand}
		if d.Brand == 0 {
			continue
		}
		b, ok := v.AnyBrand(account, d.Brand)
		if !ok {
			return nil, domain.Fail(domain.NotFound, "no such brand")
		}
		out[i].Brand = b.Dense
	}
	return out, nil
}

// members is the bitset of the members whom the question's filter lets through; nil: all
// that have a row. It is the scratch's, until members are chosen by it again. What costs a
// scan comes last, and not at all once the set is empty.
func (s *execution) members() ([]uint64, error) {
	q := s.question
	x := s.scratch
	filter := s.plan.filter
	set := s.account.Members.Select(x.members, &q.Filter, ordinalsOf(s.view.Roster, q.Account))
	if set == nil {
		s.audience = passing(q, set, s.account.Members)
		return nil, nil
	}
	x.members = set
	if filter.from != nil && notEmpty(set) {
		listed, err := s.onList(filter.from)
		if err != nil {
			return nil, err
		}
		keepOnly(set, listed)
	}
	s.audience = passing(q, set, s.account.Members)
	if filter.performed != nil && notEmpty(set) {
		performed, err := x.scan.Performed(s.account.Rows, x.performed, filter.performed, s.performedFromDisk())
		if err != nil {
			return nil, err
		}
		x.performed = performed
		keepOnly(set, performed)
	}
	if q.Filter.Acted && notEmpty(set) {
		of := s.plan.acted
		one := &scan.Ask{Plan: of.rows, Brand: of.dense, Members: set, Cold: s.fromDisk(q)}
		performed, err := x.scan.AtLeast(s.account.Rows, x.performed, one, 1)
		if err != nil {
			return nil, err
		}
		x.performed = performed
		keepOnly(set, performed)
	}
	return set, nil
}

// performedFromDisk reads the rows of brands that are on disk only, and notes those that the
// filter names.
func (s *execution) performedFromDisk() rows.Source {
	read := s.fromDisk(&domain.Question{Account: s.question.Account})
	return func(b rows.Cold, in domain.Range, f func([]domain.Row)) error {
		if slices.Contains(s.plan.filter.brands, b.Dense) && !slices.Contains(s.cold, b.Dense) {
			s.cold = append(s.cold, b.Dense)
		}
		return read(b, in, f)
	}
}

// notEmpty reports that a set is not empty.
func notEmpty(set []uint64) bool {
	return slices.ContainsFunc(set, func(w uint64) bool { return w != 0 })
}

// keepOnly takes out of a set who is not in another one, which may be shorter.
func keepOnly(set, other []uint64) {
	n := min(len(set), len(other))
	for i, w := range other[:n] {
		set[i] &= w
	}
	clear(set[n:])
}
