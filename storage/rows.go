package storage

import (
	"encoding/binary"
	"slices"
	"sort"
	"sync"

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

	cols  [rowColumns]column
	wide  [rowColumns][stripe]uint64
	bytes [8 * (stripe + 1)]byte
	fresh []uint64
	out   []domain.Row

	list   []rowPart
	groups []rowGroup
	one    []byte
}

// stripe is how many rows are packed or unpacked at once: few enough that their columns
// stay in the processor's cache, and a multiple of eight, so that each begins with a byte.
const stripe = 512

const (
	rowTime = iota
	rowSeq
	rowOrd
	rowDef
	rowService
	rowPoints
	rowColumns
)

// rowCodecs are those that nobody uses: to read rows, since a merge has its own.
var rowCodecs = sync.Pool{New: func() any { return new(rowCodec) }}

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
	return c.packed(dst, rows)
}

// packed appends the columns of rows: their heads, then their bodies.
func (c *rowCodec) packed(dst []byte, rows []action) []byte {
	var lo, hi [rowColumns]uint64
	for from := 0; from < len(rows); from += stripe {
		n := c.widen(rows[from:])
		for col := range c.wide {
			low, high := bounds(c.wide[col][:n])
			if from == 0 {
				lo[col], hi[col] = low, high
			}
			lo[col], hi[col] = min(lo[col], low), max(hi[col], high)
		}
	}
	var width, at [rowColumns]int
	for col := range width {
		width[col] = widthOf(hi[col] - lo[col])
		dst = binary.AppendUvarint(append(dst, byte(width[col])), lo[col])
	}
	all := len(dst)
	for col := range at {
		at[col] = all
		all += packedLen(len(rows), width[col])
	}
	dst = slices.Grow(dst, all-len(dst))[:all]
	for from := 0; from < len(rows); from += stripe {
		n := c.widen(rows[from:])
		for col := range c.wide {
			at[col] += copy(dst[at[col]:], appendPacked(c.bytes[:0], c.wide[col][:n], lo[col], width[col]))
		}
	}
	return dst
}

// widen takes the next rows, at most a stripe of them, apart into columns.
func (c *rowCodec) widen(rows []action) int {
	rows = rows[:min(len(rows), stripe)]
	w := &c.wide
	for i := range rows {
		r := &rows[i]
		w[rowTime][i], w[rowSeq][i], w[rowOrd][i] = uint64(r.time), r.seq, uint64(r.ord)
		w[rowDef][i], w[rowService][i], w[rowPoints][i] = uint64(r.def), uint64(r.service), uint64(r.points)
	}
	return len(rows)
}

// open reads an operand up to its columns: its D into c.fresh, n rows, of which a single
// one is given as it stands.
func (c *rowCodec) open(v []byte) (cur cursor, n int, one action, err error) {
	if cur, err = openValue(v, "R"); err != nil {
		return cur, 0, one, err
	}
	c.fresh = cur.sequences(c.fresh[:0])
	rows := cur.uvarint()
	if cur.bad || rows > 8*uint64(len(cur.b)) {
		return cur, 0, one, damaged("R")
	}
	switch n = int(rows); n {
	case 0:
	case 1:
		one = action{
			time: cur.uint32(), seq: cur.uvarint(), ord: domain.Ordinal(cur.uint32()), def: domain.DefinitionID(cur.uint32()),
			service: domain.Service(cur.below(255)), points: uint16(cur.below(65535)),
		}
	default:
		cur.columns(c.cols[:], func(int) int { return n })
		if cur.bad {
			return cur, 0, one, damaged("R")
		}
	}
	return cur, n, one, nil
}

// decode appends the rows of a value, newer than those before it, and takes its D out of
// them.
func (c *rowCodec) decode(v []byte) error { return eachPart(v, c.decodeOne) }

// whole is the rows of a value, in order.
func (c *rowCodec) whole(v []byte) error {
	c.reset()
	err := c.decode(v)
	c.sort()
	return err
}

// decodeOne is decode for an operand that is no list.
func (c *rowCodec) decodeOne(v []byte) error {
	cur, n, one, err := c.open(v)
	if err != nil {
		return err
	}
	if len(c.fresh) > 0 {
		c.take(c.fresh)
	}
	switch n {
	case 0:
		return cur.close("R")
	case 1:
		c.rows = append(c.rows, one)
	default:
		k := len(c.rows)
		c.rows = slices.Grow(c.rows, n)[:k+n]
		for from := 0; from < n; from += stripe {
			c.unpack(from, n)
			c.narrow(c.rows[k+from : k+min(from+stripe, n)])
		}
	}
	c.ends = append(c.ends, len(c.rows))
	return cur.close("R")
}

// unpack unpacks the columns of the stripe that begins with a row, below to.
func (c *rowCodec) unpack(from, to int) {
	for col := range c.cols {
		c.cols[col].unpack(c.wide[col][:min(to-from, stripe)], from)
	}
}

// narrow puts the columns of a stripe together to rows.
func (c *rowCodec) narrow(rows []action) {
	w := &c.wide
	for i := range rows {
		rows[i] = action{
			seq: w[rowSeq][i], time: uint32(w[rowTime][i]), ord: domain.Ordinal(w[rowOrd][i]), def: domain.DefinitionID(w[rowDef][i]),
			points: uint16(w[rowPoints][i]), service: domain.Service(w[rowService][i]),
		}
	}
}

// living calls f with the rows of a whole value that are of the range, some at a time and
// in order within a call; the rows are f's only until it returns.
func (c *rowCodec) living(v []byte, k brandMonth, r domain.Range, f func(rows []domain.Row) error) error {
	return eachPart(v, func(one []byte) error { return c.livingOne(one, k, r, f) })
}

// cut is where the rows of a range stand among the n of an operand, which are in order of
// time.
func (c *rowCodec) cut(n int, r domain.Range) (from, to int) {
	times := &c.cols[rowTime]
	if times.base < uint64(r.From) {
		from = sort.Search(n, func(i int) bool { return times.at(i) >= uint64(r.From) })
	}
	if times.most() < uint64(r.To) {
		return from, n
	}
	return from, from + sort.Search(n-from, func(i int) bool { return times.at(from+i) >= uint64(r.To) })
}

// buffer is room for a stripe of rows.
func (c *rowCodec) buffer() []domain.Row {
	c.out = slices.Grow(c.out[:0], stripe)
	return c.out
}

// livingOne is living for an operand that is no list.
func (c *rowCodec) livingOne(v []byte, k brandMonth, r domain.Range, f func(rows []domain.Row) error) error {
	cur, n, one, err := c.open(v)
	if err == nil {
		err = cur.close("R")
	}
	if err != nil || n == 0 {
		return err
	}
	out := c.buffer()
	if n == 1 {
		if one.time < r.From || one.time >= r.To {
			return nil
		}
		return f(append(out, one.row(k)))
	}
	w := &c.wide
	for from, to := c.cut(n, r); from < to; from += stripe {
		c.unpack(from, to)
		rows := out[:min(to-from, stripe)]
		for i := range rows {
			rows[i] = domain.Row{
				Seq: w[rowSeq][i], Account: k.account, Ord: domain.Ordinal(w[rowOrd][i]), Time: uint32(w[rowTime][i]), Brand: k.brand,
				Definition: domain.DefinitionID(w[rowDef][i]), Points: uint16(w[rowPoints][i]), Service: domain.Service(w[rowService][i]),
			}
		}
		if err := f(rows); err != nil {
			return err
		}
	}
	return nil
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
	if v, joined, err := c.join(dst, operands, base); joined || err != nil {
		return v, err
	}
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
