package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// The values, by the family of their key. Each begins with a version byte; u8, u16,
// u32 and u64 are little-endian, v is an unsigned varint, z a signed one (zigzag),
// str is v length and bytes. cols is packed columns: per column {width u8, base v},
// then per column its values − base, width bits each.
//
//	C  ver taken entries            taken: v n, v first, v distance…  (sequences)
//	       entries: v n; n=1: v seq v recorded v len; else cols(seq recorded len); bytes
//	       bytes of one: none, or mask u8 and str for each bit: marker content link
//	       media, country region city lat lon
//	R  ver taken rows               rows: v n; n=1: v time seq ordinal definition
//	                                service points; else cols of the same
//	   ver 2: v n, n × (v length, R) those of ver 1: only the first may take
//	T  ver {account u32 block}…
//	t  ver block…                   block: length u32, v n, v m, cols(ordinal count |
//	       seq time brand definition points service flags class), hash u64 × n;
//	       m members with count rows each, sorted by (ordinal, time, seq)
//	   ver 2: v n, n × v distance of ordinal; block…: members whose older rows are erased
//	a  ver kind                     0: v n {v distance, u16}…   1: 4096 × u16
//	b  ver set clear                each: v n, n ≤ 4096: u16…, else 8192 bytes
//	d  ver kind u8, flags u8, service u8, v member, v action, v brand, v definition, v at      flags: 1 copied
//	f  ver flags u8, v time, u64 hash, v seq              flags: 1 deleted
//	g  ver kind u8, v member, v at                        kind: 1 enter, 0 leave
//	h  ver message
//	i  ver kind u8, state u8, v member
//	k  ver message                  a message of package codec, as those of h, m, q and x
//	m  ver message
//	n  ver {v distance of month·4+class, z rows}…
//	o  ver v account, v ordinal
//	p  ver
//	q  ver message
//	s  ver v rows, v classes
//	u  ver v account, v total
//	v  ver str str                  domain, page
//	x  ver message
//	z  ver and what state.go draws; of an origin: z epoch, z offset; of a state mark: [16]
const version1 = 1

var (
	errVersion = errors.New("unknown version of a stored value")
	// ErrDamaged is what every error of bytes that cannot be read wraps.
	ErrDamaged = errors.New("damaged stored value")
)

// Damaged is an error that names what could not be read.
func Damaged(what string) error { return fmt.Errorf("storage: %s: %w", what, ErrDamaged) }

// Unreadable reports that an error says that a file of a store holds what cannot be read.
func Unreadable(err error) bool { return pebble.IsCorruptionError(err) || errors.Is(err, ErrDamaged) }

// cursor reads a value. After the first step beyond its end it is bad and gives
// zeros.
type cursor struct {
	b   []byte
	bad bool
}

// openValue checks the version: 1, or one of those that are known besides.
func openValue(v []byte, what string, known ...byte) (cursor, error) {
	if len(v) == 0 {
		return cursor{}, Damaged(what)
	}
	if v[0] != version1 && !slices.Contains(known, v[0]) {
		return cursor{}, fmt.Errorf("storage: %s: %w: %d", what, errVersion, v[0])
	}
	return cursor{b: v[1:]}, nil
}

// close reports whether all was read, to the last byte.
func (c *cursor) close(what string) error {
	if c.bad || len(c.b) > 0 {
		return Damaged(what)
	}
	return nil
}

func (c *cursor) uvarint() uint64 {
	x, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return x
}

func (c *cursor) varint() int64 {
	x, n := binary.Varint(c.b)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.b = c.b[n:]
	return x
}

// fail makes the cursor bad and empty.
func (c *cursor) fail() { c.b, c.bad = nil, true }

// below is an unsigned varint that must not be above limit.
func (c *cursor) below(limit uint64) uint64 {
	x := c.uvarint()
	if x > limit {
		c.fail()
		return 0
	}
	return x
}

// count reads how many elements follow, at most limit of at least size bytes each.
func (c *cursor) count(limit uint64, size int) uint64 {
	n := c.below(limit)
	if n > uint64(len(c.b)/size) {
		c.fail()
		return 0
	}
	return n
}

func (c *cursor) uint32() uint32 { return uint32(c.below(1<<32 - 1)) }

func (c *cursor) byte() byte {
	if len(c.b) == 0 {
		c.fail()
		return 0
	}
	x := c.b[0]
	c.b = c.b[1:]
	return x
}

// take is the next n bytes, of the value's memory; nil when there are fewer.
func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.fail()
		return nil
	}
	x := c.b[:n:n]
	c.b = c.b[n:]
	return x
}

func (c *cursor) fixed64() uint64 {
	x := c.take(8)
	if x == nil {
		return 0
	}
	return le.Uint64(x)
}

// fill reads len(dst) bytes.
func (c *cursor) fill(dst []byte) { copy(dst, c.take(uint64(len(dst)))) }

// str is a length-prefixed string, copied.
func (c *cursor) str() string { return string(c.take(c.uvarint())) }

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// sequences reads an ascending list of sequences into dst.
func (c *cursor) sequences(dst []uint64) []uint64 {
	var last uint64
	for range c.count(1<<63, 1) {
		last += c.uvarint()
		dst = append(dst, last)
	}
	return dst
}

// AppendTaken appends an operand of R or C that takes sequences, which ascend, and adds nothing.
func AppendTaken(dst []byte, seqs ...uint64) []byte {
	return append(appendSequences(append(dst, version1), seqs), 0)
}

// appendSequences appends an ascending list.
func appendSequences(dst []byte, seqs []uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(seqs)))
	var last uint64
	for _, q := range seqs {
		dst = binary.AppendUvarint(dst, q-last)
		last = q
	}
	return dst
}
