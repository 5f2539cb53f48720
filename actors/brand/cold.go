package brand

import "github.com/ovation-analytics/ovation/actors/domain"

// holds reports that a row from disk lives at the view's commit: one of a member that the
// view does not know is of a later one.
func (v *View) holds(r *domain.Row) bool {
	return !r.Flags.Dead() && uint32(r.Ord) < v.members && r.Seq <= v.Seq
}

// stream appends the passing rows of a cold brand.
func (x *Scratch) stream(s *set, from Source) error {
	if from == nil {
		return ErrCold
	}
	v, in := x.view, x.plan.span
	return from(Cold{s.dense, s.id}, func(rows []domain.Row) {
		n := x.room(len(rows))
		ord, to, day := x.ord, x.to, x.day
		for i := range rows {
			r := &rows[i]
			if !v.holds(r) {
				continue
			}
			k := kind{r.Definition, r.Service}
			t := x.coldTarget(k)
			ord[n], to[n], day[n] = uint32(r.Ord), t, r.Time/86400-x.first
			ok := bit(r.Time-in.From < in.To-in.From) & bit(t != x.targets)
			if x.filter != nil {
				ok &= pass(x.filter, uint32(r.Ord))
			}
			if n += ok; x.feed.on && ok == 1 {
				x.feed.offer(&picked{seq: r.Seq, time: r.Time, ord: uint32(r.Ord), brand: s.dense, kind: k, points: r.Points})
			}
		}
		x.keep(n)
	})
}

// coldTarget is where rows of a kind count, the kind as a row from disk says it.
func (x *Scratch) coldTarget(k kind) uint32 {
	n := &x.near[(uint32(k.definition)^uint32(k.service)<<3)%uint32(len(x.near))]
	if n.target == 0 || n.kind != k {
		n.kind, n.target = k, x.targetOf(k)+1
	}
	return n.target - 1
}
