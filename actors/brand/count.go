package brand

// countRows counts the question's rows, whoever did them: where all of a chunk or of a
// tail belong to it, they are not looked at.
func (x *Scratch) countRows(a *Ask) (n uint64, err error) {
	if err := x.collectSets(a, func(p published) { n += x.countTail(p) }); err != nil {
		return 0, err
	}
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		n += x.countSpan(&x.spans[i])
	}
	return n + uint64(len(x.ord)), nil
}

// countSpan counts the rows of a span, or makes them loose ones.
func (x *Scratch) countSpan(sp *span) (n uint64) {
	rows := sp.hi - sp.lo
	switch {
	case x.filter != nil || sp.dead != nil && sp.drops:
		x.gather(sp, sp.lo, sp.hi)
		return 0
	case !sp.drops:
		return uint64(rows - sp.dead.within(sp.lo, sp.hi))
	case rows == sp.c.rows():
		return uint64(sp.kept)
	}
	lut := x.table(sp)
	for _, k := range sp.c.kind[sp.lo:sp.hi] {
		n += uint64(bit(lut[k] != x.targets))
	}
	return n
}

// countTail counts the passing rows of a tail.
func (x *Scratch) countTail(p published) (n uint64) {
	in, rows := x.plan.span, len(p.rows)
	if x.filter == nil && x.whole(p) {
		return uint64(rows)
	}
	for i := p.since(in.From); i < rows; i++ {
		r := &p.rows[i]
		ok := bit(r.time-in.From < in.To-in.From) & bit(x.target(r.kind) != x.targets)
		if x.filter != nil {
			ok &= pass(x.filter, r.ord)
		}
		if p.dead != nil {
			ok &^= int(p.dead.bits[i>>6] >> (i & 63) & 1)
		}
		n += uint64(ok)
	}
	return n
}

// whole reports that every row of a tail belongs to the question, whoever did it.
func (x *Scratch) whole(p published) bool {
	if len(p.rows) == 0 {
		return true
	}
	last, in := &p.rows[len(p.rows)-1], x.plan.span
	return p.dead == nil && last.low >= in.From && last.high < in.To && x.everyKind()
}

// everyKind reports that rows of every kind of the account count.
func (x *Scratch) everyKind() bool {
	if x.kinds == 0 {
		x.kinds = 1
		for k := range x.view.kinds {
			if x.target(uint32(k)) == x.targets {
				x.kinds = -1
				break
			}
		}
	}
	return x.kinds > 0
}
