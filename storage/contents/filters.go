package contents

import (
	"maps"
	"math/bits"
	"sync"

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
	limit int

	mu         sync.Mutex
	young, old map[format.SlotKey]filter // asked for since the halves changed places, and before
	bytes      int                       // of young
	oldBytes   int                       // of old, or more
	sealed     map[uint16]uint64         // tails of a shard since the store was opened
}

// Size is about how many bytes are kept.
func (c *Filters) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes + c.oldBytes
}

// filter is that of a slot. Of one that is not there sum has no words.
type filter struct {
	sum []uint64
	at  uint64 // seals of the shard until the snapshot that it was made from
}

// filterBytes is about what a filter takes beside its words.
const filterBytes = 96

func (f *filter) bytes() int { return filterBytes + 8*len(f.sum) }

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
	if c.sealed == nil {
		c.sealed = map[uint16]uint64{}
	}
	c.sealed[shard]++
}

// Forget drops the filter of a slot: more is about to be put there.
func (c *Filters) Forget(p format.SlotKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.young[p]; ok {
		c.bytes -= e.bytes()
		delete(c.young, p)
	}
	delete(c.old, p)
}

// Replaced says that a shard has other rows now.
func (c *Filters) Replaced(shard uint16) {
	c.Sealing(shard)
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, e := range c.young {
		if p.Shard == shard {
			c.bytes -= e.bytes()
			delete(c.young, p)
		}
	}
	maps.DeleteFunc(c.old, func(p format.SlotKey, _ filter) bool { return p.Shard == shard })
}

// NewFilters makes a cache of about so many bytes.
func NewFilters(bytes int) *Filters { return &Filters{limit: bytes} }

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
		e, ok := c.young[p]
		if !ok {
			if e, ok = c.old[p]; ok {
				delete(c.old, p)
				c.add(p, e)
			}
		}
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
		if e, ok := c.young[p]; ok {
			c.bytes -= e.bytes()
		}
		delete(c.old, p)
		c.add(p, filter{sum, seals})
	}
}

// add puts a filter among the young ones. When they take half of the limit, they become the old
// ones, and what these were is dropped.
func (c *Filters) add(p format.SlotKey, e filter) {
	if c.young == nil || c.bytes+e.bytes() > c.limit/2 {
		c.old, c.oldBytes, c.young, c.bytes = c.young, c.bytes, map[format.SlotKey]filter{}, 0
	}
	c.young[p] = e
	c.bytes += e.bytes()
}
