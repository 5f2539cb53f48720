package brand

import (
	"bytes"
	"iter"
	"math/bits"
	"slices"
	"sync"
	"unicode/utf8"
)

// A gist tells of many contents which keywords none of them has: it is a set of the three
// bytes, lower-cased, that stand side by side somewhere in them, by a hash of as many bits
// as it has places. Texts that contents spell with escapes are in it as they are read, too.
// It has at least a word, and a quarter of its places or fewer are taken, but for the
// greatest.
const (
	gistBits   = 16 // of the greatest gist's hashes
	gistSpread = 4
)

// gister makes gists.
type gister struct {
	places [1 << gistBits / 64]uint64
}

var gisters = sync.Pool{New: func() any { return new(gister) }}

// gistOf is the gist of contents.
func gistOf(contents iter.Seq[[]byte]) []uint64 {
	g := gisters.Get().(*gister)
	defer gisters.Put(g)
	clear(g.places[:])
	for c := range contents {
		g.content(c)
	}
	return g.gist()
}

// content notes all that a keyword may be found in.
func (g *gister) content(content []byte) {
	g.text(content)
	if bytes.IndexByte(content, '\\') >= 0 {
		eachValue(content, func(text []byte) bool {
			g.text(text)
			return false
		})
	}
}

func (g *gister) text(text []byte) {
	if !isASCII(text) {
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

// tripleHash has gistBits bits; that of a smaller gist are the lower ones.
func tripleHash(three uint32) uint32 {
	return three << 8 * 0x9E3779B1 >> (32 - gistBits)
}

// gist folds what was noted until it is as small as it may be.
func (g *gister) gist() []uint64 {
	places, taken := g.places[:], 0
	for _, w := range places {
		taken += bits.OnesCount64(w)
	}
	for len(places) > 1 && taken*gistSpread <= len(places)*64/2 {
		low, high := places[:len(places)/2], places[len(places)/2:]
		for i, w := range high {
			low[i] |= w
		}
		places = low
	}
	return slices.Clone(places)
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

// mayStand reports that a content that the gist is of may have the keyword.
func (k *keyword) mayStand(gist []uint64) bool {
	mask := uint32(len(gist)*64 - 1)
	for i := 2; i < len(k.folded); i++ {
		h := tripleHash(uint32(k.folded[i-2])<<16|uint32(k.folded[i-1])<<8|uint32(k.folded[i])) & mask
		if gist[h>>6]>>(h&63)&1 == 0 {
			return false
		}
	}
	return true
}
