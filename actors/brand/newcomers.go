package brand

import "github.com/ovation-analytics/ovation/actors/domain"

// Newcomers is a tally that also tells how many of its members had a living row of the
// brand before the question's range: any row, whatever the question filters. Rows of
// cold brands before the range are from Ask.Earlier. The error is ErrCold, or that of a
// Source.
func (v *View) Newcomers(x *Scratch, a *Ask) (*domain.Tally, error) {
	defer x.end()
	if err := x.begin(v, a, false); err != nil {
		return nil, err
	}
	x.wanted = sized(x.wanted, x.words)
	clear(x.wanted)
	x.people(x.wanted)
	t := x.tally()
	if t.Total.Members == 0 {
		return t, nil
	}
	if err := x.dropEarlier(a, x.wanted); err != nil {
		return nil, err
	}
	t.Before = t.Total.Members - members(x.wanted)
	return t, nil
}

// dropEarlier takes the members with a living row of the brand before the range out of
// those who are in left, until nobody is.
func (x *Scratch) dropEarlier(a *Ask, left []uint64) (err error) {
	x.view.each(a.Brand, func(s *set, small bool) {
		switch {
		case err != nil || !x.goesOn() || none(left):
		case s.cold:
			err = x.dropCold(s, a.Earlier, left)
		default:
			for _, r := range s.runs {
				if r.c.min < x.plan.span.From && x.goesOn() && !none(left) {
					x.dropRun(r, a.Brand, small, left)
				}
			}
			x.dropTail(s, a.Brand, small, left)
		}
	})
	return x.fate(err)
}

// none reports that nobody is in the set.
func none(set []uint64) bool {
	for _, w := range set {
		if w != 0 {
			return false
		}
	}
	return true
}

// dropRun takes out those with a row in a chunk, of one brand if small.
func (x *Scratch) dropRun(r run, dense uint32, small bool, left []uint64) {
	c, from := r.c, x.plan.span.From
	if small {
		for _, p := range c.of(dense) {
			if i := int(p); c.time[i] < from && !r.dead.has(i) {
				drop(left, c.ord[i])
			}
		}
		return
	}
	_, hi := c.cut(0, from)
	if r.dead.count() == 0 {
		for _, o := range c.ord[:hi] {
			drop(left, o)
		}
		return
	}
	for i, o := range c.ord[:hi] {
		if !r.dead.has(i) {
			drop(left, o)
		}
	}
}

// dropTail takes out those with a row in a set's tail.
func (x *Scratch) dropTail(s *set, dense uint32, small bool, left []uint64) {
	p := s.upto(x.view.Seq)
	for i := range p.rows {
		r := &p.rows[i]
		if r.time < x.plan.span.From && !p.dead.has(i) && (!small || p.brand[i] == dense) {
			drop(left, r.ord)
		}
	}
}

// dropCold takes out those with a row on disk.
func (x *Scratch) dropCold(s *set, from Source, left []uint64) error {
	if from == nil {
		return ErrCold
	}
	return from(Cold{s.dense, s.id}, func(rows []domain.Row) {
		for i := range rows {
			r := &rows[i]
			if r.Time < x.plan.span.From && x.view.holds(r) {
				drop(left, uint32(r.Ord))
			}
		}
	})
}

// drop takes a member out of a set.
func drop(set []uint64, o uint32) { set[o>>6] &^= 1 << (o & 63) }
