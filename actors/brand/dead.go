package brand

import (
	"math/bits"
	"slices"
)

// dead marks rows taken out of a chunk or a tail. nil marks none. It is copied
// when changed, at most once an epoch.
type dead struct {
	bits  []uint64
	n     int
	epoch uint64
}

func (d *dead) has(i int) bool { return d != nil && d.bits[i>>6]>>(i&63)&1 != 0 }

func (d *dead) count() int {
	if d == nil {
		return 0
	}
	return d.n
}

// within is how many of the rows [lo, hi) are marked.
func (d *dead) within(lo, hi int) (n int) {
	if d.count() == 0 || lo >= hi {
		return 0
	}
	for w := lo >> 6; w <= (hi-1)>>6; w++ {
		b := d.bits[w]
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
func (d *dead) with(i, size int, epoch uint64) *dead {
	if d == nil {
		d = &dead{bits: make([]uint64, (size+63)/64), epoch: epoch}
	} else if d.epoch != epoch {
		d = d.copy(epoch)
	}
	d.bits[i>>6] |= 1 << (i & 63)
	d.n++
	return d
}

func (d *dead) copy(epoch uint64) *dead {
	if d == nil {
		return nil
	}
	return &dead{bits: slices.Clone(d.bits), n: d.n, epoch: epoch}
}

// grown is d for a tail that has grown to size rows.
func (d *dead) grown(size int, epoch uint64) *dead {
	if d == nil {
		return nil
	}
	b := make([]uint64, (size+63)/64)
	copy(b, d.bits)
	return &dead{bits: b, n: d.n, epoch: epoch}
}

// since calls f with the rows marked in d and not in old.
func (d *dead) since(old *dead, f func(i int)) {
	if d.count() == old.count() {
		return
	}
	for w, b := range d.bits {
		if old != nil {
			b &^= old.bits[w]
		}
		for ; b != 0; b &= b - 1 {
			f(w<<6 + bits.TrailingZeros64(b))
		}
	}
}
