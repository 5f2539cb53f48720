package brand

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// near tells for a place in a text where from there on the first content may begin to have
// the keyword; −1: nowhere. The text is many contents one behind the other, among
// other things. Whether one has it in a value is for in to say; near passes over those
// that cannot, at the speed at which bytes are looked for:
//
//   - the keyword itself, in either case, by the byte of it that is rarest;
//   - an escape, behind which it may be spelled;
//   - a letter beyond ASCII that folds into one of the keyword's.
func (k *keyword) near(text []byte) func(from int) int {
	s := &seeker{k: k, text: text, match: -1}
	for i := range s.at {
		s.at[i] = -1
	}
	return s.next
}

// seeker is a search through one text. The places asked for ascend.
type seeker struct {
	k     *keyword
	text  []byte
	at    [5]int // of each of the marks: the first at or behind the place asked for last
	match int    // likewise of the keyword
}

// mark finds the bytes that a seeker stops at; the first two belong to the keyword.
func (k *keyword) mark() {
	if !k.ascii {
		return
	}
	rarest := -1
	for i, b := range k.folded {
		if r := rarity(b); r > rarest {
			rarest, k.anchor = r, i
		}
	}
	b := k.folded[k.anchor]
	k.marks = []byte{b, b, '\\'}
	if 'a' <= b && b <= 'z' {
		k.marks[1] = b - 'a' + 'A'
	}
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

// next is the first place at or behind from at which to look closer.
func (s *seeker) next(from int) int {
	if !s.k.ascii {
		for i, b := range s.text[from:] {
			if b >= utf8.RuneSelf || b == '\\' {
				return from + i
			}
		}
		return -1
	}
	first := s.keyword(from)
	for i := 2; i < len(s.k.marks); i++ {
		first = min(first, s.mark(i, from))
	}
	if first == len(s.text) {
		return -1
	}
	return first
}

// mark is the first of a mark at or behind from; the text's end where there is none.
func (s *seeker) mark(i, from int) int {
	if s.at[i] < from {
		s.at[i] = len(s.text)
		if n := bytes.IndexByte(s.text[min(from, len(s.text)):], s.k.marks[i]); n >= 0 {
			s.at[i] = from + n
		}
	}
	return s.at[i]
}

// keyword is where it stands first at or behind from, in either case; the text's end where
// it does not.
func (s *seeker) keyword(from int) int {
	if s.match >= from {
		return s.match
	}
	k := s.k
	for at := from + k.anchor; ; at++ {
		at = min(s.mark(0, at), s.mark(1, at))
		start := at - k.anchor
		if start+len(k.folded) > len(s.text) {
			s.match = len(s.text)
			return s.match
		}
		if k.stands(s.text[start:]) {
			s.match = start
			return start
		}
	}
}

// stands reports that a text, which is long enough, begins with the keyword.
func (k *keyword) stands(text []byte) bool {
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
