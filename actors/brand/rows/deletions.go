package rows

import (
	"math/bits"
	"slices"
)

// Deletions marks rows taken out of a chunk or a tail. nil marks none. It is copied
// when changed, at most once an epoch.
type Deletions struct {
	Bits  []uint64
	n     int
	epoch uint64
}

// Has reports that a row is marked.
func (d *Deletions) Has(i int) bool { return d != nil && d.Bits[i>>6]>>(i&63)&1 != 0 }

// Count is how many rows are marked.
func (d *Deletions) Count() int {
	if d == nil {
		return 0
	}
	return d.n
}

// CountIn is how many of the rows [lo, hi) are marked.
func (d *Deletions) CountIn(lo, hi int) (n int) {
	if d.Count() == 0 || lo >= hi {
		return 0
	}
	for w := lo >> 6; w <= (hi-1)>>6; w++ {
		b := d.Bits[w]
		if w == lo>>6 {
			b &= ^uint64(0) << (lo & 63)
		}
		if w == (hi-1)>>6 {
			b &= ^uint64(0) >> (63 - (hi-1)&63)
		}
		n += bits.OnesCount64(b)
	}
	return n
}

// with is d with row i of size marked too: d itself if it was made in this epoch.
func (d *Deletions) with(i, size int, epoch uint64) *Deletions {
	if d == nil {
		d = &Deletions{Bits: make([]uint64, (size+63)/64), epoch: epoch}
	} else if d.epoch != epoch {
		d = d.copy(epoch)
	}
	d.Bits[i>>6] |= 1 << (i & 63)
	d.n++
	return d
}

func (d *Deletions) copy(epoch uint64) *Deletions {
	if d == nil {
		return nil
	}
	return &Deletions{Bits: slices.Clone(d.Bits), n: d.n, epoch: epoch}
}

// grown is d for a tail that has grown to size rows.
func (d *Deletions) grown(size int, epoch uint64) *Deletions {
	if d == nil {
		return nil
	}
	b := make([]uint64, (size+63)/64)
	copy(b, d.Bits)
	return &Deletions{Bits: b, n: d.n, epoch: epoch}
}

// since calls f with the rows marked in d and not in old.
func (d *Deletions) since(old *Deletions, f func(i int)) {
	if d.Count() == old.Count() {
		return
	}
	for w, b := range d.Bits {
		if old != nil {
			b &^= old.Bits[w]
		}
		for ; b != 0; b &= b - 1 {
			f(w<<6 + bits.TrailingZeros64(b))
		}
	}
}
