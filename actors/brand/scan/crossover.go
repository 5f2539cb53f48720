package scan

import (
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Crossover counts, for every other brand that the directory lists, the members
// with an action both for it and for the brand asked about; of EveryBrand the
// members of each brand. The error is ErrCold, or that of the Source.
func (x *Scratch) Crossover(v *rows.View, a *Ask) (*domain.Crossover, error) {
	defer x.end()
	out := &domain.Crossover{}
	if !x.open(v, a, false) {
		return out, nil
	}
	x.seen = grown(x.seen, x.words*64)
	x.wanted = sized(x.wanted, x.words)
	clear(x.wanted)
	union := x.wanted // of EveryBrand: who is met is noted
	if a.Brand != rows.EveryBrand {
		if err := x.collect(a); err != nil {
			return nil, err
		}
		x.everyone(union)
		x.filterBy(x.wanted)
		union = nil
		if out.Members = bitset.Count(x.wanted); out.Members == 0 {
			return out, nil
		}
	}
	for i := range v.Owned() {
		s := v.OwnSet(i)
		switch {
		case s.Dense == rows.Visits || s.Dense == a.Brand:
			continue
		case union == nil && !a.Brands.listed(s.Dense):
			continue
		}
		n, err := x.ofSet(s, a, union)
		if err != nil {
			return nil, err
		}
		if n > 0 && a.Brands.listed(s.Dense) {
			out.Brands = append(out.Brands, domain.BrandMembers{Brand: s.ID, Members: n})
		}
	}
	x.ofRest(v.Rest, a, union, out)
	if union != nil {
		out.Members = bitset.Count(union)
	}
	return out, nil
}

// everyone puts the members of the rows collected into the set.
func (x *Scratch) everyone(set []uint64) {
	x.meet()
	x.part(set)
}

// ofSet counts the members of a brand with columns of its own.
func (x *Scratch) ofSet(s *rows.Set, a *Ask, union []uint64) (n uint64, err error) {
	x.again()
	if s.Cold {
		err = x.stream(s, a.Cold)
	} else {
		for _, r := range s.Runs {
			x.span(r)
		}
	}
	tail := s.TailAt(x.view.Seq)
	if x.fewerThanSet(len(tail.Rows)) {
		x.tail(tail)
		x.gatherAll()
		bitset.AddAll(union, x.ord)
		return x.distinct(x.ord), x.fate(err)
	}
	x.meet()
	x.meetTail(tail)
	return x.part(union), x.fate(err)
}

// meetTail puts the members of a tail's rows into all.
func (x *Scratch) meetTail(p rows.Tail) {
	in, all := x.plan.span, x.all
	if x.whole(p) {
		for i := range p.Rows {
			o := p.Rows[i].Ord
			all[o>>6] |= 1 << (o & 63)
		}
		return
	}
	for i := p.Skip(in.From); i < len(p.Rows); i++ {
		r := &p.Rows[i]
		ok := bitset.Bit(r.Time-in.From < in.To-in.From) & bitset.Bit(x.target(r.Kind) != x.targets)
		if p.Deleted != nil {
			ok &^= int(p.Deleted.Bits[i>>6] >> (i & 63) & 1)
		}
		all[r.Ord>>6] |= uint64(ok) << (r.Ord & 63)
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
