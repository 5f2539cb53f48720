package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// selectRows finds the question's rows: stretches of chunks, and loose rows from
// tails, from small brands and from disk.
func (x *selection) selectRows(a *Ask) error { return x.selectSets(a, x.addTail) }

// selectSets is collect; tail takes the tails of whole sets.
func (x *selection) selectSets(a *Ask, tail func(rows.Tail)) (err error) {
	v := x.view
	v.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || !x.running():
		case s.Cold:
			err = x.addCold(s, a.Cold)
		case small:
			x.addSmall(s, a.Brand)
		default:
			for _, r := range s.Runs {
				x.addSpan(r)
			}
			tail(s.TailAt(v.Seq))
		}
	})
	return x.result(err)
}

// addSpan adds the chunk's rows in the range, unless all of them are dropped.
func (x *selection) addSpan(r rows.Run) {
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
		sp.deleted = r.Deleted
	}
	x.spans = append(x.spans, sp)
}

// addTail appends the passing rows of a tail, of all its brands.
func (x *selection) addTail(p rows.Tail) {
	skip := p.Skip(x.plan.span.From)
	from, width := x.plan.span.From, x.plan.span.To-x.plan.span.From
	n := x.grow(len(p.Rows) - skip)
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
	x.truncate(n)
}

// addSmall appends the passing rows of one brand of the rest. They are few: a branch
// is right.
func (x *selection) addSmall(s *rows.Set, dense uint32) {
	in := x.plan.span
	for _, r := range s.Runs {
		c := r.Chunk
		if c.Max < in.From || c.Min >= in.To {
			continue
		}
		for _, p := range c.Of(dense) {
			if i := int(p); !r.Deleted.Has(i) {
				x.addLoose(c.Time[i], c.Ord[i], x.target(c.Dict[c.Kind[i]]))
			}
		}
	}
	p := s.TailAt(x.view.Seq)
	skip := p.Skip(in.From)
	for i, b := range p.Brands[min(skip, len(p.Brands)):] {
		if b == dense && !p.Deleted.Has(skip+i) {
			r := &p.Rows[skip+i]
			x.addLoose(r.Time, r.Ord, x.target(r.Kind))
		}
	}
}

// addLoose appends a row if it belongs to the question.
func (x *selection) addLoose(time, ord, target uint32) {
	if !x.passes(time, ord, target) {
		return
	}
	n := x.grow(1)
	x.ord[n], x.to[n], x.day[n] = ord, target, time/86400-x.first
	x.truncate(n + 1)
}

// addCold appends the passing rows of a cold brand.
func (x *selection) addCold(s *rows.Set, from rows.Source) error {
	v, in := x.view, x.plan.span
	return s.Read(from, func(stored []domain.Row) {
		n := x.grow(len(stored))
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
				x.stored(&topk.Row{Seq: r.Seq, Time: r.Time, Ord: uint32(r.Ord), Brand: s.Dense, Kind: k, Points: r.Points})
			}
		}
		x.truncate(n)
	})
}
