package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
)

// feedWalk counts the rows of a feed and finds the first of them.
type feedWalk struct {
	*selection
	*memberSet
	feed feeder
	take func(*picked) // feed.offer
}

// walk offers the rows that may be among the first of a feed: those of tails and of
// chunks whose newest row, or oldest, may still be one. Where a keyword is looked for
// it offers all. Rows from disk are offered if cold is set: else they were while they
// were counted.
func (x *feedWalk) walk(a *Ask, cold bool) (err error) {
	x.view.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || x.feed.err != nil || !x.goesOn():
		case !s.Cold:
			x.walkSet(s, a.Brand, small)
		case cold:
			err = x.stream(s, a.Cold)
			x.keep(0)
		}
	})
	if err = x.fate(err); err == nil {
		x.feed.read()
		err = x.feed.err
	}
	return err
}

// walkSet offers a resident set's rows, of one brand if small, from the end that the
// listing begins with.
func (x *feedWalk) walkSet(s *rows.Set, dense uint32, small bool) {
	up := x.feed.up
	if !small {
		dense = s.Dense
	}
	if !up {
		x.walkTail(s, dense, small)
	}
	for i := range s.Runs {
		if !x.goesOn() {
			return
		}
		r := s.Runs[i]
		if !up {
			r = s.Runs[len(s.Runs)-1-i]
		}
		x.walkRun(r, dense, small)
	}
	if up {
		x.walkTail(s, dense, small)
	}
}

// walkRun offers a chunk's rows.
func (x *feedWalk) walkRun(r rows.Run, dense uint32, small bool) {
	c, f, in := r.Chunk, &x.feed, x.feed.span
	near := c.Max
	if f.up {
		near = c.Min
	}
	if c.Max < in.From || c.Min >= in.To || f.beyond(near) || !x.meets(c) {
		return
	}
	var of []uint16 // if not nil, from first on: the rows that may pass
	first, lo, hi := 0, 0, 0
	if small {
		of = c.Of(dense)
		hi = len(of)
	} else if lo, hi = c.Cut(in.From, in.To); x.alone {
		x.pos = sized(x.pos, rows.MaxChunk+1)
		of = x.pos[:placesOfOne(x.pos, c.Ord[lo:hi], x.one)]
		first, lo, hi = lo, 0, len(of)
	}
	for n := hi - lo; n > 0; n-- {
		i := lo + n - 1
		if f.up {
			i = hi - n
		}
		if of != nil {
			i = first + int(of[i])
		}
		if f.hits.known && !f.hits.has(c.Seq(i)) {
			continue
		}
		if t := c.Time[i]; f.beyond(t) {
			return
		} else if t-in.From >= in.To-in.From || r.Deleted.Has(i) {
			continue
		}
		if c.Brands != nil {
			dense = c.Brands[c.BrandOf[i]]
		}
		x.offer(&picked{seq: c.Seq(i), time: c.Time[i], ord: c.Ord[i], brand: dense, points: c.Points[i]}, c.Dict[c.Kind[i]])
	}
}

// walkTail offers a tail's rows.
func (x *feedWalk) walkTail(s *rows.Set, dense uint32, small bool) {
	p, f, in := s.TailAt(x.view.Seq), &x.feed, x.feed.span
	skip := p.Skip(in.From)
	for n := len(p.Rows) - skip; n > 0; n-- {
		i := skip + n - 1
		if f.up {
			i = len(p.Rows) - n
		}
		r := &p.Rows[i]
		if !f.up && f.beyond(r.High) {
			return
		}
		if small && p.Brands[i] != dense || r.Time-in.From >= in.To-in.From || p.Deleted.Has(i) {
			continue
		}
		if !small && p.Brands != nil {
			dense = p.Brands[i]
		}
		x.offer(&picked{seq: r.Seq, time: r.Time, ord: r.Ord, brand: dense, points: r.Points}, r.Kind)
	}
}

// meets reports that some kind of the chunk counts.
func (x *feedWalk) meets(c *rows.Chunk) bool {
	for _, k := range c.Dict {
		if x.target(k) != x.targets {
			return true
		}
	}
	return false
}

// offer gives the feed a living row of the range, if it passes.
func (x *feedWalk) offer(r *picked, kind uint32) {
	if x.filter != nil && bitset.Get(x.filter, r.ord) == 0 || x.target(kind) == x.targets {
		return
	}
	r.kind = x.view.Kinds[kind]
	x.feed.offer(r)
}
