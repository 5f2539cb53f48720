package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// standings sums up what the question's members did, brand by brand: all brands that
// the directory lists, in any order. It is for few members: of many it would be slow.
// The error is ErrCold, or that of the Source.
func (x *visitor) standings(v *rows.View, a *Ask) (*domain.Standings, error) {
	defer x.end()
	out := &domain.Standings{}
	if !x.open(v, a, false) {
		return out, nil
	}
	at := map[uint32]int{}
	err := x.every(a, func(m met) {
		if !a.Brands.listed(m.dense) {
			return
		}
		i, ok := at[m.dense]
		if !ok {
			i = len(out.Brands)
			at[m.dense] = i
			out.Brands = append(out.Brands, domain.Standing{Brand: m.brand})
		}
		w := a.Plan.worth(m.kind.Definition)
		s := &out.Brands[i]
		s.Score += uint64(m.points&w.keep + w.add)
		s.Actions++
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
