package brand

// collect finds the question's rows: stretches of chunks, and loose rows from
// tails, from small brands and from disk.
func (x *Scratch) collect(a *Ask) error { return x.collectSets(a, x.tail) }

// collectSets is collect; tail takes the tails of whole sets.
func (x *Scratch) collectSets(a *Ask, tail func(published)) (err error) {
	v := x.view
	v.each(a.Brand, func(s *set, small bool) {
		switch {
		case err != nil || !x.goesOn():
		case s.cold:
			err = x.stream(s, a.Cold)
		case small:
			x.small(s, a.Brand)
		default:
			for _, r := range s.runs {
				x.span(r)
			}
			tail(s.upto(v.Seq))
		}
	})
	return x.fate(err)
}

// span adds the chunk's rows in the range, unless all of them are dropped.
func (x *Scratch) span(r run) {
	c, in := r.c, x.plan.span
	if c.max < in.From || c.min >= in.To {
		return
	}
	lo, hi := c.cut(in.From, in.To)
	if lo >= hi {
		return
	}
	sp := span{c: c, lo: lo, hi: hi, first: c.time[lo], lut: len(x.lut)}
	for code, k := range c.dict {
		t := x.target(k)
		x.lut = append(x.lut, t)
		if t == x.targets {
			sp.drops = true
		} else {
			sp.kept += int(c.count[code])
		}
	}
	if sp.kept == 0 {
		x.lut = x.lut[:sp.lut]
		return
	}
	if r.dead.count() > 0 {
		sp.dead = r.dead
	}
	x.spans = append(x.spans, sp)
}

// tail appends the passing rows of a tail, of all its brands.
func (x *Scratch) tail(p published) {
	skip := p.since(x.plan.span.From)
	from, width := x.plan.span.From, x.plan.span.To-x.plan.span.From
	n := x.room(len(p.rows) - skip)
	for i := skip; i < len(p.rows); i++ {
		r := &p.rows[i]
		t := x.target(r.kind)
		x.ord[n], x.to[n], x.day[n] = r.ord, t, r.time/86400-x.first
		ok := bit(r.time-from < width) & bit(t != x.targets)
		if x.filter != nil {
			ok &= pass(x.filter, r.ord)
		}
		if p.dead != nil {
			ok &^= int(p.dead.bits[i>>6] >> (i & 63) & 1)
		}
		n += ok
	}
	x.keep(n)
}

// small appends the passing rows of one brand of the rest. They are few: a branch
// is right.
func (x *Scratch) small(s *set, dense uint32) {
	in := x.plan.span
	for _, r := range s.runs {
		c := r.c
		if c.max < in.From || c.min >= in.To {
			continue
		}
		for _, p := range c.of(dense) {
			if i := int(p); !r.dead.has(i) {
				x.loose(c.time[i], c.ord[i], x.target(c.dict[c.kind[i]]))
			}
		}
	}
	p := s.upto(x.view.Seq)
	skip := p.since(in.From)
	for i, b := range p.brand[min(skip, len(p.brand)):] {
		if b == dense && !p.dead.has(skip+i) {
			r := &p.rows[skip+i]
			x.loose(r.time, r.ord, x.target(r.kind))
		}
	}
}

// loose appends a row if it belongs to the question.
func (x *Scratch) loose(time, ord, target uint32) {
	if !x.passes(time, ord, target) {
		return
	}
	n := x.room(1)
	x.ord[n], x.to[n], x.day[n] = ord, target, time/86400-x.first
	x.keep(n + 1)
}
