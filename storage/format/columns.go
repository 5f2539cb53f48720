package format

import "encoding/binary"

// A value of a is 4,096 members' u16: sparse as an operand and while few are known,
// dense (all of them) later. What is newer overwrites; 0 is unknown, and kept in an
// operand, since it overwrites too.
const (
	ColumnChunk  = 4096
	sparseLimit  = 1024
	columnSparse = 0
	columnDense  = 1
)

// ColumnCodec is the scratch of one merge.
type ColumnCodec struct {
	value [ColumnChunk]uint16
	known [ColumnChunk / 64]uint64
	n     int // of known
}

func (c *ColumnCodec) reset() { c.n = 0; clear(c.known[:]); clear(c.value[:]) }

func (c *ColumnCodec) put(i int, x uint16) {
	if c.known[i>>6]>>(i&63)&1 == 0 {
		c.known[i>>6] |= 1 << (i & 63)
		c.n++
	}
	c.value[i] = x
}

// decode overwrites with an operand.
func (c *ColumnCodec) decode(v []byte) error {
	cur, err := openValue(v, "a")
	if err != nil {
		return err
	}
	switch cur.byte() {
	case columnDense:
		raw := cur.take(2 * ColumnChunk)
		for i := 0; i < len(raw); i += 2 {
			c.put(i/2, le.Uint16(raw[i:]))
		}
	case columnSparse:
		i := uint64(0)
		for n := cur.below(ColumnChunk); n > 0; n-- {
			i += cur.below(ColumnChunk)
			raw := cur.take(2)
			if raw == nil || i >= ColumnChunk {
				return Damaged("a")
			}
			c.put(int(i), le.Uint16(raw))
		}
	default:
		cur.fail()
	}
	return cur.close("a")
}

// ValuesOf is what a whole value knows, without the unknown ones at both ends; the values
// are the codec's until it is used again.
func (c *ColumnCodec) ValuesOf(v []byte) (from int, values []uint16, err error) {
	c.reset()
	if err := c.decode(v); err != nil {
		return 0, nil, err
	}
	to := ColumnChunk
	for from < to && c.value[from] == 0 {
		from++
	}
	for from < to && c.value[to-1] == 0 {
		to--
	}
	return from, c.value[from:to], nil
}

// AppendCell appends the operand of one member.
func AppendCell(dst []byte, i int, x uint16) []byte {
	dst = binary.AppendUvarint(append(dst, version1, columnSparse, 1), uint64(i))
	return le.AppendUint16(dst, x)
}

// append appends what is known; all is, once base is included.
func (c *ColumnCodec) append(dst []byte, base bool) []byte {
	if base && c.n > sparseLimit || c.n == ColumnChunk {
		dst = append(dst, version1, columnDense)
		for _, x := range c.value {
			dst = le.AppendUint16(dst, x)
		}
		return dst
	}
	dst = binary.AppendUvarint(append(dst, version1, columnSparse), uint64(c.n))
	last := 0
	for i, x := range c.value {
		if c.known[i>>6]>>(i&63)&1 != 0 {
			dst = le.AppendUint16(binary.AppendUvarint(dst, uint64(i-last)), x)
			last = i
		}
	}
	return dst
}

func (c *ColumnCodec) merge(dst []byte, operands [][]byte, base bool) ([]byte, error) {
	c.reset()
	for _, v := range operands {
		if err := c.decode(v); err != nil {
			return nil, err
		}
	}
	return c.append(dst, base), nil
}
