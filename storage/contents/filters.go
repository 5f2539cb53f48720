package contents

import (
	"math/bits"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain/twogen"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Filters is a cache of n-gram Bloom filters: of each slot of C that a search read, what is
// in it, so that later searches skip those that cannot have what they look for. Never stored;
// beyond a number of bytes, those that were not asked for longest are dropped.
//
// A filter that was made from a snapshot holds for that and for later ones, until a tail is
// sealed that puts more under its key: it is dropped before any snapshot shows that. What is
// taken out of a value it may go on to promise. Any goroutine.
type Filters struct {
	mu     sync.Mutex // guards what follows
	slots  *twogen.Cache[format.SlotKey, filter]
	sealed map[uint16]uint64 // tails of a shard since the store was opened
}

// Size is about how many bytes are kept.
func (c *Filters) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.slots.Weight()
}

// filter is that of a slot. Of one that is not there sum has no words.
type filter struct {
	sum []uint64
	at  uint64 // seals of the shard until the snapshot that it was made from
}

// filterBytes is about what a filter takes beside its words.
const filterBytes = 96

func (f filter) bytes() int { return filterBytes + 8*len(f.sum) }

// Seals is how many tails of a shard were sealed since the store was opened.
func (c *Filters) Seals(shard uint16) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sealed[shard]
}

// Sealing says that a tail of the shard is about to be sealed: filters made from older
// snapshots are not kept from now on.
func (c *Filters) Sealing(shard uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealed[shard]++
}

// Forget drops the filter of a slot: more is about to be put there.
func (c *Filters) Forget(p format.SlotKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slots.Drop(p)
}

// Replaced says that a shard has other rows now.
func (c *Filters) Replaced(shard uint16) {
	c.Sealing(shard)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slots.DropFunc(func(p format.SlotKey) bool { return p.Shard == shard })
}

// NewFilters makes a cache of about so many bytes.
func NewFilters(bytes int) *Filters {
	return &Filters{slots: twogen.NewWeighed[format.SlotKey](bytes/2, filter.bytes), sealed: map[uint16]uint64{}}
}

// slots is a set of slots: a month has at most 744.
type slots [12]uint64

func (s *slots) has(slot uint16) bool { return s[slot>>6]>>(slot&63)&1 == 1 }
func (s *slots) put(slot uint16)      { s[slot>>6] |= 1 << (slot & 63) }

// from is the first slot of the set from one on; greater than any where there is none.
func (s *slots) from(slot uint16) uint16 {
	for at := int(slot >> 6); at < len(s); at, slot = at+1, 0 {
		if w := s[at] >> (slot & 63) << (slot & 63); w != 0 {
			return uint16(at<<6 | bits.TrailingZeros64(w))
		}
	}
	return 1<<16 - 1
}

// look is which slots of a month, from p's to last, may have what is looked for, and of which
// there is a filter, as of a snapshot: may decides by it.
func (c *Filters) look(
	p format.SlotKey, last uint16, seals uint64, may func(slot uint16, sum []uint64) bool,
) (read, known slots) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; p.Slot <= last; p.Slot++ {
		e, ok := c.slots.Get(p)
		if ok = ok && e.at <= seals; ok {
			known.put(p.Slot)
		}
		if !ok || len(e.sum) > 0 && may(p.Slot, e.sum) {
			read.put(p.Slot)
		}
	}
	return read, known
}

// keep puts the filters of a month's slots; p says which month.
func (c *Filters) keep(p format.SlotKey, made map[uint16][]uint64, seals uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sealed[p.Shard] != seals {
		return
	}
	for slot, sum := range made {
		p.Slot = slot
		c.slots.Put(p, filter{sum, seals})
	}
}
