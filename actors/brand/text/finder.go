package text

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Finder is a substring search for one goroutine. It takes a text, many contents one after the other
// among other things, and their content filter or nil. next tells for a place in the text the first
// place from there on where a content may have the keyword; −1: there is none. Whether the content has
// it in a value is for In to tell; next skips, at the speed of a search for bytes, all but
//
//   - the keyword itself, in either case, by the two bytes of it that are rarest;
//   - an escape, after which it may be spelled;
//   - a letter beyond ASCII that folds into one of the keyword's.
//
// A next is valid until the next call.
func (k *Keyword) Finder() (find func(text []byte, filter []uint64) (next func(from int) int)) {
	s := &finder{k: k}
	next := s.next
	return func(text []byte, filter []uint64) func(int) int {
		s.begin(text, filter)
		return next
	}
}

// finder is a search through one text. The places asked for ascend.
type finder struct {
	k     *Keyword
	text  []byte
	at    [3]int // of each of the marks: the first at or after the place asked for last
	match int    // likewise of the keyword
}

// begin begins with another text, in which a mark that is not in the filter does not occur.
func (s *finder) begin(text []byte, filter []uint64) {
	s.text, s.match = text, -1
	for i, b := range s.k.marks {
		if s.at[i] = -1; filter != nil && filter[0]&marked(b) == 0 {
			s.at[i] = len(text)
		}
	}
}

// mark chooses the bytes that are looked for: the keyword's pair that is rarest, and what
// a finder stops at, too.
func (k *Keyword) mark() {
	if !k.ascii {
		return
	}
	rarest := -1
	for i := range max(1, len(k.folded)-1) {
		r := rarity(k.folded[i])
		if i+1 < len(k.folded) {
			r += rarity(k.folded[i+1])
		}
		if r > rarest {
			rarest, k.anchor = r, i
		}
	}
	k.pair.first = ones * uint64(k.folded[k.anchor]|0x20)
	if len(k.folded) > 1 {
		k.pair.second, k.pair.two = ones*uint64(k.folded[k.anchor+1]|0x20), math.MaxUint64
	}
	k.marks = []byte{'\\'}
	if bytes.IndexByte(k.folded, 'k') >= 0 { // the Kelvin sign
		k.marks = append(k.marks, 0xE2)
	}
	if bytes.IndexByte(k.folded, 'i') >= 0 { // the I with a dot
		k.marks = append(k.marks, 0xC4)
	}
}

// rarity is greater for bytes that are rarer in what people write.
func rarity(b byte) int {
	if i := strings.IndexByte(` etaoinsrhldcumfpgwybvkxjqz`, b); i >= 0 {
		return i
	}
	return 12
}

// next is the first place at or after from at which to look closer.
func (s *finder) next(from int) int {
	if !s.k.ascii {
		for i, b := range s.text[from:] {
			if b >= utf8.RuneSelf || b == '\\' {
				return from + i
			}
		}
		return -1
	}
	first := s.keyword(from)
	for i := range s.k.marks {
		first = min(first, s.mark(i, from))
	}
	if first == len(s.text) {
		return -1
	}
	return first
}

// mark is the first of a mark at or after from; the text's end where there is none.
func (s *finder) mark(i, from int) int {
	if s.at[i] < from {
		s.at[i] = len(s.text)
		if n := bytes.IndexByte(s.text[min(from, len(s.text)):], s.k.marks[i]); n >= 0 {
			s.at[i] = from + n
		}
	}
	return s.at[i]
}

// keyword is where it is first at or after from, in either case; the text's end where
// it does not.
func (s *finder) keyword(from int) int {
	if s.match >= from {
		return s.match
	}
	s.match = from + s.k.find(s.text[min(from, len(s.text)):])
	if s.match < from {
		s.match = len(s.text)
	}
	return s.match
}

// find is the first place of the keyword in a text, in either case of ASCII; −1: nowhere.
func (k *Keyword) find(text []byte) int {
	for at := k.anchor; ; at++ {
		if at = k.pairFrom(text, at); at < 0 || at-k.anchor+len(k.folded) > len(text) {
			return -1
		}
		if k.matchesAnchored(text[at-k.anchor:]) {
			return at - k.anchor
		}
	}
}

const ones, highs, lower = 0x0101010101010101, 0x8080808080808080, 0x2020202020202020

// pair is two neighbouring bytes that are looked for at eight places at once, each eight
// times with the bit that tells cases apart.
type pair struct {
	first, second uint64
	two           uint64 // all bits; none: the second counts for nothing
}

// at is zero where none of the eight places that b begins with has the pair; else its
// lowest bit is in the byte of the first that has it, but for bytes that differ in
// that one bit.
func (p *pair) at(b *[9]byte) uint64 {
	z := (le.Uint64(b[:]) | lower) ^ p.first | ((le.Uint64(b[1:])|lower)^p.second)&p.two
	return (z - ones) &^ z & highs
}

var le = binary.LittleEndian

// pairFrom is a place from p on such that none before it has the keyword's pair; −1:
// there is none.
func (k *Keyword) pairFrom(text []byte, p int) int {
	pair := k.pair
	for ; p+33 <= len(text); p += 32 {
		b := (*[33]byte)(text[p:])
		if pair.at((*[9]byte)(b[:]))|pair.at((*[9]byte)(b[8:]))|pair.at((*[9]byte)(b[16:]))|pair.at((*[9]byte)(b[24:])) != 0 {
			break
		}
	}
	for ; p+9 <= len(text); p += 8 {
		if m := pair.at((*[9]byte)(text[p:])); m != 0 {
			return p + bits.TrailingZeros64(m)>>3
		}
	}
	for ; p < len(text); p++ {
		if text[p]|0x20 == byte(pair.first) {
			return p
		}
	}
	return -1
}

// matchesAnchored reports that a text, which is long enough, begins with the keyword.
func (k *Keyword) matchesAnchored(text []byte) bool {
	for i, b := range k.folded {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != b {
			return false
		}
	}
	return true
}
