package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// crossover counts the members that brands share.
type crossover struct {
	*selection
	*memberSet
	wanted   []uint64 // members that are counted
	pairs    []uint64 // brand << 32 | ordinal
	excluded []uint64 // rows of a chunk that do not count
}

// answer counts, for every other brand that the directory lists, the members
// with an action both for it and for the brand asked about; of EveryBrand the
// members of each brand. The error is ErrCold, or that of the Source.
func (x *crossover) answer(v *rows.View, a *Ask) (*domain.Crossover, error) {
	defer x.end()
	out := &domain.Crossover{}
	if !x.open(v, a, false) {
		return out, nil
	}
	x.seen = bitset.Grown(x.seen, x.words*64)
	x.wanted = bitset.Sized(x.wanted, x.words)
	clear(x.wanted)
	union := x.wanted // of EveryBrand: the members met
	if a.Brand != rows.EveryBrand {
		if err := x.selectRows(a); err != nil {
			return nil, err
		}
		x.takeInto(union)
		x.filterBy(x.wanted)
		union = nil
		if a.Brand == rows.Visits {
			x.kindTargets.begin(a.Plan, v.Kinds, nil, false) // the other brands' rows are actions
		}
		if out.Members = bitset.Count(x.wanted); out.Members == 0 {
			return out, nil
		}
	}
	for i := range v.Owned() {
		s := v.OwnSet(i)
		switch {
		case s.Dense == rows.Visits || s.Dense == a.Brand:
			continue
		case union == nil && !a.Brands.listed(s.Dense):
			continue
		}
		n, err := x.countSet(s, a, union)
		if err != nil {
			return nil, err
		}
		if n > 0 && a.Brands.listed(s.Dense) {
			out.Brands = append(out.Brands, domain.BrandMembers{Brand: s.ID, Members: n})
		}
	}
	x.countPool(v.Rest, a, union, out)
	if union != nil {
		out.Members = bitset.Count(union)
	}
	return out, nil
}

// countSet counts the members of a brand with columns of its own.
func (x *crossover) countSet(s *rows.Set, a *Ask, union []uint64) (n uint64, err error) {
	x.reset()
	if s.Cold {
		err = x.addCold(s, a.Cold)
	} else {
		for _, r := range s.Runs {
			x.addSpan(r)
		}
	}
	tail := s.TailAt(x.view.Seq)
	if x.fewerThanSet(len(tail.Rows)) {
		x.addTail(tail)
		x.gatherAll()
		bitset.AddAll(union, x.ord)
		return x.distinct(x.ord), x.result(err)
	}
	x.addRows()
	x.addTailMembers(tail)
	return x.take(union), x.result(err)
}

// standings sums up what the question's members did, brand by brand: all brands that
// the directory lists, in any order. It is for few members: of many it would be slow.
// The error is ErrCold, or that of the Source.
func (x *rowScan) standings(v *rows.View, a *Ask) (*domain.Standings, error) {
	defer x.end()
	out := &domain.Standings{}
	if !x.open(v, a, false) {
		return out, nil
	}
	at := map[uint32]int{}
	err := x.scanAll(a, func(m scannedRow) {
		if !a.Brands.listed(m.dense) {
			return
		}
		i, ok := at[m.dense]
		if !ok {
			i = len(out.Brands)
			at[m.dense] = i
			out.Brands = append(out.Brands, domain.Standing{Brand: m.brand})
		}
		w := a.Plan.pointsOf(m.kind.Definition)
		s := &out.Brands[i]
		s.Score += uint64(m.points&w.keep + w.add)
		s.Actions++
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
