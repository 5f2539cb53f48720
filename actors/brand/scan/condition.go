package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Required is something that a member may have done.
type Required struct {
	Definition domain.DefinitionID
	Brand      uint32 // dense number; EveryBrand: whichever
}

// Performed are what members must have done in a range: one of some, and every one of
// others. They never change: any number of goroutines may use them.
type Performed struct {
	span   domain.Range
	rounds []round
}

// round is a pass over the rows. Each required action has a bit; a member that has
// all of them did what the round asks for.
type round struct {
	need   uint64
	any    []requiredBits // those for whichever brand
	brands []brandBits    // those for one brand, ascending
}

// requiredBits are the bits of a definition. They are kept ascending, each
// definition once.
type requiredBits struct {
	definition domain.DefinitionID
	bits       uint64
}

// brandBits are the bits of what is done for one brand.
type brandBits struct {
	dense    uint32
	required []requiredBits
}

// roundBits is how many bits a round has: as many actions that are all required take
// one pass over the rows.
const roundBits = 64

// NewPerformed asks for one of any, if there is one, and for every one of all. Those
// of any share one bit.
func NewPerformed(span domain.Range, any, all []Required) *Performed {
	d := &Performed{span: span}
	bits := 0
	next := func() (*round, uint64) {
		if bits%roundBits == 0 {
			d.rounds = append(d.rounds, round{})
		}
		r, bit := &d.rounds[len(d.rounds)-1], uint64(1)<<(bits%roundBits)
		r.need |= bit
		bits++
		return r, bit
	}
	if len(any) > 0 {
		r, bit := next()
		for _, one := range any {
			r.put(one, bit)
		}
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Required) int {
		return cmp.Or(cmp.Compare(a.Brand, b.Brand), cmp.Compare(a.Definition, b.Definition))
	})
	for _, one := range slices.Compact(all) {
		r, bit := next()
		r.put(one, bit)
	}
	return d
}

// put adds a bit to those of the action.
func (r *round) put(d Required, bit uint64) {
	to := &r.any
	if d.Brand != rows.EveryBrand {
		at, there := slices.BinarySearchFunc(r.brands, d.Brand, brandBits.compare)
		if !there {
			r.brands = slices.Insert(r.brands, at, brandBits{dense: d.Brand})
		}
		to = &r.brands[at].required
	}
	at, there := slices.BinarySearchFunc(*to, d.Definition, requiredBits.compare)
	if !there {
		*to = slices.Insert(*to, at, requiredBits{definition: d.Definition})
	}
	(*to)[at].bits |= bit
}

func (b brandBits) compare(dense uint32) int { return cmp.Compare(b.dense, dense) }

func (b requiredBits) compare(d domain.DefinitionID) int { return cmp.Compare(b.definition, d) }

// of are the bits of actions for a brand alone.
func (r *round) of(dense uint32) []requiredBits {
	if i, ok := slices.BinarySearchFunc(r.brands, dense, brandBits.compare); ok {
		return r.brands[i].required
	}
	return nil
}

// bitsOf are the bits of a definition.
func bitsOf(required []requiredBits, definition domain.DefinitionID) uint64 {
	if i, ok := slices.BinarySearchFunc(required, definition, requiredBits.compare); ok {
		return required[i].bits
	}
	return 0
}

// Brands calls f with the dense number of each brand that an action is required for.
func (d *Performed) Brands(f func(dense uint32)) {
	for i := range d.rounds {
		for _, b := range d.rounds[i].brands {
			f(b.dense)
		}
	}
}

// Reads calls f with every brand whose rows are read, by dense number, once for each time
// that they are: EveryBrand where it does not matter for which brand something was done.
func (d *Performed) Reads(f func(dense uint32)) {
	for i := range d.rounds {
		r := &d.rounds[i]
		if len(r.any) > 0 {
			f(rows.EveryBrand)
			continue
		}
		for _, b := range r.brands {
			f(b.dense)
		}
	}
}
