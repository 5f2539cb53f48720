package actors

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/view"
)

// choice is what of choosing the members of a question is the same in every shard.
type choice struct {
	from   *listAsk     // they are on it; nil: no matter
	deeds  *brand.Deeds // they did it; nil: no matter
	brands []uint32     // that deeds are for, by dense number
}

// choiceOf prepares a question's filter. A brand that a deed is for may be deleted: its
// actions are still what members did.
func choiceOf(v *catalog.View, q *domain.Question) (*choice, error) {
	c := &choice{}
	if f := q.Filter.From; f != nil {
		c.from = &listsOf(v, q.Account, []domain.List{*f})[0]
	}
	if len(q.Filter.AnyOf)+len(q.Filter.AllOf) == 0 {
		return c, nil
	}
	any, err := deedsOf(v, q.Account, q.Filter.AnyOf)
	if err != nil {
		return nil, err
	}
	all, err := deedsOf(v, q.Account, q.Filter.AllOf)
	if err != nil {
		return nil, err
	}
	c.deeds = brand.NewDeeds(q.Range, any, all)
	c.deeds.Names(func(dense uint32) { c.brands = append(c.brands, dense) })
	slices.Sort(c.brands)
	c.brands = slices.Compact(c.brands)
	return c, nil
}

// deedsOf are deeds as shards know them.
func deedsOf(v *catalog.View, account domain.AccountID, deeds []domain.Deed) ([]brand.Deed, error) {
	out := make([]brand.Deed, len(deeds))
	for i, d := range deeds {
		out[i] = brand.Deed{Definition: d.Definition, Brand: brand.EveryBrand}
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

// whoCounts is the bitset of the members whom the question's filter lets through; nil:
// everybody who has a row. It is the workbench's, until members are chosen by it again.
// What costs a scan comes last, and not at all once nobody is left.
func (p *partial) whoCounts(x *workbench, v *view.View, av *view.Account, m *ask) ([]uint64, error) {
	q := m.question
	set := av.Crowd.Select(x.members, &q.Filter, ordinalsOf(v.Roster, q.Account))
	if set == nil {
		p.audience = passing(q, set, av.Crowd)
		return nil, nil
	}
	x.members = set
	if from := m.choice.from; from != nil && anybody(set) {
		listed, err := p.onList(x, v, av, from)
		if err != nil {
			return nil, err
		}
		keepOnly(set, listed)
	}
	p.audience = passing(q, set, av.Crowd)
	if m.choice.deeds != nil && anybody(set) {
		did, err := av.Rows.Did(x.scratch, x.doers, m.choice.deeds, p.deedsFromDisk(v.Snapshot, m))
		if err != nil {
			return nil, err
		}
		x.doers = did
		keepOnly(set, did)
	}
	if q.Filter.Acted && anybody(set) {
		one := &brand.Ask{Plan: m.plan, Brand: m.dense, Members: set, Cold: p.fromDisk(v.Snapshot, q)}
		did, err := av.Rows.Doers(x.scratch, x.doers, one, 1)
		if err != nil {
			return nil, err
		}
		x.doers = did
		keepOnly(set, did)
	}
	return set, nil
}

// deedsFromDisk reads the rows of brands that are on disk only, and notes those that
// deeds are for.
func (p *partial) deedsFromDisk(s view.Snapshot, m *ask) brand.Source {
	read := p.fromDisk(s, &domain.Question{Account: m.question.Account, Range: m.question.Range})
	return func(b brand.Cold, f func([]domain.Row)) error {
		if slices.Contains(m.choice.brands, b.Dense) && !slices.Contains(p.cold, b.Dense) {
			p.cold = append(p.cold, b.Dense)
		}
		return read(b, f)
	}
}

// anybody reports that a set is not empty.
func anybody(set []uint64) bool {
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
