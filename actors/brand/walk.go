package brand

// walk offers the rows that may be among the first of a feed: those of tails and of
// chunks whose newest row, or oldest, may still be one. Where a keyword is looked for
// it offers all. Rows from disk are offered if cold is set: else they were while they
// were counted.
func (x *Scratch) walk(a *Ask, cold bool) (err error) {
	x.view.each(a.Brand, func(s *set, small bool) {
		switch {
		case err != nil || x.feed.err != nil || !x.goesOn():
		case !s.cold:
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
func (x *Scratch) walkSet(s *set, dense uint32, small bool) {
	up := x.feed.up
	if !small {
		dense = s.dense
	}
	if !up {
		x.walkTail(s, dense, small)
	}
	for i := range s.runs {
		if !x.goesOn() {
			return
		}
		r := s.runs[i]
		if !up {
			r = s.runs[len(s.runs)-1-i]
		}
		x.walkRun(r, dense, small)
	}
	if up {
		x.walkTail(s, dense, small)
	}
}

// walkRun offers a chunk's rows.
func (x *Scratch) walkRun(r run, dense uint32, small bool) {
	c, f, in := r.c, &x.feed, x.feed.span
	near := c.max
	if f.up {
		near = c.min
	}
	if c.max < in.From || c.min >= in.To || f.beyond(near) || !x.meets(c) {
		return
	}
	var of []uint16 // if not nil, from first on: the rows that may pass
	first, lo, hi := 0, 0, 0
	if small {
		of = c.of(dense)
		hi = len(of)
	} else if lo, hi = c.cut(in.From, in.To); x.alone {
		x.pos = sized(x.pos, maxChunk+1)
		of = x.pos[:placesOfOne(x.pos, c.ord[lo:hi], x.one)]
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
		if f.searched && !f.hits.has(c.seq(i)) {
			continue
		}
		if t := c.time[i]; f.beyond(t) {
			return
		} else if t-in.From >= in.To-in.From || r.dead.has(i) {
			continue
		}
		if c.brands != nil {
			dense = c.brands[c.place[i]]
		}
		x.offer(&picked{seq: c.seq(i), time: c.time[i], ord: c.ord[i], brand: dense, points: c.points[i]}, c.dict[c.kind[i]])
	}
}

// walkTail offers a tail's rows.
func (x *Scratch) walkTail(s *set, dense uint32, small bool) {
	p, f, in := s.upto(x.view.Seq), &x.feed, x.feed.span
	skip := p.since(in.From)
	for n := len(p.rows) - skip; n > 0; n-- {
		i := skip + n - 1
		if f.up {
			i = len(p.rows) - n
		}
		r := &p.rows[i]
		if !f.up && f.beyond(r.high) {
			return
		}
		if small && p.brand[i] != dense || r.time-in.From >= in.To-in.From || p.dead.has(i) {
			continue
		}
		if !small && p.brand != nil {
			dense = p.brand[i]
		}
		x.offer(&picked{seq: r.seq, time: r.time, ord: r.ord, brand: dense, points: r.points}, r.kind)
	}
}

// meets reports that some kind of the chunk counts.
func (x *Scratch) meets(c *chunk) bool {
	for _, k := range c.dict {
		if x.target(k) != x.targets {
			return true
		}
	}
	return false
}

// offer gives the feed a living row of the range, if it passes.
func (x *Scratch) offer(r *picked, kind uint32) {
	if x.filter != nil && pass(x.filter, r.ord) == 0 || x.target(kind) == x.targets {
		return
	}
	r.kind = x.view.kinds[kind]
	x.feed.offer(r)
}
