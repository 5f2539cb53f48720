package scan

import (
	"math"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
)

// mostPassFrom says when the rest is read brand by brand rather than its passing rows
// gathered and put in order: when one in so many rows of its chunks may pass. To put a
// row in order takes longer than to pass over it.
const mostPassFrom = 4

// mostPass reports that so many of the rows of the spans' chunks may pass.
func (x *crossover) mostPass() bool {
	all := 0
	for i := range x.spans {
		all += x.spans[i].c.Rows()
	}
	return all > 0 && x.passing(x.spanned())*mostPassFrom >= all
}

// barred marks members who do not pass: no generation is after it.
const barred = math.MaxUint32

// brandByBrand counts the members of each brand of the spans and of the loose rows, all
// rows of the spans' chunks being put in the order of their brands: how many each has of
// them is known.
func (x *crossover) brandByBrand(union []uint64, count func(dense uint32, n uint64)) {
	brands := x.looseBrands()
	for i := range x.spans {
		of := x.spans[i].c.Brands
		brands = max(brands, int(of[len(of)-1])+1)
	}
	x.at = sized(x.at, brands)
	at := x.at
	clear(at)
	for i := range x.spans {
		c := x.spans[i].c
		for j, b := range c.Brands {
			at[b] += c.Starts[j+1] - c.Starts[j]
		}
	}
	x.bar()
	x.startBrands()
	for i := range x.spans {
		if !x.goesOn() {
			break
		}
		x.spreadBrands(&x.spans[i])
	}
	x.fillBrands()
	from := uint32(0)
	for b, end := range at {
		if from < end && !x.over {
			x.gen++
			count(uint32(b), x.newly(x.grouped[from:end]))
		}
		from = end
	}
	x.unbar(union)
}

// spreadBrands puts the ordinals of a chunk's rows where their brands are; for a row that
// does not count, nobody's. The rows are taken in the order of the brands, so that
// what is written is near what was written before.
func (x *crossover) spreadBrands(sp *span) {
	c, at, grouped, ords := sp.c, x.at, x.grouped, sp.c.Ord
	out, nobody := x.outs(sp), uint32(x.words*64)
	from := c.Starts[0]
	for j, b := range c.Brands {
		end := c.Starts[j+1]
		places := c.ByBrand[from:end]
		to := grouped[at[b]:][:len(places)]
		at[b] += end - from
		from = end
		if out == nil {
			for i, p := range places {
				to[i] = ords[p]
			}
			continue
		}
		for i, p := range places {
			to[i] = max(ords[p], nobody*uint32(out[p>>6]>>(p&63)&1))
		}
	}
}

// outs are bits of the rows of a span's chunk that do not count; nil: all do.
func (x *crossover) outs(sp *span) []uint64 {
	size := sp.c.Rows()
	if sp.dead == nil && !sp.drops && sp.hi-sp.lo == size {
		return nil
	}
	x.out = sized(x.out, rows.MaxChunk/64)
	lut := x.table(sp)
	for lo := 0; lo < size; lo += 64 {
		hi, out := min(lo+64, size), uint64(0)
		if sp.dead != nil {
			out = sp.dead.Bits[lo>>6]
		}
		if lo < sp.lo || hi > sp.hi {
			for i := lo; i < hi; i++ {
				out |= uint64(bitset.Bit(i < sp.lo)|bitset.Bit(i >= sp.hi)) << (i & 63)
			}
		}
		if sp.drops {
			for i, k := range sp.c.Kind[lo:hi] {
				out |= uint64(bitset.Bit(lut[k] == x.targets)) << i
			}
		}
		x.out[lo>>6] = out
	}
	return x.out
}

// newly counts the ordinals that are not barred and not met in this generation, and
// marks them.
func (x *crossover) newly(ords []uint32) (n uint64) {
	seen, gen := x.seen, x.gen
	for _, o := range ords {
		was := seen[o]
		n += uint64(bitset.Bit(was < gen))
		seen[o] = max(was, gen)
	}
	return n
}

// bar begins with generation 0, and bars who does not pass, and nobody.
func (x *crossover) bar() {
	x.gen, x.seen = 0, grown(x.seen, x.words*64+1)
	seen := x.seen[:x.words*64]
	if x.filter == nil {
		clear(seen)
	} else {
		for i, w := range x.filter[:x.words] {
			for j := range seen[i*64:][:64] {
				seen[i*64+j] = uint32(w>>j&1) - 1
			}
		}
	}
	x.seen[len(seen)] = barred
}

// unbar forgets the marks; who was met is added to the union, if there is one.
func (x *crossover) unbar(union []uint64) {
	for i := range union {
		w := uint64(0)
		for j, gen := range x.seen[i*64:][:64] {
			w |= uint64(bitset.Bit(gen-1 < barred-1)) << j
		}
		union[i] |= w
	}
	clear(x.seen)
	x.gen = 0
}
