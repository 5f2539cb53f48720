package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// stream appends the passing rows of a cold brand.
func (x *selection) stream(s *rows.Set, from rows.Source) error {
	v, in := x.view, x.plan.span
	return s.Read(from, func(stored []domain.Row) {
		n := x.room(len(stored))
		ord, to, day := x.ord, x.to, x.day
		for i := range stored {
			r := &stored[i]
			if !v.Holds(r) {
				continue
			}
			k := rows.Kind{Definition: r.Definition, Service: r.Service}
			t := x.coldTarget(k)
			ord[n], to[n], day[n] = uint32(r.Ord), t, r.Time/86400-x.first
			ok := bitset.Bit(r.Time-in.From < in.To-in.From) & bitset.Bit(t != x.targets)
			if x.filter != nil {
				ok &= bitset.Get(x.filter, uint32(r.Ord))
			}
			if n += ok; x.stored != nil && ok == 1 {
				x.stored(&picked{seq: r.Seq, time: r.Time, ord: uint32(r.Ord), brand: s.Dense, kind: k, points: r.Points})
			}
		}
		x.keep(n)
	})
}
