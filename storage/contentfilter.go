package storage

import (
	"maps"
	"math/bits"
	"sync"

	"github.com/ovation-analytics/ovation/storage/format"
)

// gists are what searches keep of the slots of C that they read: sums of what stands in
// each, by which later ones pass over those that cannot have what they look for. They are a
// cache: never stored, made anew where they are wanted, let go of beyond a number of bytes,
// first those that were not asked for longest.
//
// A gist that was made from a snapshot holds for that and for later ones, until a tail is
// sealed that puts more under its key: then it is forgotten, before any snapshot shows that.
// What is taken out of a value it may go on to promise. Any goroutine.
type gists struct {
	limit int

	mu         sync.Mutex
	young, old map[format.SlotKey]gist // asked for since the halves changed places, and before
	bytes      int                     // of young
	oldBytes   int                     // of old, or more
	sealed     map[uint16]uint64       // tails of a shard since the store was opened
}

// size is about how many bytes are kept.
func (g *gists) size() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bytes + g.oldBytes
}

// gist is what a search knows of a page. Of one that is not there sum has no words.
type gist struct {
	sum []uint64
	at  uint64 // seals of the shard until the snapshot that it was made from
}

// gistBytes is about what a gist takes beside its words.
const gistBytes = 96

func (g *gist) bytes() int { return gistBytes + 8*len(g.sum) }

// seals is how many tails of a shard were sealed since the store was opened.
func (g *gists) seals(shard uint16) uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sealed[shard]
}

// sealing says that a tail of the shard is about to be sealed: gists made from older
// snapshots may not be put from now on.
func (g *gists) sealing(shard uint16) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sealed == nil {
		g.sealed = map[uint16]uint64{}
	}
	g.sealed[shard]++
}

// forget says that more is about to stand in a page.
func (g *gists) forget(p format.SlotKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e, ok := g.young[p]; ok {
		g.bytes -= e.bytes()
		delete(g.young, p)
	}
	delete(g.old, p)
}

// replaced says that a shard has other rows now.
func (g *gists) replaced(shard uint16) {
	g.sealing(shard)
	g.mu.Lock()
	defer g.mu.Unlock()
	for p, e := range g.young {
		if p.Shard == shard {
			g.bytes -= e.bytes()
			delete(g.young, p)
		}
	}
	maps.DeleteFunc(g.old, func(p format.SlotKey, _ gist) bool { return p.Shard == shard })
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

// look is which of the pages of a month, in slots from p's to last, may have what is looked
// for, and of which there is a gist, as of a snapshot: may tells by it whether the page may.
func (g *gists) look(p format.SlotKey, last uint16, seals uint64, may func(slot uint16, sum []uint64) bool) (read, known slots) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for ; p.Slot <= last; p.Slot++ {
		e, ok := g.young[p]
		if !ok {
			if e, ok = g.old[p]; ok {
				delete(g.old, p)
				g.add(p, e)
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

// keep puts the gists of a month's pages, by slot; p says which month.
func (g *gists) keep(p format.SlotKey, made map[uint16][]uint64, seals uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sealed[p.Shard] != seals {
		return
	}
	for slot, sum := range made {
		p.Slot = slot
		if e, ok := g.young[p]; ok {
			g.bytes -= e.bytes()
		}
		delete(g.old, p)
		g.add(p, gist{sum, seals})
	}
}

// add puts a gist among the young ones. When they take half of what there is, they become
// the old ones, and what these were is let go of.
func (g *gists) add(p format.SlotKey, e gist) {
	if g.young == nil || g.bytes+e.bytes() > g.limit/2 {
		g.old, g.oldBytes, g.young, g.bytes = g.young, g.bytes, map[format.SlotKey]gist{}, 0
	}
	g.young[p] = e
	g.bytes += e.bytes()
}
