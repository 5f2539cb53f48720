package brand

import (
	"slices"
	"sort"
	"sync/atomic"
)

// chunk is at most 65,536 rows in columns, sorted by (time, sequence), never
// changed once it is published. A chunk of the rest also knows its rows' brands, and the
// rows in brand order.
type chunk struct {
	time, ord    []uint32
	off          []uint32 // sequence − base
	wide         []uint64 // in place of off where the sequences span 2³²
	base         uint64
	points, kind []uint16
	dict         []uint32 // kind → the account's number
	count        []uint32 // kind → rows of it, dead ones too
	min, max     uint32   // time of the first and the last row

	brands []uint32 // of the rest: its brands, ascending
	at     []uint32 // of the rest: by[at[j]:at[j+1]] are the rows of brands[j]
	place  []uint16 // of the rest: row → its brand's place in brands
	by     []uint16 // of the rest: rows in order of (brand, time, sequence)

	who atomic.Pointer[[]uint64] // see members; nil until they are asked for
}

// rows is the number of rows, dead ones too.
func (c *chunk) rows() int { return len(c.time) }

func (c *chunk) seq(i int) uint64 {
	if c.wide != nil {
		return c.wide[i]
	}
	return c.base + uint64(c.off[i])
}

// of are the rows of a brand in a chunk of the rest, in time order.
func (c *chunk) of(dense uint32) []uint16 {
	j, ok := slices.BinarySearch(c.brands, dense)
	if !ok {
		return nil
	}
	return c.by[c.at[j]:c.at[j+1]]
}

// cut is the rows with from ≤ time < to.
func (c *chunk) cut(from, to uint32) (lo, hi int) {
	hi = len(c.time)
	if from > c.min {
		lo = sort.Search(hi, func(i int) bool { return c.time[i] >= from })
	}
	if to <= c.max {
		hi = lo + sort.Search(hi-lo, func(i int) bool { return c.time[lo+i] >= to })
	}
	return lo, hi
}

// find is the row with this time and sequence, −1 where there is none.
func (c *chunk) find(time uint32, seq uint64) int {
	if time < c.min || time > c.max {
		return -1
	}
	lo := sort.Search(len(c.time), func(i int) bool {
		return c.time[i] > time || c.time[i] == time && c.seq(i) >= seq
	})
	if lo == len(c.time) || c.time[lo] != time || c.seq(lo) != seq {
		return -1
	}
	return lo
}

// item is the row at i.
func (c *chunk) item(i int) item {
	it := item{seq: c.seq(i), time: c.time[i], ord: c.ord[i], points: c.points[i], kind: c.dict[c.kind[i]]}
	if c.brands != nil {
		it.brand = c.brands[c.place[i]]
	}
	return it
}

// bytes is the memory the chunk takes.
func (c *chunk) bytes() int {
	n, who := len(c.time), 0
	if w := c.who.Load(); w != nil {
		who = 8*len(*w) + 24
	}
	return who + 4*(2*n+len(c.off)+len(c.dict)+len(c.count)+len(c.brands)+len(c.at)) + 8*len(c.wide) + 2*(2*n+len(c.place)+len(c.by)) + 256
}
