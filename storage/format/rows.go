package format

import (
	"encoding/binary"
	"slices"
	"sort"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Row is a row as R holds it: without what its key has.
type Row struct {
	Seq        uint64
	Time       domain.Second
	Ord        domain.Ordinal
	Definition domain.DefinitionID
	Points     uint16
	Service    domain.Service
}

// earlier orders actions as values of R hold them.
func (a *Row) earlier(b *Row) bool {
	return a.Time < b.Time || a.Time == b.Time && a.Seq < b.Seq
}

// domainRow is the action as the language has it.
func (a *Row) domainRow(k BrandMonth) domain.Row {
	return domain.Row{
		Seq: a.Seq, Account: k.Account, Ord: a.Ord, Time: a.Time, Brand: k.Brand, Definition: a.Definition, Points: a.Points,
		Service: a.Service,
	}
}

// RowCodec reads and writes values of R. An operand is (D, R): take the sequences D out of what is older, then add the
// rows R. Put together, (D₁,R₁)·(D₂,R₂) = (D₁∪D₂, (R₁∖D₂)∪R₂), which is associative.
// D is kept until the oldest operand is included; a reader of a whole value passes
// it over.
type RowCodec struct {
	Rows, tmp []Row    // of what was decoded, oldest operand first
	ends      []int    // where each operand's rows end
	taken     []uint64 // ascending

	cols  [rowColumns]column
	wide  [rowColumns][Stripe]uint64
	bytes [8 * (Stripe + 1)]byte
	fresh []uint64
	out   []domain.Row

	list   []rowPart
	groups []rowGroup
	one    []byte
}

// Stripe is how many rows are packed or unpacked at once: few enough that their columns
// stay in the processor's cache, and a multiple of eight, so that each begins with a byte.
const Stripe = 512

const (
	rowTime = iota
	rowSeq
	rowOrd
	rowDef
	rowService
	rowPoints
	rowColumns
)

// RowCodecs are spare ones to read rows with; a merge has its own.
var RowCodecs = sync.Pool{New: func() any { return new(RowCodec) }}

// Reset empties the codec for another value.
func (c *RowCodec) Reset() {
	c.Rows, c.ends, c.taken = c.Rows[:0], c.ends[:0], c.taken[:0]
}

// Append appends the value of (taken, rows): taken ascending, rows by (time, seq).
func (c *RowCodec) Append(dst []byte, taken []uint64, rows []Row) []byte {
	dst = appendSequences(append(dst, version1), taken)
	dst = binary.AppendUvarint(dst, uint64(len(rows)))
	switch len(rows) {
	case 0:
		return dst
	case 1:
		r := &rows[0]
		for _, x := range [rowColumns]uint64{
			uint64(r.Time), r.Seq, uint64(r.Ord), uint64(r.Definition), uint64(r.Service), uint64(r.Points),
		} {
			dst = binary.AppendUvarint(dst, x)
		}
		return dst
	}
	return c.packed(dst, rows)
}

// packed appends the columns of rows: their heads, then their bodies.
func (c *RowCodec) packed(dst []byte, rows []Row) []byte {
	var lo, hi [rowColumns]uint64
	for from := 0; from < len(rows); from += Stripe {
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
	for from := 0; from < len(rows); from += Stripe {
		n := c.widen(rows[from:])
		for col := range c.wide {
			at[col] += copy(dst[at[col]:], appendPacked(c.bytes[:0], c.wide[col][:n], lo[col], width[col]))
		}
	}
	return dst
}

// widen takes the next rows, at most a stripe of them, apart into columns.
func (c *RowCodec) widen(rows []Row) int {
	rows = rows[:min(len(rows), Stripe)]
	w := &c.wide
	for i := range rows {
		r := &rows[i]
		w[rowTime][i], w[rowSeq][i], w[rowOrd][i] = uint64(r.Time), r.Seq, uint64(r.Ord)
		w[rowDef][i], w[rowService][i], w[rowPoints][i] = uint64(r.Definition), uint64(r.Service), uint64(r.Points)
	}
	return len(rows)
}

// open reads an operand up to its columns: its D into c.fresh, n rows, of which a single
// one is given unpacked.
func (c *RowCodec) open(v []byte) (cur cursor, n int, one Row, err error) {
	if cur, err = openValue(v, "R"); err != nil {
		return cur, 0, one, err
	}
	c.fresh = cur.sequences(c.fresh[:0])
	rows := cur.uvarint()
	if cur.bad || rows > 8*uint64(len(cur.b)) {
		return cur, 0, one, Damaged("R")
	}
	switch n = int(rows); n {
	case 0:
	case 1:
		one = Row{
			Time: cur.uint32(), Seq: cur.uvarint(), Ord: domain.Ordinal(cur.uint32()),
			Definition: domain.DefinitionID(cur.uint32()), Service: domain.Service(cur.below(255)),
			Points: uint16(cur.below(65535)),
		}
	default:
		cur.columns(c.cols[:], func(int) int { return n })
		if cur.bad {
			return cur, 0, one, Damaged("R")
		}
	}
	return cur, n, one, nil
}

// Decode appends the rows of a value, newer than those before it, and takes its D out of
// them.
func (c *RowCodec) Decode(v []byte) error { return EachPart(v, c.decodeOne) }

// DecodeSorted is the rows of a value, in order.
func (c *RowCodec) DecodeSorted(v []byte) error {
	c.Reset()
	err := c.Decode(v)
	c.sort()
	return err
}

// decodeOne is Decode for an operand that is no list.
func (c *RowCodec) decodeOne(v []byte) error {
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
		c.Rows = append(c.Rows, one)
	default:
		k := len(c.Rows)
		c.Rows = slices.Grow(c.Rows, n)[:k+n]
		for from := 0; from < n; from += Stripe {
			c.unpack(from, n)
			c.narrow(c.Rows[k+from : k+min(from+Stripe, n)])
		}
	}
	c.ends = append(c.ends, len(c.Rows))
	return cur.close("R")
}

// unpack unpacks the columns of the stripe that begins with a row, below to.
func (c *RowCodec) unpack(from, to int) {
	for col := range c.cols {
		c.cols[col].unpack(c.wide[col][:min(to-from, Stripe)], from)
	}
}

// narrow puts the columns of a stripe together to rows.
func (c *RowCodec) narrow(rows []Row) {
	w := &c.wide
	for i := range rows {
		rows[i] = Row{
			Seq: w[rowSeq][i], Time: uint32(w[rowTime][i]), Ord: domain.Ordinal(w[rowOrd][i]),
			Definition: domain.DefinitionID(w[rowDef][i]), Points: uint16(w[rowPoints][i]),
			Service: domain.Service(w[rowService][i]),
		}
	}
}

// Live calls f with the rows of a whole value that are of the range, some at a time and
// in order within a call; the rows are f's only until it returns.
func (c *RowCodec) Live(v []byte, k BrandMonth, r domain.Range, f func(rows []domain.Row) error) error {
	return EachPart(v, func(one []byte) error { return c.LiveOne(one, k, r, f) })
}

// cut is where the rows of a range are among the n of an operand, which are in order of
// time.
func (c *RowCodec) cut(n int, r domain.Range) (from, to int) {
	times := &c.cols[rowTime]
	if times.base < uint64(r.From) {
		from = sort.Search(n, func(i int) bool { return times.at(i) >= uint64(r.From) })
	}
	if times.most() < uint64(r.To) {
		return from, n
	}
	return from, from + sort.Search(n-from, func(i int) bool { return times.at(from+i) >= uint64(r.To) })
}

// Buffer is room for a stripe of rows.
func (c *RowCodec) Buffer() []domain.Row {
	c.out = slices.Grow(c.out[:0], Stripe)
	return c.out
}

// LiveOne is Live for an operand that is no list.
func (c *RowCodec) LiveOne(v []byte, k BrandMonth, r domain.Range, f func(rows []domain.Row) error) error {
	cur, n, one, err := c.open(v)
	if err == nil {
		err = cur.close("R")
	}
	if err != nil || n == 0 {
		return err
	}
	out := c.Buffer()
	if n == 1 {
		if one.Time < r.From || one.Time >= r.To {
			return nil
		}
		return f(append(out, one.domainRow(k)))
	}
	w := &c.wide
	for from, to := c.cut(n, r); from < to; from += Stripe {
		c.unpack(from, to)
		rows := out[:min(to-from, Stripe)]
		for i := range rows {
			rows[i] = domain.Row{
				Seq: w[rowSeq][i], Account: k.Account, Ord: domain.Ordinal(w[rowOrd][i]), Time: uint32(w[rowTime][i]),
				Brand: k.Brand, Definition: domain.DefinitionID(w[rowDef][i]), Points: uint16(w[rowPoints][i]),
				Service: domain.Service(w[rowService][i]),
			}
		}
		if err := f(rows); err != nil {
			return err
		}
	}
	return nil
}

// take leaves the rows with these sequences out, and notes them.
func (c *RowCodec) take(seqs []uint64) {
	c.taken = union(c.taken, seqs)
	kept, from := 0, 0
	for e, end := range c.ends {
		for i := from; i < end; i++ {
			if _, gone := slices.BinarySearch(seqs, c.Rows[i].Seq); !gone {
				c.Rows[kept] = c.Rows[i]
				kept++
			}
		}
		from, c.ends[e] = end, kept
	}
	c.Rows = c.Rows[:kept]
}

// union is a and b, ascending and each once.
func union(a, b []uint64) []uint64 {
	a = append(a, b...)
	slices.Sort(a)
	return slices.Compact(a)
}

// sort puts all that was decoded in order of (time, seq).
func (c *RowCodec) sort() {
	c.Rows, c.tmp = mergeRuns(c.Rows, c.tmp, c.ends, (*Row).earlier)
	c.ends = append(c.ends[:0], len(c.Rows))
}

// merge puts operands together, oldest first.
func (c *RowCodec) merge(dst []byte, operands [][]byte, base bool) ([]byte, error) {
	if v, joined, err := c.join(dst, operands, base); joined || err != nil {
		return v, err
	}
	c.Reset()
	for _, v := range operands {
		if err := c.Decode(v); err != nil {
			return nil, err
		}
	}
	c.sort()
	if base {
		c.taken = c.taken[:0]
	}
	return c.Append(dst, c.taken, c.Rows), nil
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
