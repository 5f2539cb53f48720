package format

import (
	"encoding/binary"
	"slices"
)

// join is merge for operands that follow one another and take nothing, as those do that
// a shard seals one after the other: columns are appended to columns and strings to
// strings, without a look at single entries. It gives merge's very bytes; false, and dst
// as it was, where operands are otherwise or damaged.
func (c *ContentCodec) join(dst []byte, operands [][]byte) ([]byte, bool) {
	c.pack.reset(contentColumns)
	c.texts = c.texts[:0]
	defer func() {
		clear(c.texts)
		c.texts = c.texts[:0]
	}()
	for _, v := range operands {
		if !c.joinOne(v) {
			return dst, false
		}
	}
	seqs := c.pack.cols[contentSeq]
	for i := 1; i < len(seqs); i++ {
		if seqs[i] <= seqs[i-1] {
			return dst, false
		}
	}
	if len(seqs) < 2 {
		return dst, false
	}
	dst = appendSequences(append(dst, version1), nil)
	dst = binary.AppendUvarint(dst, uint64(len(seqs)))
	dst = c.pack.append(dst, contentColumns)
	for _, text := range c.texts {
		dst = append(dst, text...)
	}
	return dst, true
}

// joinOne appends an operand's entries to those before it; false: it has more than
// entries, or is damaged.
func (c *ContentCodec) joinOne(v []byte) bool {
	n, cur, err := c.open(v)
	if err != nil || len(c.list) > 0 {
		return false
	}
	p := c.pack.cols
	if n == 1 {
		e := singleEntry(&cur)
		for i, x := range [contentColumns]uint64{e.Seq, e.Recorded, uint64(len(e.Text))} {
			p[i] = append(p[i], x)
		}
		c.texts = append(c.texts, e.Text)
		return cur.close("C") == nil
	}
	if n == 0 {
		return cur.close("C") == nil
	}
	for i := range p[:contentColumns] {
		k := len(p[i])
		p[i] = slices.Grow(p[i], n)[:k+n]
		c.cols[i].unpack(p[i][k:], 0)
	}
	c.texts = append(c.texts, cur.b)
	return fills(p[contentLen][len(p[contentLen])-n:], cur.b)
}

// fills reports that texts of these lengths are all the bytes.
func fills(lens []uint64, b []byte) bool {
	left := uint64(len(b))
	for _, size := range lens {
		if size > left {
			return false
		}
		left -= size
	}
	return left == 0
}
