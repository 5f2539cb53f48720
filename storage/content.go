package storage

import (
	"encoding/binary"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// entry is one action's content as C holds it.
type entry struct {
	seq      uint64
	recorded uint64 // int64 in its two's complement
	text     []byte // appendText's; empty: there is only the time
}

// Bits of an entry's mask, in the order their strings stand.
const (
	hasMarker = 1 << iota
	hasContent
	hasLink
	hasMedia
	hasGeo
)

// appendText appends all of a content but the time; nothing if there is nothing.
func appendText(dst []byte, c *domain.Content) []byte {
	var mask byte
	for i, s := range [...]string{c.Marker, c.Content, c.Link, c.Media} {
		if s != "" {
			mask |= 1 << i
		}
	}
	if !c.Geo.IsZero() {
		mask |= hasGeo
	}
	if mask == 0 {
		return dst
	}
	dst = append(dst, mask)
	for _, s := range [...]string{c.Marker, c.Content, c.Link, c.Media} {
		if s != "" {
			dst = appendString(dst, s)
		}
	}
	if mask&hasGeo != 0 {
		for _, s := range [...]string{c.Geo.Country, c.Geo.Region, c.Geo.City, c.Geo.Lat, c.Geo.Lon} {
			dst = appendString(dst, s)
		}
	}
	return dst
}

// content is the entry as the language has it.
func (e *entry) content() (*domain.Content, error) {
	out := &domain.Content{Recorded: int64(e.recorded)}
	if len(e.text) == 0 {
		return out, nil
	}
	cur := cursor{b: e.text}
	mask := cur.byte()
	for i, s := range [...]*string{&out.Marker, &out.Content, &out.Link, &out.Media} {
		if mask&(1<<i) != 0 {
			*s = cur.str()
		}
	}
	if mask&hasGeo != 0 {
		for _, s := range [...]*string{&out.Geo.Country, &out.Geo.Region, &out.Geo.City, &out.Geo.Lat, &out.Geo.Lon} {
			*s = cur.str()
		}
	}
	if mask > hasGeo*2-1 {
		cur.fail()
	}
	return out, cur.close("content")
}

// contentCodec reads and writes values of C: operands (D, entries), put together as
// those of R are.
type contentCodec struct {
	entries []entry // their text is the operands' memory
	taken   []uint64

	pack  packer
	cols  [contentColumns]column
	list  []uint64
	texts [][]byte // of the operands being joined
}

const (
	contentSeq = iota
	contentRecorded
	contentLen
	contentColumns
)

func (c *contentCodec) reset() {
	clear(c.entries)
	c.entries, c.taken = c.entries[:0], c.taken[:0]
}

// append appends the value of (taken, entries), both ascending.
func (c *contentCodec) append(dst []byte, taken []uint64, entries []entry) []byte {
	dst = appendSequences(append(dst, version1), taken)
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	switch len(entries) {
	case 0:
		return dst
	case 1:
		e := &entries[0]
		for _, x := range [contentColumns]uint64{e.seq, e.recorded, uint64(len(e.text))} {
			dst = binary.AppendUvarint(dst, x)
		}
		return append(dst, e.text...)
	}
	c.pack.reset(contentColumns)
	p := c.pack.cols
	for i := range entries {
		e := &entries[i]
		p[contentSeq] = append(p[contentSeq], e.seq)
		p[contentRecorded] = append(p[contentRecorded], e.recorded)
		p[contentLen] = append(p[contentLen], uint64(len(e.text)))
	}
	dst = c.pack.append(dst, contentColumns)
	for i := range entries {
		dst = append(dst, entries[i].text...)
	}
	return dst
}

// open reads the head of a value: taken sequences to c.list, the columns to c.cols
// unless n is below 2. rest begins with the columns' strings, of n = 1 with the entry.
func (c *contentCodec) open(v []byte) (n int, rest cursor, err error) {
	cur, err := openValue(v, "C")
	if err != nil {
		return 0, cur, err
	}
	c.list = cur.sequences(c.list[:0])
	count := cur.uvarint()
	if cur.bad || count > 8*uint64(len(cur.b)) {
		return 0, cur, damaged("C")
	}
	if count > 1 {
		if cur.columns(c.cols[:], func(int) int { return int(count) }); cur.bad {
			return 0, cur, damaged("C")
		}
	}
	return int(count), cur, nil
}

func singleEntry(cur *cursor) entry {
	return entry{seq: cur.uvarint(), recorded: cur.uvarint(), text: cur.take(cur.uvarint())}
}

// decode appends the entries of an operand, newer than those before it, and takes
// its D out of them.
func (c *contentCodec) decode(v []byte) error {
	n, cur, err := c.open(v)
	if err != nil {
		return err
	}
	if len(c.list) > 0 {
		c.taken = union(c.taken, c.list)
		c.entries = slices.DeleteFunc(c.entries, func(e entry) bool {
			_, gone := slices.BinarySearch(c.list, e.seq)
			return gone
		})
	}
	if n == 1 {
		c.entries = append(c.entries, singleEntry(&cur))
		return cur.close("C")
	}
	for i := range n {
		e := entry{seq: c.cols[contentSeq].at(i), recorded: c.cols[contentRecorded].at(i), text: cur.take(c.cols[contentLen].at(i))}
		if cur.bad {
			return damaged("C")
		}
		c.entries = append(c.entries, e)
	}
	return cur.close("C")
}

// merge puts operands together, oldest first.
func (c *contentCodec) merge(dst []byte, operands [][]byte, base bool) ([]byte, error) {
	if out, ok := c.join(dst, operands); ok {
		return out, nil
	}
	return c.mergeEach(dst, operands, base)
}

// mergeEach is merge entry by entry.
func (c *contentCodec) mergeEach(dst []byte, operands [][]byte, base bool) ([]byte, error) {
	c.reset()
	defer c.reset()
	for _, v := range operands {
		if err := c.decode(v); err != nil {
			return nil, err
		}
	}
	bySeq := func(a, b entry) int { return compareU64(a.seq, b.seq) }
	if !slices.IsSortedFunc(c.entries, bySeq) {
		slices.SortStableFunc(c.entries, bySeq)
	}
	if base {
		c.taken = c.taken[:0]
	}
	return c.append(dst, c.taken, c.entries), nil
}

func compareU64(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
