package brand

import "github.com/ovation-analytics/ovation/actors/domain"

// standing is what a member has come to.
type standing struct {
	score   uint64
	actions uint64
}

// Leaders ranks the members with an action in the question: the first Top.End of
// them, or of those behind Top.After, each with its latest action if Top.Latest is set.
// Audience is the caller's.
// The error is ErrCold, or that of the Source.
func (v *View) Leaders(x *Scratch, a *Ask) (*domain.Leaders, error) {
	defer x.end()
	defer x.forget()
	if !x.open(v, a, false) {
		return &domain.Leaders{}, nil
	}
	if err := x.score(a); err != nil {
		return nil, err
	}
	out := &domain.Leaders{}
	first := x.rank(a, out)
	out.Members = make([]domain.Leader, len(first))
	for i, p := range first {
		s := &x.standings[p.ord]
		l := domain.Leader{Member: domain.MemberID(p.id), Score: s.score, Actions: s.actions}
		if a.Plan.top.Order.Timed() {
			l.At = a.At(domain.Ordinal(p.ord))
		}
		out.Members[i] = l
	}
	if !a.Plan.top.Latest {
		return out, nil
	}
	var err error
	out.Latest, err = x.latest(a, first)
	return out, err
}

// score fills in the standings of all who have one.
func (x *Scratch) score(a *Ask) error {
	x.standings = grown(x.standings, x.words*64)
	x.met = sized(x.met, x.words*64+1)[:0]
	if x.alone {
		return x.every(a, x.scoreMet)
	}
	if err := x.visit(a, x.scoreMet); err != nil {
		return err
	}
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		x.scoreSpan(&x.spans[i])
	}
	return nil
}

// forget takes the standings back.
func (x *Scratch) forget() {
	for _, o := range x.met {
		x.standings[o] = standing{}
	}
	x.met = x.met[:0]
}

// rank sums up the standings and gives the first of them.
func (x *Scratch) rank(a *Ask, sum *domain.Leaders) []place {
	top := a.Plan.top
	b := best{k: top.End()}
	var after place
	if top.After != nil {
		after = place{key: top.After.Rank, id: uint64(top.After.Member)}
		if top.Up {
			after.key = ^after.key
		}
	}
	for _, o := range x.met {
		s := &x.standings[o]
		sum.Total.Members++
		sum.Total.Actions += s.actions
		if top.Above != nil {
			sum.Above += uint64(bit(s.score > *top.Above))
			continue
		}
		p := place{key: x.rankOf(a, o), ord: o}
		if top.Up {
			p.key = ^p.key
		}
		if b.full && p.key < b.floor.key {
			continue
		}
		p.id = uint64(a.ID(domain.Ordinal(o)))
		if top.After != nil && before(p, after) <= 0 {
			sum.Ahead++
			continue
		}
		b.offer(p)
	}
	return b.sorted()
}

// rankOf is what a member with a standing is ranked by.
func (x *Scratch) rankOf(a *Ask, o uint32) uint64 {
	switch a.Plan.top.Order {
	case domain.ByScore:
		return x.standings[o].score
	case domain.ByActions:
		return x.standings[o].actions
	}
	return uint64(a.At(domain.Ordinal(o)))
}

// scoreMet counts a row outside of chunks.
func (x *Scratch) scoreMet(m met) {
	w := x.plan.worth(m.kind.definition)
	s := &x.standings[m.ord]
	if s.actions == 0 {
		x.met = append(x.met, m.ord)
	}
	s.actions++
	s.score += uint64(m.points&w.keep + w.add)
}

// scoreSpan counts the rows of a span, without a branch on any of them.
func (x *Scratch) scoreSpan(sp *span) {
	c, lo, hi := sp.c, sp.lo, sp.hi
	ords, kinds, given := c.ord[lo:hi], c.kind[lo:hi], c.points[lo:hi]
	worths := x.worthsOf(c)
	all, n := x.standings, len(x.met)
	met := x.met[:cap(x.met)] // one more than there are members: a place to write in vain
	if x.filter == nil && sp.dead == nil && !sp.drops {
		kinds, given = kinds[:len(ords)], given[:len(ords)]
		for i, o := range ords {
			w, s := worths[kinds[i]], &all[o]
			met[n] = o
			n += bit(s.actions == 0)
			s.actions++
			s.score += uint64(given[i]&w.keep + w.add)
		}
		x.met = met[:n]
		return
	}
	lut, f := x.table(sp), x.filter
	passing := x.places(sp, lo, hi)
	for _, p := range x.pos[:passing] {
		o, k := ords[p], kinds[p]
		ok := bit(lut[k] != x.targets)
		if f != nil {
			ok &= pass(f, o)
		}
		if sp.dead != nil {
			j := lo + int(p)
			ok &^= int(sp.dead.bits[j>>6] >> (j & 63) & 1)
		}
		w, s := worths[k], &all[o]
		met[n] = o
		n += ok & bit(s.actions == 0)
		s.actions += uint64(ok)
		s.score += uint64(given[p]&w.keep+w.add) & -uint64(ok)
	}
	x.met = met[:n]
}

// worthsOf are what the chunk's kinds are worth.
func (x *Scratch) worthsOf(c *chunk) []points {
	x.worths = sized(x.worths, len(c.dict))
	for code, k := range c.dict {
		x.worths[code] = x.plan.worth(x.view.kinds[k].definition)
	}
	return x.worths
}
