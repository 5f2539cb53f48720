package bloom

import (
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Filter answers "certainly not there" for (account, ordinal, hash), be the hash that
// of an action or a one-time pair. It is a chain of split-block Bloom filters (Putze,
// Sanders, Singler 2007: one cache line a question, 16 bits in 512). The first is sized
// by what is expected; each later one has room for twice the rows of all before it, since
// each is a line more to wait for, and for half of them where that is much memory.
type Filter struct {
	parts []part
}

type part struct {
	words []uint32 // blockWords a block
	rows  int
	room  int
}

const (
	blockWords = 16
	blockBits  = 32 * blockWords

	// filterBits is bits a row: of a million questions at most 70 are answered wrong by
	// each part that is full.
	filterBits = 24

	// filterMuch is how many rows have a filter that is much memory.
	filterMuch = 1 << 20
)

// New makes room for so many rows before it grows.
func New(rows int) *Filter {
	f := &Filter{}
	f.grow(max(rows, 1024))
	return f
}

func (f *Filter) grow(rows int) {
	blocks := (rows*filterBits + blockBits - 1) / blockBits
	f.parts = append(f.parts, part{words: make([]uint32, blocks*blockWords), room: rows})
}

// grownBy is how many rows there is room for in a part after others that had room for so
// many.
func grownBy(room int) int {
	if room < filterMuch {
		return 2 * room
	}
	return room / 2
}

// Bytes is the memory held.
func (f *Filter) Bytes() (n int) {
	for i := range f.parts {
		n += 4 * len(f.parts[i].words)
	}
	return n
}

// filterSalt is odd numbers, one a word: the word's bit is the highest five bits of
// the product.
var filterSalt = [blockWords]uint32{
	0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
	0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1, 0xd6e8feb9, 0xb5297a4d, 0x68e31da5,
}

// Mix puts the member into the hash: equal hashes of two members are two things.
func Mix(account domain.AccountID, ord domain.Ordinal, hash uint64) uint64 {
	x := hash ^ (uint64(account)<<32|uint64(ord))*0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>29
}

// Add notes a row by its mix.
func (f *Filter) Add(x uint64) {
	p := &f.parts[len(f.parts)-1]
	if p.rows == p.room {
		room := 0
		for i := range f.parts {
			room += f.parts[i].room
		}
		f.grow(grownBy(room))
		p = &f.parts[len(f.parts)-1]
	}
	p.rows++
	w := p.block(x)
	for i := range w {
		w[i] |= 1 << (uint32(x) * filterSalt[i] >> 27)
	}
}

func (p *part) block(x uint64) *[blockWords]uint32 {
	h, _ := bits.Mul64(x, uint64(len(p.words)/blockWords))
	return (*[blockWords]uint32)(p.words[h*blockWords:])
}

// Prefetch reads what maybe will look at.
func (f *Filter) Prefetch(x uint64) (read uint64) {
	for i := range f.parts {
		read += uint64(f.parts[i].block(x)[0])
	}
	return read
}

// Maybe is false where the row was certainly never added.
func (f *Filter) Maybe(x uint64) bool {
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
