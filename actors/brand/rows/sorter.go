package rows

import (
	"cmp"
	"slices"
	"sync"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
)

// item is a row as sealing, compaction and loading work on it. kind is the account's
// number.
type item struct {
	seq                    uint64
	time, ord, kind, brand uint32
	points                 uint16
}

// sorter makes chunks of items. It is scratch: many tables share few of them.
type sorter struct {
	items []item
	key   [2][]uint64 // time or brand << 32 | place
	aux   [2][]uint64
	code  []uint32 // the account's number of a kind → 1 + its code in the chunk; zero between chunks
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// sorted is items' places in order of (time, sequence), each under its time.
func (s *sorter) sorted() []uint64 {
	k := KeysFor(&s.key, len(s.items))
	for i := range s.items {
		k[i] = uint64(s.items[i].time)<<32 | uint64(i)
	}
	k = Radix(k, s.key[1][:len(k)])
	for i := 1; i < len(k); i++ {
		if k[i]>>32 != k[i-1]>>32 || s.items[uint32(k[i])].seq > s.items[uint32(k[i-1])].seq {
			continue
		}
		lo, hi := i-1, i+1
		for lo > 0 && k[lo-1]>>32 == k[i]>>32 {
			lo--
		}
		for hi < len(k) && k[hi]>>32 == k[i]>>32 {
			hi++
		}
		slices.SortFunc(k[lo:hi], func(a, b uint64) int {
			return cmp.Compare(s.items[uint32(a)].seq, s.items[uint32(b)].seq)
		})
		i = hi
	}
	return k
}

// runs makes chunks of at most limit rows of the items, and empties them.
func (s *sorter) runs(limit int, rest bool) (out []Run) {
	if len(s.items) == 0 {
		return nil
	}
	for part := range slices.Chunk(s.sorted(), limit) {
		out = append(out, Run{Chunk: s.chunk(part, rest)})
	}
	s.items = s.items[:0]
	return out
}

// chunk makes a chunk of the items at the places given, in that order.
func (s *sorter) chunk(places []uint64, rest bool) *Chunk {
	n := len(places)
	c := &Chunk{
		Time: make([]uint32, n), Ord: make([]uint32, n), Points: make([]uint16, n), Kind: make([]uint16, n),
		Min: uint32(places[0] >> 32), Max: uint32(places[n-1] >> 32),
	}
	lo, hi := ^uint64(0), uint64(0)
	for i, p := range places {
		it := &s.items[uint32(p)]
		c.Time[i], c.Ord[i], c.Points[i] = it.time, it.ord, it.points
		lo, hi = min(lo, it.seq), max(hi, it.seq)
		if int(it.kind) >= len(s.code) {
			s.code = append(s.code, make([]uint32, int(it.kind)+64-len(s.code))...)
		}
		k := s.code[it.kind]
		if k == 0 {
			c.Dict, c.Count = append(c.Dict, it.kind), append(c.Count, 0)
			k = uint32(len(c.Dict))
			s.code[it.kind] = k
		}
		c.Kind[i] = uint16(k - 1)
		c.Count[k-1]++
	}
	for _, k := range c.Dict {
		s.code[k] = 0
	}
	s.sequences(c, places, lo, hi)
	if rest {
		s.order(c, places)
	}
	return c
}

// sequences fills the chunk's sequences, which lie in [lo, hi].
func (s *sorter) sequences(c *Chunk, places []uint64, lo, hi uint64) {
	c.Low, c.High = lo, hi
	if hi-lo > 1<<32-1 {
		c.wide = make([]uint64, len(places))
		for i, p := range places {
			c.wide[i] = s.items[uint32(p)].seq
		}
		return
	}
	c.base, c.off = lo, make([]uint32, len(places))
	for i, p := range places {
		c.off[i] = uint32(s.items[uint32(p)].seq - lo)
	}
}

// order gives a chunk of the pool its brands.
func (s *sorter) order(c *Chunk, places []uint64) {
	n := len(places)
	k := KeysFor(&s.aux, n)
	for i, p := range places {
		k[i] = uint64(s.items[uint32(p)].brand)<<32 | uint64(i)
	}
	k = Radix(k, s.aux[1][:n])
	brands := 0
	for i, v := range k {
		brands += bitset.Bit(i == 0 || v>>32 != k[i-1]>>32)
	}
	c.Brands, c.Starts = make([]uint32, 0, brands), make([]uint32, 0, brands+1)
	c.BrandOf, c.ByBrand = make([]uint16, n), make([]uint16, n)
	for i, v := range k {
		if i == 0 || v>>32 != k[i-1]>>32 {
			c.Brands, c.Starts = append(c.Brands, uint32(v>>32)), append(c.Starts, uint32(i))
		}
		c.ByBrand[i] = uint16(v)
		c.BrandOf[uint16(v)] = uint16(len(c.Brands) - 1)
	}
	c.Starts = append(c.Starts, uint32(n))
}

// add adds the living rows of a run.
func (s *sorter) add(r Run) {
	s.items = slices.Grow(s.items, r.Living())
	for i := range r.Chunk.Rows() {
		if !r.Deleted.Has(i) {
			s.items = append(s.items, r.Chunk.item(i))
		}
	}
}
