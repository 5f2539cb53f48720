package text

import (
	"bytes"
	"iter"
	"math/bits"
	"sync"
	"unicode/utf8"
)

// A content filter is a Bloom filter, with one hash, of the lower-cased 3-grams of many contents. Texts
// that contents spell with escapes are in it as they are read, too. The first word has the marks that
// a finder stops at and the contents have; of the bits after it a quarter or fewer are set, but in a
// filter of the greatest size.
const (
	filterBits   = 16 // of the hashes of the greatest filter
	filterSpread = 4
)

// filterBuilder makes content filters.
type filterBuilder struct {
	places [1 << filterBits / 64]uint64
	marks  uint64
}

var filterBuilders = sync.Pool{New: func() any { return new(filterBuilder) }}

// FilterOf is the content filter of contents.
func FilterOf(contents iter.Seq[[]byte]) []uint64 {
	g := filterBuilders.Get().(*filterBuilder)
	defer filterBuilders.Put(g)
	clear(g.places[:])
	g.marks = 0
	for c := range contents {
		g.content(c)
	}
	return g.filter()
}

// content notes all that a keyword may be found in.
func (g *filterBuilder) content(content []byte) {
	g.text(content)
	if bytes.IndexByte(content, '\\') >= 0 {
		g.marks |= marked('\\')
		eachValue(content, func(text []byte) bool {
			g.text(text)
			return false
		})
	}
}

func (g *filterBuilder) text(text []byte) {
	if !isASCII(text) {
		for _, b := range text {
			g.marks |= marked(b)
		}
		text = bytes.ToLower(text)
	}
	three := uint32(0)
	for i, b := range text {
		three = three<<8 | uint32(lowered[b])
		if i >= 2 {
			h := tripleHash(three)
			g.places[h>>6] |= 1 << (h & 63)
		}
	}
}

// marked is the bit of a byte that a finder may stop at, 0 of others.
func marked(b byte) uint64 {
	switch b {
	case '\\':
		return 1
	case 0xE2:
		return 2
	case 0xC4:
		return 4
	}
	return 0
}

// tripleHash has filterBits bits; a smaller filter uses the lower ones.
func tripleHash(three uint32) uint32 {
	return three << 8 * 0x9E3779B1 >> (32 - filterBits)
}

// filter folds what was noted until it is as small as it may be.
func (g *filterBuilder) filter() []uint64 {
	places, taken := g.places[:], 0
	for _, w := range places {
		taken += bits.OnesCount64(w)
	}
	for len(places) > 1 && taken*filterSpread <= len(places)*64/2 {
		low, high := places[:len(places)/2], places[len(places)/2:]
		for i, w := range high {
			low[i] |= w
		}
		places = low
	}
	return append([]uint64{g.marks}, places...)
}

// lowered are the bytes, of ASCII in lower case.
var lowered = func() (out [256]byte) {
	for i := range out {
		out[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			out[i] += 'a' - 'A'
		}
	}
	return out
}()

// isASCII reports that no byte is of a letter beyond.
func isASCII(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		if le.Uint64(text)&highs != 0 {
			return false
		}
	}
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// MayContain reports that one of the contents that the filter is of may have the keyword.
func (k *Keyword) MayContain(filter []uint64) bool {
	places := filter[1:]
	mask := uint32(len(places)*64 - 1)
	for i := 2; i < len(k.folded); i++ {
		h := tripleHash(uint32(k.folded[i-2])<<16|uint32(k.folded[i-1])<<8|uint32(k.folded[i])) & mask
		if places[h>>6]>>(h&63)&1 == 0 {
			return false
		}
	}
	return true
}
