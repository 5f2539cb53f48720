package format

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A value of b is 65,536 ordinals: (S, C), set S and clear C of what is older, where
// S and C have none in common. (S₁,C₁)·(S₂,C₂) = ((S₁∖C₂)∪S₂, (C₁∖S₂)∪C₂); C is kept
// until the oldest is included. Each is an array while it has at most 4,096 ordinals,
// a bitmap beyond, as a container of Roaring is.
const (
	chunkBits  = 1 << 16
	arrayLimit = 4096
)

type bitset [chunkBits / 64]uint64

func (b *bitset) set(i uint16) { b[i>>6] |= 1 << (i & 63) }
func (b *bitset) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls f with every member, ascending.
func (b *bitset) each(f func(i uint16)) {
	for k, w := range b {
		for ; w != 0; w &= w - 1 {
			f(uint16(k<<6 | bits.TrailingZeros64(w)))
		}
	}
}

func (b *bitset) append(dst []byte) []byte {
	n := b.count()
	dst = binary.AppendUvarint(dst, uint64(n))
	if n > arrayLimit {
		for _, w := range b {
			dst = le.AppendUint64(dst, w)
		}
		return dst
	}
	b.each(func(i uint16) { dst = le.AppendUint16(dst, i) })
	return dst
}

// read reads what append wrote into b, which is empty.
func (b *bitset) read(c *cursor) {
	n := c.below(chunkBits)
	if n > arrayLimit {
		for i := range b {
			b[i] = c.fixed64()
		}
		return
	}
	v := c.take(2 * n)
	for i := 0; i < len(v); i += 2 {
		b.set(le.Uint16(v[i:]))
	}
}

// AppendBit appends the operand of one member.
func AppendBit(dst []byte, i uint16, on bool) []byte {
	if on {
		return append(le.AppendUint16(append(dst, version1, 1), i), 0)
	}
	return le.AppendUint16(append(dst, version1, 0, 1), i)
}

// BitCodec is the scratch of one merge.
type BitCodec struct{ set, clear, newSet, newClear bitset }

func (c *BitCodec) decode(v []byte) error {
	cur, err := openValue(v, "b")
	if err != nil {
		return err
	}
	c.newSet, c.newClear = bitset{}, bitset{}
	c.newSet.read(&cur)
	c.newClear.read(&cur)
	if err := cur.close("b"); err != nil {
		return err
	}
	for i := range c.newSet {
		if c.newSet[i]&c.newClear[i] != 0 {
			return Damaged("b")
		}
	}
	return nil
}

func (c *BitCodec) merge(dst []byte, operands [][]byte, base bool) ([]byte, error) {
	c.set, c.clear = bitset{}, bitset{}
	for _, v := range operands {
		if err := c.decode(v); err != nil {
			return nil, err
		}
		for i := range c.set {
			c.set[i] = c.set[i]&^c.newClear[i] | c.newSet[i]
			c.clear[i] = c.clear[i]&^c.newSet[i] | c.newClear[i]
		}
	}
	if base {
		c.clear = bitset{}
	}
	return c.clear.append(c.set.append(append(dst, version1))), nil
}

// Ordinals appends those that a whole value has set, the chunk's first being base.
func (c *BitCodec) Ordinals(dst []domain.Ordinal, v []byte, base domain.Ordinal) ([]domain.Ordinal, error) {
	if err := c.decode(v); err != nil {
		return dst, err
	}
	dst = slices.Grow(dst, c.newSet.count())
	c.newSet.each(func(i uint16) { dst = append(dst, base+domain.Ordinal(i)) })
	return dst, nil
}
