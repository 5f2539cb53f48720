package scan

import (
	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/brand/topk"
)

// feedScan counts the rows of a feed and finds the first of them.
type feedScan struct {
	*selection
	*memberSet
	feed feedState
	take func(*topk.Row) // feed.offer
}

// scanFeed offers the rows that may be among the first of a feed: those of tails and of
// chunks whose newest row, or oldest, may still be one. Where a keyword is searched
// it offers all. Rows from disk are offered if cold is set: else they were while they
// were counted.
func (x *feedScan) scanFeed(a *Ask, cold bool) (err error) {
	x.view.Each(a.Brand, func(s *rows.Set, small bool) {
		switch {
		case err != nil || x.feed.err != nil || !x.running():
		case !s.Cold:
			x.scanSet(s, a.Brand, small)
		case cold:
			err = x.addCold(s, a.Cold)
			x.truncate(0)
		}
	})
	if err = x.result(err); err == nil {
		x.feed.read()
		err = x.feed.err
	}
	return err
}

// scanSet offers a resident set's rows, of one brand if small, from the end that the
// listing begins with.
func (x *feedScan) scanSet(s *rows.Set, dense uint32, small bool) {
	up := x.feed.Up
	if !small {
		dense = s.Dense
	}
	if !up {
		x.scanTail(s, dense, small)
	}
	for i := range s.Runs {
		if !x.running() {
			return
		}
		r := s.Runs[i]
		if !up {
			r = s.Runs[len(s.Runs)-1-i]
		}
		x.scanRun(r, dense, small)
	}
	if up {
		x.scanTail(s, dense, small)
	}
}

// scanRun offers a chunk's rows.
func (x *feedScan) scanRun(r rows.Run, dense uint32, small bool) {
	c, f, in := r.Chunk, &x.feed, x.feed.span
	near := c.Max
	if f.Up {
		near = c.Min
	}
	if c.Max < in.From || c.Min >= in.To || f.beyond(near) || !x.anyCounts(c) {
		return
	}
	var of []uint16 // if not nil, from first on: the rows that may pass
	first, lo, hi := 0, 0, 0
	if small {
		of = c.Of(dense)
		hi = len(of)
	} else if lo, hi = c.Cut(in.From, in.To); x.alone {
		x.pos = bitset.Sized(x.pos, rows.MaxChunk+1)
		of = x.pos[:placesOfOne(x.pos, c.Ord[lo:hi], x.one)]
		first, lo, hi = lo, 0, len(of)
	}
	for n := hi - lo; n > 0; n-- {
		i := lo + n - 1
		if f.Up {
			i = hi - n
		}
		if of != nil {
			i = first + int(of[i])
		}
		if f.hits.known && !f.hits.Has(c.Seq(i)) {
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
		x.offer(&topk.Row{Seq: c.Seq(i), Time: c.Time[i], Ord: c.Ord[i], Brand: dense, Points: c.Points[i]},
			c.Dict[c.Kind[i]])
	}
}

// scanTail offers a tail's rows.
func (x *feedScan) scanTail(s *rows.Set, dense uint32, small bool) {
	p, f, in := s.TailAt(x.view.Seq), &x.feed, x.feed.span
	skip := p.Skip(in.From)
	for n := len(p.Rows) - skip; n > 0; n-- {
		i := skip + n - 1
		if f.Up {
			i = len(p.Rows) - n
		}
		r := &p.Rows[i]
		if !f.Up && f.beyond(r.High) {
			return
		}
		if small && p.Brands[i] != dense || r.Time-in.From >= in.To-in.From || p.Deleted.Has(i) {
			continue
		}
		if !small && p.Brands != nil {
			dense = p.Brands[i]
		}
		x.offer(&topk.Row{Seq: r.Seq, Time: r.Time, Ord: r.Ord, Brand: dense, Points: r.Points}, r.Kind)
	}
}

// anyCounts reports that some kind of the chunk counts.
func (x *feedScan) anyCounts(c *rows.Chunk) bool {
	for _, k := range c.Dict {
		if x.target(k) != x.targets {
			return true
		}
	}
	return false
}

// offer gives the feed a living row of the range, if it passes.
func (x *feedScan) offer(r *topk.Row, kind uint32) {
	sel := x.selection
	if sel.filter != nil && bitset.Get(sel.filter, r.Ord) == 0 || sel.target(kind) == sel.targets {
		return
	}
	r.Kind = sel.all[kind]
	x.feed.offer(r)
}
