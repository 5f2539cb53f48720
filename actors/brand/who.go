package brand

// who are the members of a chunk's rows, dead ones too: bit o&63 of word o>>6 is
// the member with ordinal o. They are noted when a question first asks for all of the chunk,
// and hold for as long as it does, since it never changes. So a question about who did
// anything does not look at its rows; but for its first and its last chunk, as a rule.
//
// nil where there are too few rows for so many members: they are looked at as fast.
func (c *chunk) members() []uint64 {
	if w := c.who.Load(); w != nil {
		return *w
	}
	most := uint32(0)
	for _, o := range c.ord {
		most = max(most, o)
	}
	var who []uint64
	if words := int(most>>6) + 1; words*whoFrom <= len(c.ord) {
		who = make([]uint64, words)
		note(who, c.ord)
	}
	c.who.Store(&who)
	return who
}

// whoFrom is how many rows a chunk must have for 64 members.
const whoFrom = 4

// meet puts the members of the rows collected into all, some who do not pass the filter
// among them.
func (x *Scratch) meet() {
	x.all = grown(x.all, x.words)
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		sp := &x.spans[i]
		switch {
		case sp.dead != nil:
			x.gather(sp, sp.lo, sp.hi)
		case sp.drops:
			x.meetKept(sp)
		default:
			x.meetSpan(sp)
		}
	}
	note(x.all, x.ord)
}

// meetSpan is meet for a span of which every row counts.
func (x *Scratch) meetSpan(sp *span) {
	c := sp.c
	if sp.hi-sp.lo == c.rows() {
		if who := c.members(); who != nil {
			all := x.all[:len(who)]
			for i, w := range who {
				all[i] |= w
			}
			return
		}
	}
	note(x.all, c.ord[sp.lo:sp.hi])
}

// meetKept is meet for a span of which some kinds are dropped.
func (x *Scratch) meetKept(sp *span) {
	lut, ords, all := x.table(sp), sp.c.ord[sp.lo:sp.hi], x.all
	kinds := sp.c.kind[sp.lo:sp.hi]
	kinds = kinds[:len(ords)]
	for i, o := range ords {
		all[o>>6] |= uint64(bit(lut[kinds[i]] != x.targets)) << (o & 63)
	}
}

// countMembers is how many members the rows collected have.
func (x *Scratch) countMembers() uint64 {
	if x.alone || x.fewerThanSet(0) {
		x.gatherAll()
		x.seen = grown(x.seen, x.words*64)
		return x.distinct(x.ord)
	}
	x.meet()
	return x.part(nil)
}

// fewerThanSet reports that the rows collected, and so many more, are looked at faster than
// a set of all members is gone through.
func (x *Scratch) fewerThanSet(more int) bool {
	return len(x.ord)+more+x.spanned() < x.words/8
}
