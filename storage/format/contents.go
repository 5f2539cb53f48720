package format

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Entry is one action's content as C holds it.
type Entry struct {
	Seq      uint64
	Recorded uint64 // int64 in its two's complement
	Text     []byte // as AppendContent makes it; empty: there is only the time
}

// Bits of an entry's mask, in the order of their strings.
const (
	hasMarker = 1 << iota
	hasContent
	hasLink
	hasMedia
	hasGeo
	hasAction // of a copy of another row: that row's id, after the strings
)

// AppendContent appends all of a content but the time; nothing if there is nothing.
func AppendContent(dst []byte, c *domain.Content) []byte {
	var mask byte
	for i, s := range [...]string{c.Marker, c.Content, c.Link, c.Media} {
		if s != "" {
			mask |= 1 << i
		}
	}
	if !c.Geo.IsZero() {
		mask |= hasGeo
	}
	if c.Action != 0 {
		mask |= hasAction
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
	if mask&hasAction != 0 {
		dst = le.AppendUint64(dst, uint64(c.Action))
	}
	return dst
}

// Decode is the entry as the domain has it.
func (e *Entry) Decode() (*domain.Content, error) {
	out := &domain.Content{Recorded: int64(e.Recorded)}
	if len(e.Text) == 0 {
		return out, nil
	}
	cur := cursor{b: e.Text}
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
	if mask&hasAction != 0 {
		out.Action = domain.ActionID(cur.fixed64())
	}
	if mask > hasAction*2-1 {
		cur.fail()
	}
	return out, cur.close("content")
}

// ContentCodec reads and writes values of C: operands (D, entries), put together as
// those of R are.
type ContentCodec struct {
	Entries []Entry // their text is the operands' memory
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

// Reset empties the codec for another value.
func (c *ContentCodec) Reset() {
	clear(c.Entries)
	c.Entries, c.taken = c.Entries[:0], c.taken[:0]
}

// Append appends the value of (taken, entries), both ascending.
func (c *ContentCodec) Append(dst []byte, taken []uint64, entries []Entry) []byte {
	dst = appendSequences(append(dst, version1), taken)
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	switch len(entries) {
	case 0:
		return dst
	case 1:
		e := &entries[0]
		for _, x := range [contentColumns]uint64{e.Seq, e.Recorded, uint64(len(e.Text))} {
			dst = binary.AppendUvarint(dst, x)
		}
		return append(dst, e.Text...)
	}
	c.pack.reset(contentColumns)
	p := c.pack.cols
	for i := range entries {
		e := &entries[i]
		p[contentSeq] = append(p[contentSeq], e.Seq)
		p[contentRecorded] = append(p[contentRecorded], e.Recorded)
		p[contentLen] = append(p[contentLen], uint64(len(e.Text)))
	}
	dst = c.pack.append(dst, contentColumns)
	for i := range entries {
		dst = append(dst, entries[i].Text...)
	}
	return dst
}

// open reads the head of a value: taken sequences to c.list, the columns to c.cols
// unless n is below 2. rest begins with the columns' strings, of n = 1 with the entry.
func (c *ContentCodec) open(v []byte) (n int, rest cursor, err error) {
	cur, err := openValue(v, "C")
	if err != nil {
		return 0, cur, err
	}
	c.list = cur.sequences(c.list[:0])
	count := cur.uvarint()
	if cur.bad || count > 8*uint64(len(cur.b)) {
		return 0, cur, Damaged("C")
	}
	if count > 1 {
		if cur.columns(c.cols[:], func(int) int { return int(count) }); cur.bad {
			return 0, cur, Damaged("C")
		}
	}
	return int(count), cur, nil
}

func singleEntry(cur *cursor) Entry {
	return Entry{Seq: cur.uvarint(), Recorded: cur.uvarint(), Text: cur.take(cur.uvarint())}
}

// Decode appends the entries of an operand, newer than those before it, and takes
// its D out of them.
func (c *ContentCodec) Decode(v []byte) error {
	n, cur, err := c.open(v)
	if err != nil {
		return err
	}
	if len(c.list) > 0 {
		c.taken = union(c.taken, c.list)
		c.Entries = slices.DeleteFunc(c.Entries, func(e Entry) bool {
			_, gone := slices.BinarySearch(c.list, e.Seq)
			return gone
		})
	}
	if n == 1 {
		c.Entries = append(c.Entries, singleEntry(&cur))
		return cur.close("C")
	}
	for i := range n {
		e := Entry{
			Seq: c.cols[contentSeq].at(i), Recorded: c.cols[contentRecorded].at(i), Text: cur.take(c.cols[contentLen].at(i)),
		}
		if cur.bad {
			return Damaged("C")
		}
		c.Entries = append(c.Entries, e)
	}
	return cur.close("C")
}

// merge puts operands together, oldest first.
func (c *ContentCodec) merge(dst []byte, operands [][]byte, base bool) ([]byte, error) {
	if out, ok := c.join(dst, operands); ok {
		return out, nil
	}
	return c.mergeEach(dst, operands, base)
}

// mergeEach is merge entry by entry.
func (c *ContentCodec) mergeEach(dst []byte, operands [][]byte, base bool) ([]byte, error) {
	c.Reset()
	defer c.Reset()
	for _, v := range operands {
		if err := c.Decode(v); err != nil {
			return nil, err
		}
	}
	bySeq := func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) }
	if !slices.IsSortedFunc(c.Entries, bySeq) {
		slices.SortStableFunc(c.Entries, bySeq)
	}
	if base {
		c.taken = c.taken[:0]
	}
	return c.Append(dst, c.taken, c.Entries), nil
}
