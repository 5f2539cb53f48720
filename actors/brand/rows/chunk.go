package rows

import (
	"slices"
	"sort"
	"sync/atomic"
)

// Chunk is at most 65,536 rows in columns, sorted by (time, sequence), never
// changed once it is published. A chunk of the pool also knows its rows' brands, and the
// rows in brand order.
type Chunk struct {
	Time, Ord []uint32
	sequences
	Points, Kind []uint16
	Dict         []uint32 // kind → the account's number
	Count        []uint32 // kind → rows of it, deleted ones too
	Min, Max     uint32   // time of the first and the last row

	Brands  []uint32 // of the pool: its brands, ascending
	Starts  []uint32 // of the pool: ByBrand[Starts[j]:Starts[j+1]] are the rows of Brands[j]
	BrandOf []uint16 // of the pool: row → its brand's place in brands
	ByBrand []uint16 // of the pool: rows in order of (brand, time, sequence)

	memberSet atomic.Pointer[[]uint64] // see members; nil until they are asked for
}

// sequences are a chunk's sequences.
type sequences struct {
	off       []uint32 // sequence − base
	wide      []uint64 // in place of off where the sequences span 2³²
	base      uint64
	Low, High uint64 // the least and the greatest, of deleted rows too
}

// Rows is the number of rows, deleted ones too.
func (c *Chunk) Rows() int { return len(c.Time) }

// Seq is the sequence of the row at i.
func (c *Chunk) Seq(i int) uint64 {
	if c.wide != nil {
		return c.wide[i]
	}
	return c.base + uint64(c.off[i])
}

// Of are the rows of a brand in a chunk of the pool, in time order.
func (c *Chunk) Of(dense uint32) []uint16 {
	j, ok := slices.BinarySearch(c.Brands, dense)
	if !ok {
		return nil
	}
	return c.ByBrand[c.Starts[j]:c.Starts[j+1]]
}

// Cut is the rows with from ≤ time < to.
func (c *Chunk) Cut(from, to uint32) (lo, hi int) {
	hi = len(c.Time)
	if from > c.Min {
		lo = sort.Search(hi, func(i int) bool { return c.Time[i] >= from })
	}
	if to <= c.Max {
		hi = lo + sort.Search(hi-lo, func(i int) bool { return c.Time[lo+i] >= to })
	}
	return lo, hi
}

// find is the row with this time and sequence, −1 where there is none.
func (c *Chunk) find(time uint32, seq uint64) int {
	if time < c.Min || time > c.Max {
		return -1
	}
	lo := sort.Search(len(c.Time), func(i int) bool {
		return c.Time[i] > time || c.Time[i] == time && c.Seq(i) >= seq
	})
	if lo == len(c.Time) || c.Time[lo] != time || c.Seq(lo) != seq {
		return -1
	}
	return lo
}

// item is the row at i.
func (c *Chunk) item(i int) item {
	it := item{seq: c.Seq(i), time: c.Time[i], ord: c.Ord[i], points: c.Points[i], kind: c.Dict[c.Kind[i]]}
	if c.Brands != nil {
		it.brand = c.Brands[c.BrandOf[i]]
	}
	return it
}

// bytes is the memory the chunk takes.
func (c *Chunk) bytes() int {
	n, members := len(c.Time), 0
	if w := c.memberSet.Load(); w != nil {
		members = 8*len(*w) + 24
	}
	return members + 4*(2*n+len(c.off)+len(c.Dict)+len(c.Count)+len(c.Brands)+len(c.Starts)) + 8*len(c.wide) +
		2*(2*n+len(c.BrandOf)+len(c.ByBrand)) + 256
}
