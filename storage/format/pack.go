package format

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

var le = binary.LittleEndian

// A packed column holds value − base in so many bits each, lowest bits first. Widths
// are 0 to 56, so that one 8-byte load holds a value at any bit offset, or 64.
const widestLoad = 56

// bounds are the least and the greatest value; there is at least one.
func bounds(v []uint64) (lo, hi uint64) {
	lo, hi = v[0], v[0]
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// widthOf is the width that values up to a number need.
func widthOf(maxValue uint64) int {
	if width := bits.Len64(maxValue); width <= widestLoad {
		return width
	}
	return 64
}

// packedLen is the number of bytes of n values. The caller has bounded n.
func packedLen(n, width int) int { return (n*width + 7) / 8 }

// appendPacked appends v as a packed column.
func appendPacked(dst []byte, v []uint64, base uint64, width int) []byte {
	switch width {
	case 0:
		return dst
	case 64:
		for _, x := range v {
			dst = le.AppendUint64(dst, x-base)
		}
		return dst
	}
	k, n := len(dst), packedLen(len(v), width)
	dst = slices.Grow(dst, n+8)
	out := dst[k : k+n+8]
	var acc uint64
	filled, p := uint(0), 0
	for _, x := range v {
		acc |= (x - base) << filled
		filled += uint(width)
		le.PutUint64(out[p:], acc)
		whole := filled &^ 7
		p += int(whole >> 3)
		acc >>= whole
		filled &= 7
	}
	return dst[:k+n]
}

// column is a view of a packed column. data may run beyond the column's end.
type column struct {
	base  uint64
	width int
	data  []byte
}

// most is what no value is above.
func (c *column) most() uint64 {
	if c.width == 64 {
		return math.MaxUint64
	}
	return c.base + (1<<uint(c.width) - 1)
}

// at is the i-th value; i is below the n the column was cut for.
func (c *column) at(i int) uint64 {
	if c.width == 0 {
		return c.base
	}
	p := i * c.width
	if c.width == 64 {
		return c.base + le.Uint64(c.data[p>>3:])
	}
	return c.base + load(c.data, p>>3)>>(uint(p)&7)&(1<<uint(c.width)-1)
}

// load reads up to 8 bytes at p.
func load(data []byte, p int) uint64 {
	if p+8 <= len(data) {
		return le.Uint64(data[p:])
	}
	var last [8]byte
	copy(last[:], data[p:])
	return le.Uint64(last[:])
}

// unpack sets dst to the values from the first-th on.
func (c *column) unpack(dst []uint64, first int) {
	if c.width == 0 || c.width == 64 {
		for i := range dst {
			dst[i] = c.at(first + i)
		}
		return
	}
	base, width, mask, p := c.base, c.width, uint64(1)<<uint(c.width)-1, first*c.width
	whole := 0 // of them eight bytes can be read at once
	if fast := len(c.data) - 8; p>>3 <= fast {
		whole = min((fast<<3|7-p)/width+1, len(dst))
	}
	for i := range dst[:whole] {
		dst[i] = base + le.Uint64(c.data[p>>3:])>>(uint(p)&7)&mask
		p += width
	}
	for i := whole; i < len(dst); i++ {
		dst[i] = base + load(c.data, p>>3)>>(uint(p)&7)&mask
		p += width
	}
}

// packer appends columns: their heads (width u8, base uvarint) before their bodies.
type packer struct {
	cols  [][]uint64
	base  []uint64
	width []int
}

// reset makes room for n columns.
func (p *packer) reset(n int) {
	for len(p.cols) < n {
		p.cols = append(p.cols, nil)
		p.base = append(p.base, 0)
		p.width = append(p.width, 0)
	}
	for i := range n {
		p.cols[i] = p.cols[i][:0]
	}
}

// append appends the first n columns, none of them empty.
func (p *packer) append(dst []byte, n int) []byte {
	for i := range n {
		lo, hi := bounds(p.cols[i])
		p.base[i], p.width[i] = lo, widthOf(hi-lo)
		dst = binary.AppendUvarint(append(dst, byte(p.width[i])), p.base[i])
	}
	for i := range n {
		dst = appendPacked(dst, p.cols[i], p.base[i], p.width[i])
	}
	return dst
}

// columns cuts packed columns off the cursor: heads, then bodies, counts[i] values in
// the i-th. counts are bounded by the bytes that are left.
func (c *cursor) columns(cols []column, counts func(i int) int) {
	for i := range cols {
		w := int(c.byte())
		if w > widestLoad && w != 64 {
			c.bad = true
		}
		cols[i].width, cols[i].base = w, c.uvarint()
	}
	if c.bad {
		return
	}
	for i := range cols {
		n := counts(i)
		if n < 0 || n > 8*len(c.b) && cols[i].width > 0 || packedLen(n, cols[i].width) > len(c.b) {
			c.bad = true
			return
		}
		cols[i].data = c.b
		c.b = c.b[packedLen(n, cols[i].width):]
	}
}
