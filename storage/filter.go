package storage

import (
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// filter answers "certainly not there" for (account, ordinal, hash), be the hash that
// of an action or a one-time pair. It is a chain of
// split-block Bloom filters (Putze, Sanders, Singler 2007: one cache line a question,
// 8 bits in 256). The first is sized by what is expected; each later one has room for
// as many rows as all before it, and more bits a row, since errors of the chain add up.
type filter struct {
	parts []filterPart
	used  uint64 // when it was asked last, on the timeline's own count of questions
}

type filterPart struct {
	words []uint32 // 8 a block
	rows  int
	room  int
}

// Bits a row, of the first part and of later ones: 0.013 and 0.003 % are wrong.
const (
	filterBits = 24
	grownBits  = 32
)

// newFilter makes room for so many rows before it grows.
func newFilter(rows int) *filter {
	f := &filter{}
	f.grow(max(rows, 1024), filterBits)
	return f
}

func (f *filter) grow(rows, bits int) {
	blocks := (rows*bits + 255) / 256
	f.parts = append(f.parts, filterPart{words: make([]uint32, blocks*8), room: rows})
}

// bytes is the memory held.
func (f *filter) bytes() (n int) {
	for i := range f.parts {
		n += 4 * len(f.parts[i].words)
	}
	return n
}

var filterSalt = [8]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31}

// mix puts the member into the hash: equal hashes of two members are two things.
func mix(account domain.AccountID, ord domain.Ordinal, hash uint64) uint64 {
	x := hash ^ (uint64(account)<<32|uint64(ord))*0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>29
}

// add notes a row by its mix.
func (f *filter) add(x uint64) {
	p := &f.parts[len(f.parts)-1]
	if p.rows == p.room {
		room := 0
		for i := range f.parts {
			room += f.parts[i].room
		}
		f.grow(room, grownBits)
		p = &f.parts[len(f.parts)-1]
	}
	p.rows++
	w := p.block(x)
	for i := range w {
		w[i] |= 1 << (uint32(x) * filterSalt[i] >> 27)
	}
}

func (p *filterPart) block(x uint64) *[8]uint32 {
	h, _ := bits.Mul64(x, uint64(len(p.words)/8))
	return (*[8]uint32)(p.words[h*8:])
}

// maybe is false where the row was certainly never added.
func (f *filter) maybe(x uint64) bool {
next:
	for j := len(f.parts) - 1; j >= 0; j-- {
		w := f.parts[j].block(x)
		for i := range w {
			if w[i]>>(uint32(x)*filterSalt[i]>>27)&1 == 0 {
				continue next
			}
		}
		return true
	}
	return false
}
