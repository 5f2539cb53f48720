package brand

import (
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Between reports that a living row of the brand, or of any but the visits for
// EveryBrand, has a time in r: two binary searches a chunk, and a look at the tail. Of
// what is cold it reports that there may be one.
func (v *View) Between(dense uint32, r domain.Range) (found bool) {
	if r.From >= r.To {
		return false
	}
	v.each(dense, func(s *set, small bool) {
		found = found || s.cold || s.between(dense, small, r) || v.lately(s, dense, small, r)
	})
	return found
}

// between looks at the chunks; of the rest at one brand's rows alone if small.
func (s *set) between(dense uint32, small bool, r domain.Range) bool {
	for _, run := range s.runs {
		c := run.c
		if c.max < r.From || c.min >= r.To {
			continue
		}
		if !small {
			for i, end := c.cut(r.From, r.To); i < end; i++ {
				if !run.dead.has(i) {
					return true
				}
			}
			continue
		}
		of := c.of(dense)
		for k := sort.Search(len(of), func(k int) bool { return c.time[of[k]] >= r.From }); k < len(of) && c.time[of[k]] < r.To; k++ {
			if !run.dead.has(int(of[k])) {
				return true
			}
		}
	}
	return false
}

// lately looks at the tail.
func (v *View) lately(s *set, dense uint32, small bool, r domain.Range) bool {
	p := s.upto(v.Seq)
	for i := p.since(r.From); i < len(p.rows); i++ {
		if t := p.rows[i].time; t >= r.From && t < r.To && (!small || p.brand[i] == dense) && !p.dead.has(i) {
			return true
		}
	}
	return false
}
