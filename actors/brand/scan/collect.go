package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
)

// collect finds the question's rows: stretches of chunks, and loose rows from
// tails, from small brands and from disk.
func (x *selection) collect(a *Ask) error { return x.collectSets(a, x.tail) }

// collectSets is collect; tail takes the tails of whole sets.
func (x *selection) collectSets(a *Ask, tail func(rows.Tail)) (err error) {
	v := x.view
	v.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || !x.goesOn():
		case s.Cold:
			err = x.stream(s, a.Cold)
		case small:
			x.small(s, a.Brand)
		default:
			for _, r := range s.Runs {
				x.span(r)
			}
			tail(s.TailAt(v.Seq))
		}
	})
	return x.fate(err)
}

// span adds the chunk's rows in the range, unless all of them are dropped.
func (x *selection) span(r rows.Run) {
	c, in := r.Chunk, x.plan.span
	if c.Max < in.From || c.Min >= in.To {
		return
	}
	lo, hi := c.Cut(in.From, in.To)
	if lo >= hi {
		return
	}
	sp := span{c: c, lo: lo, hi: hi, first: c.Time[lo], lut: len(x.lut)}
	for code, k := range c.Dict {
		t := x.target(k)
		x.lut = append(x.lut, t)
		if t == x.targets {
			sp.drops = true
		} else {
			sp.kept += int(c.Count[code])
		}
	}
	if sp.kept == 0 {
		x.lut = x.lut[:sp.lut]
		return
	}
	if r.Deleted.Count() > 0 {
		sp.dead = r.Deleted
	}
	x.spans = append(x.spans, sp)
}

// tail appends the passing rows of a tail, of all its brands.
func (x *selection) tail(p rows.Tail) {
	skip := p.Skip(x.plan.span.From)
	from, width := x.plan.span.From, x.plan.span.To-x.plan.span.From
	n := x.room(len(p.Rows) - skip)
	for i := skip; i < len(p.Rows); i++ {
		r := &p.Rows[i]
		t := x.target(r.Kind)
		x.ord[n], x.to[n], x.day[n] = r.Ord, t, r.Time/86400-x.first
		ok := bitset.Bit(r.Time-from < width) & bitset.Bit(t != x.targets)
		if x.filter != nil {
			ok &= bitset.Get(x.filter, r.Ord)
		}
		if p.Deleted != nil {
			ok &^= int(p.Deleted.Bits[i>>6] >> (i & 63) & 1)
		}
		n += ok
	}
	x.keep(n)
}

// small appends the passing rows of one brand of the rest. They are few: a branch
// is right.
func (x *selection) small(s *rows.Set, dense uint32) {
	in := x.plan.span
	for _, r := range s.Runs {
		c := r.Chunk
		if c.Max < in.From || c.Min >= in.To {
			continue
		}
		for _, p := range c.Of(dense) {
			if i := int(p); !r.Deleted.Has(i) {
				x.loose(c.Time[i], c.Ord[i], x.target(c.Dict[c.Kind[i]]))
			}
		}
	}
	p := s.TailAt(x.view.Seq)
	skip := p.Skip(in.From)
	for i, b := range p.Brands[min(skip, len(p.Brands)):] {
		if b == dense && !p.Deleted.Has(skip+i) {
			r := &p.Rows[skip+i]
			x.loose(r.Time, r.Ord, x.target(r.Kind))
		}
	}
}

// loose appends a row if it belongs to the question.
func (x *selection) loose(time, ord, target uint32) {
	if !x.passes(time, ord, target) {
		return
	}
	n := x.room(1)
	x.ord[n], x.to[n], x.day[n] = ord, target, time/86400-x.first
	x.keep(n + 1)
}
