package storage

import (
	"encoding/binary"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// action is a row as R holds it: what the key does not say already.
type action struct {
	seq     uint64
	time    domain.Second
	ord     domain.Ordinal
	def     domain.DefinitionID
	points  uint16
	service domain.Service
}

// earlier orders actions as values of R hold them.
func (a *action) earlier(b *action) bool {
	return a.time < b.time || a.time == b.time && a.seq < b.seq
}

// row is the action as the language has it.
func (a *action) row(k brandMonth) domain.Row {
	return domain.Row{Seq: a.seq, Account: k.account, Ord: a.ord, Time: a.time, Brand: k.brand, Definition: a.def, Points: a.points, Service: a.service}
}

// An operand of R is (D, R): take the sequences D out of what is older, then add the
// rows R. Put together, (D₁,R₁)·(D₂,R₂) = (D₁∪D₂, (R₁∖D₂)∪R₂), which is associative.
// D is kept until the oldest operand is included; a reader of a whole value passes
// it over.
type rowCodec struct {
	rows, tmp []action // of what was decoded, oldest operand first
	ends      []int    // where each operand's rows end
	taken     []uint64 // ascending

	pack  packer
	cols  [rowColumns]column
	wide  []uint64
	fresh []uint64
}

const (
	rowTime = iota
	rowSeq
	rowOrd
	rowDef
	rowService
	rowPoints
	rowColumns
)

func (c *rowCodec) reset() {
	c.rows, c.ends, c.taken = c.rows[:0], c.ends[:0], c.taken[:0]
}

// append appends the value of (taken, rows): taken ascending, rows by (time, seq).
func (c *rowCodec) append(dst []byte, taken []uint64, rows []action) []byte {
	dst = appendSequences(append(dst, version1), taken)
	dst = binary.AppendUvarint(dst, uint64(len(rows)))
	switch len(rows) {
	case 0:
		return dst
	case 1:
		r := &rows[0]
		for _, x := range [rowColumns]uint64{uint64(r.time), r.seq, uint64(r.ord), uint64(r.def), uint64(r.service), uint64(r.points)} {
			dst = binary.AppendUvarint(dst, x)
		}
		return dst
	}
	c.pack.reset(rowColumns)
	p := c.pack.cols
	for i := range rows {
		r := &rows[i]
		p[rowTime] = append(p[rowTime], uint64(r.time))
		p[rowSeq] = append(p[rowSeq], r.seq)
		p[rowOrd] = append(p[rowOrd], uint64(r.ord))
		p[rowDef] = append(p[rowDef], uint64(r.def))
		p[rowService] = append(p[rowService], uint64(r.service))
		p[rowPoints] = append(p[rowPoints], uint64(r.points))
	}
	return c.pack.append(dst, rowColumns)
}

// decode appends the rows of an operand, newer than those before it, and takes its D
// out of them.
func (c *rowCodec) decode(v []byte) error {
	cur, err := openValue(v, "R")
	if err != nil {
		return err
	}
	c.fresh = cur.sequences(c.fresh[:0])
	n := cur.uvarint()
	if cur.bad || n > 8*uint64(len(cur.b)) {
		return damaged("R")
	}
	if len(c.fresh) > 0 {
		c.take(c.fresh)
	}
	switch n {
	case 0:
		return cur.close("R")
	case 1:
		a := action{
			time: cur.uint32(), seq: cur.uvarint(), ord: domain.Ordinal(cur.uint32()), def: domain.DefinitionID(cur.uint32()),
			service: domain.Service(cur.below(255)), points: uint16(cur.below(65535)),
		}
		c.rows = append(c.rows, a)
	default:
		cur.columns(c.cols[:], func(int) int { return int(n) })
		if cur.bad {
			return damaged("R")
		}
		c.unpack(int(n))
	}
	c.ends = append(c.ends, len(c.rows))
	return cur.close("R")
}

// unpack appends n rows from c.cols.
func (c *rowCodec) unpack(n int) {
	k := len(c.rows)
	c.rows = slices.Grow(c.rows, n)[:k+n]
	rows := c.rows[k:]
	for col := range c.cols {
		c.wide = c.cols[col].unpack(c.wide[:0], n)
		switch col {
		case rowTime:
			for i, x := range c.wide {
				rows[i].time = uint32(x)
			}
		case rowSeq:
			for i, x := range c.wide {
				rows[i].seq = x
			}
		case rowOrd:
			for i, x := range c.wide {
				rows[i].ord = domain.Ordinal(x)
			}
		case rowDef:
			for i, x := range c.wide {
				rows[i].def = domain.DefinitionID(x)
			}
		case rowService:
			for i, x := range c.wide {
				rows[i].service = domain.Service(x)
			}
		case rowPoints:
			for i, x := range c.wide {
				rows[i].points = uint16(x)
			}
		}
	}
}

// take leaves the rows with these sequences out, and notes them.
func (c *rowCodec) take(seqs []uint64) {
	c.taken = union(c.taken, seqs)
	kept, from := 0, 0
	for e, end := range c.ends {
		for i := from; i < end; i++ {
			if _, gone := slices.BinarySearch(seqs, c.rows[i].seq); !gone {
				c.rows[kept] = c.rows[i]
				kept++
			}
		}
		from, c.ends[e] = end, kept
	}
	c.rows = c.rows[:kept]
}

// union is a and b, ascending and each once.
func union(a, b []uint64) []uint64 {
	a = append(a, b...)
	slices.Sort(a)
	return slices.Compact(a)
}

// sort puts all that was decoded in order of (time, seq).
func (c *rowCodec) sort() {
	c.rows, c.tmp = mergeRuns(c.rows, c.tmp, c.ends, (*action).earlier)
	c.ends = append(c.ends[:0], len(c.rows))
}

// merge puts operands together, oldest first.
func (c *rowCodec) merge(dst []byte, operands [][]byte, base bool) ([]byte, error) {
	c.reset()
	for _, v := range operands {
		if err := c.decode(v); err != nil {
			return nil, err
		}
	}
	c.sort()
	if base {
		c.taken = c.taken[:0]
	}
	return c.append(dst, c.taken, c.rows), nil
}

// mergeRuns sorts rows, which is sorted between the ends, by merging pairs of runs.
// It gives the sorted rows and the other slice for the next time.
func mergeRuns[T any](rows, tmp []T, ends []int, before func(a, b *T) bool) (sorted, spare []T) {
	for len(ends) > 1 {
		tmp = slices.Grow(tmp[:0], len(rows))[:len(rows)]
		out := ends[:0]
		lo := 0
		for i := 0; i < len(ends); i += 2 {
			mid := ends[i]
			hi := mid
			if i+1 < len(ends) {
				hi = ends[i+1]
			}
			mergeTwo(tmp[lo:hi], rows[lo:mid], rows[mid:hi], before)
			out = append(out, hi)
			lo = hi
		}
		rows, tmp = tmp, rows
		ends = out
	}
	return rows, tmp
}

func mergeTwo[T any](dst, a, b []T, before func(a, b *T) bool) {
	if len(a) > 0 && len(b) > 0 && !before(&a[len(a)-1], &b[0]) {
		k := 0
		for len(a) > 0 && len(b) > 0 {
			if before(&b[0], &a[0]) {
				dst[k], b = b[0], b[1:]
			} else {
				dst[k], a = a[0], a[1:]
			}
			k++
		}
		dst = dst[k:]
	}
	copy(dst[copy(dst, a):], b)
}
