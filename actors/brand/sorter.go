package brand

import (
	"cmp"
	"slices"
	"sync"
)

// item is a row as sealing, folding and loading work on it. kind is the account's
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
	k := room(&s.key, len(s.items))
	for i := range s.items {
		k[i] = uint64(s.items[i].time)<<32 | uint64(i)
	}
	k = radix(k, s.key[1][:len(k)])
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
func (s *sorter) runs(limit int, rest bool) (out []run) {
	if len(s.items) == 0 {
		return nil
	}
	for part := range slices.Chunk(s.sorted(), limit) {
		out = append(out, run{c: s.chunk(part, rest)})
	}
	s.items = s.items[:0]
	return out
}

// chunk makes a chunk of the items at the places given, in that order.
func (s *sorter) chunk(places []uint64, rest bool) *chunk {
	n := len(places)
	c := &chunk{
		time: make([]uint32, n), ord: make([]uint32, n), points: make([]uint16, n), kind: make([]uint16, n),
		min: uint32(places[0] >> 32), max: uint32(places[n-1] >> 32),
	}
	lo, hi := ^uint64(0), uint64(0)
	for i, p := range places {
		it := &s.items[uint32(p)]
		c.time[i], c.ord[i], c.points[i] = it.time, it.ord, it.points
		lo, hi = min(lo, it.seq), max(hi, it.seq)
		if int(it.kind) >= len(s.code) {
			s.code = append(s.code, make([]uint32, int(it.kind)+64-len(s.code))...)
		}
		k := s.code[it.kind]
		if k == 0 {
			c.dict, c.count = append(c.dict, it.kind), append(c.count, 0)
			k = uint32(len(c.dict))
			s.code[it.kind] = k
		}
		c.kind[i] = uint16(k - 1)
		c.count[k-1]++
	}
	for _, k := range c.dict {
		s.code[k] = 0
	}
	s.sequences(c, places, lo, hi)
	if rest {
		s.order(c, places)
	}
	return c
}

// sequences fills the chunk's sequences, which lie in [lo, hi].
func (s *sorter) sequences(c *chunk, places []uint64, lo, hi uint64) {
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

// order gives a chunk of the rest its brands.
func (s *sorter) order(c *chunk, places []uint64) {
	n := len(places)
	k := room(&s.aux, n)
	for i, p := range places {
		k[i] = uint64(s.items[uint32(p)].brand)<<32 | uint64(i)
	}
	k = radix(k, s.aux[1][:n])
	brands := 0
	for i, v := range k {
		brands += bit(i == 0 || v>>32 != k[i-1]>>32)
	}
	c.brands, c.at = make([]uint32, 0, brands), make([]uint32, 0, brands+1)
	c.place, c.by = make([]uint16, n), make([]uint16, n)
	for i, v := range k {
		if i == 0 || v>>32 != k[i-1]>>32 {
			c.brands, c.at = append(c.brands, uint32(v>>32)), append(c.at, uint32(i))
		}
		c.by[i] = uint16(v)
		c.place[uint16(v)] = uint16(len(c.brands) - 1)
	}
	c.at = append(c.at, uint32(n))
}

// add adds the living rows of a run.
func (s *sorter) add(r run) {
	s.items = slices.Grow(s.items, r.living())
	for i := range r.c.rows() {
		if !r.dead.has(i) {
			s.items = append(s.items, r.c.item(i))
		}
	}
}

// room gives both keys place for n and returns the first.
func room(key *[2][]uint64, n int) []uint64 {
	if cap(key[0]) < n {
		for i := range key {
			key[i] = make([]uint64, n)
		}
	}
	return key[0][:n]
}

// radix sorts keys by their upper half, stable, over the bytes in which they
// differ. What it returns lies in k or in k2.
func radix(k, k2 []uint64) []uint64 {
	or, and, sorted, last := uint64(0), ^uint64(0), true, uint64(0)
	for _, v := range k {
		or, and, sorted, last = or|v, and&v, sorted && v>>32 >= last>>32, v
	}
	if sorted {
		return k
	}
	for shift := 32; shift < 64; shift += 8 {
		if (or^and)>>shift&255 == 0 {
			continue
		}
		var at [256]uint32
		for _, v := range k {
			at[v>>shift&255]++
		}
		sum := uint32(0)
		for i, c := range at {
			at[i], sum = sum, sum+c
		}
		for _, v := range k {
			b := v >> shift & 255
			k2[at[b]] = v
			at[b]++
		}
		k, k2 = k2, k
	}
	return k
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
