package brand

import (
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Crossover counts, for every other brand that the directory lists, the members
// with an action both for it and for the brand asked about; of EveryBrand the
// members of each brand. The error is ErrCold, or that of the Source.
func (v *View) Crossover(x *Scratch, a *Ask) (*domain.Crossover, error) {
	defer x.end()
	out := &domain.Crossover{}
	if !x.open(v, a, false) {
		return out, nil
	}
	x.seen = grown(x.seen, x.words*64)
	x.wanted = sized(x.wanted, x.words)
	clear(x.wanted)
	union := x.wanted // of EveryBrand: who is met is noted
	if a.Brand != EveryBrand {
		if err := x.collect(a); err != nil {
			return nil, err
		}
		x.everyone(union)
		x.filterBy(x.wanted)
		union = nil
		if out.Members = members(x.wanted); out.Members == 0 {
			return out, nil
		}
	}
	for i := range uint32(v.own) {
		s := v.sets.Get(i)
		switch {
		case s.dense == Visits || s.dense == a.Brand:
			continue
		case union == nil && !a.Brands.listed(s.dense):
			continue
		}
		n, err := x.ofSet(s, a, union)
		if err != nil {
			return nil, err
		}
		if n > 0 && a.Brands.listed(s.dense) {
			out.Brands = append(out.Brands, domain.BrandMembers{Brand: s.id, Members: n})
		}
	}
	x.ofRest(v.rest, a, union, out)
	if union != nil {
		out.Members = members(union)
	}
	return out, nil
}

// members is how many are in a bitset.
func members(set []uint64) (n uint64) {
	for _, w := range set {
		n += uint64(bits.OnesCount64(w))
	}
	return n
}

// note puts ordinals into a set, if there is one.
func note(set []uint64, ords []uint32) {
	if set == nil {
		return
	}
	for _, o := range ords {
		set[o>>6] |= 1 << (o & 63)
	}
}

// everyone puts the members of the rows collected into the set.
func (x *Scratch) everyone(set []uint64) {
	x.meet()
	x.part(set)
}

// ofSet counts the members of a brand with columns of its own.
func (x *Scratch) ofSet(s *set, a *Ask, union []uint64) (n uint64, err error) {
	x.again()
	if s.cold {
		err = x.stream(s, a.Cold)
	} else {
		for _, r := range s.runs {
			x.span(r)
		}
	}
	tail := s.upto(x.view.Seq)
	if x.fewerThanSet(len(tail.rows)) {
		x.tail(tail)
		x.gatherAll()
		note(union, x.ord)
		return x.distinct(x.ord), x.fate(err)
	}
	x.meet()
	x.meetTail(tail)
	return x.part(union), x.fate(err)
}

// meetTail puts the members of a tail's rows into all.
func (x *Scratch) meetTail(p published) {
	in, all := x.plan.span, x.all
	if x.whole(p) {
		for i := range p.rows {
			o := p.rows[i].ord
			all[o>>6] |= 1 << (o & 63)
		}
		return
	}
	for i := p.since(in.From); i < len(p.rows); i++ {
		r := &p.rows[i]
		ok := bit(r.time-in.From < in.To-in.From) & bit(x.target(r.kind) != x.targets)
		if p.dead != nil {
			ok &^= int(p.dead.bits[i>>6] >> (i & 63) & 1)
		}
		all[r.ord>>6] |= uint64(ok) << (r.ord & 63)
	}
}

// part counts the members met who pass the filter, adds them to the set, if there is
// one, and lets go of all whom it met.
func (x *Scratch) part(set []uint64) (n uint64) {
	all, f := x.all[:x.words], x.filter
	if set == nil && f != nil {
		f = f[:len(all)]
		for i, w := range all {
			n += uint64(bits.OnesCount64(w & f[i]))
			all[i] = 0
		}
		return n
	}
	for i, w := range all {
		if f != nil {
			w &= f[i]
		}
		if set != nil {
			set[i] |= w
		}
		n += uint64(bits.OnesCount64(w))
		all[i] = 0
	}
	return n
}
