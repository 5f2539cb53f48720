package rows

import (
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// HasRowsIn reports that a living row of the brand, or of any but the visits for
// EveryBrand, has a time in r: two binary searches a chunk, and a look at the tail. Of
// what is cold it may report one that is near.
func (v *View) HasRowsIn(dense uint32, r domain.Range) (found bool) {
	if r.From >= r.To {
		return false
	}
	v.Each(dense, func(s *Set, small bool) {
		found = found || s.Outline.Has(r) || s.hasRowsIn(dense, small, r) || v.tailHasRowsIn(s, dense, small, r)
	})
	return found
}

// hasRowsIn looks at the chunks; of the pool at one brand's rows alone if small.
func (s *Set) hasRowsIn(dense uint32, small bool, r domain.Range) bool {
	for _, run := range s.Runs {
		c := run.Chunk
		if c.Max < r.From || c.Min >= r.To {
			continue
		}
		if !small {
			for i, end := c.Cut(r.From, r.To); i < end; i++ {
				if !run.Deleted.Has(i) {
					return true
				}
			}
			continue
		}
		of := c.Of(dense)
		first := sort.Search(len(of), func(k int) bool { return c.Time[of[k]] >= r.From })
		for k := first; k < len(of) && c.Time[of[k]] < r.To; k++ {
			if !run.Deleted.Has(int(of[k])) {
				return true
			}
		}
	}
	return false
}

// tailHasRowsIn looks at the tail.
func (v *View) tailHasRowsIn(s *Set, dense uint32, small bool, r domain.Range) bool {
	p := s.TailAt(v.Seq)
	for i := p.Skip(r.From); i < len(p.Rows); i++ {
		if t := p.Rows[i].Time; t >= r.From && t < r.To && (!small || p.Brands[i] == dense) && !p.Deleted.Has(i) {
			return true
		}
	}
	return false
}
