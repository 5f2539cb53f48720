package activity

import (
	"encoding/binary"
	"math/bits"

	"github.com/ovation-analytics/ovation/actors/domain/jsonvalue"
)

// maxDepth is how deep a record may nest. The bound is part of address version 1.
const maxDepth = 64

// kind says what a token is.
type kind uint8

const (
	absent kind = iota
	null
	boolean
	number
	text // a JSON string without its quotes, or the value of a header
	object
	array
)

// token is a JSON value as a record has it.
type token struct {
	raw     []byte
	kind    kind
	escaped bool // of a text: it holds escapes
	wide    bool // it holds bytes above ASCII, which need not be UTF-8, or escapes of such characters
	loose   bool // of an object: there are blanks between its tokens
	odd     bool // of an object: it may be beyond what package jsonvalue takes, or have half surrogate pairs
}

// scanner reads one JSON text. It takes exactly what encoding/json takes, but for
// maxDepth, and allocates nothing. After a failure i is where it happened.
type scanner struct {
	b      []byte
	i      int
	blanks int // blanks passed so far
	wides  int // strings passed so far that are wide
	odds   int // tokens passed so far that make an object odd
}

// peek passes blanks and gives the byte after them; 0 at the end.
func (s *scanner) peek() byte {
	for s.i < len(s.b) {
		c := s.b[s.i]
		if c > ' ' {
			return c
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		s.i++
		s.blanks++
	}
	return 0
}

// value reads the value that starts at s.i into t.
func (s *scanner) value(depth int, t *token) bool {
	if s.i >= len(s.b) {
		return false
	}
	switch c := s.b[s.i]; {
	case c == '"':
		return s.str(t)
	case c == '{' || c == '[':
		return s.composite(depth, t)
	case c == '-' || '0' <= c && c <= '9':
		return s.number(t)
	case c == 't':
		return s.word("true", boolean, t)
	case c == 'f':
		return s.word("false", boolean, t)
	case c == 'n':
		return s.word("null", null, t)
	}
	return false
}

func (s *scanner) word(w string, k kind, t *token) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	*t = token{raw: s.b[s.i-len(w) : s.i], kind: k}
	return true
}

// str reads a string; s.i is at its first quote.
func (s *scanner) str(t *token) bool {
	b, start := s.b, s.i+1
	var escaped, wide bool
	for i := start; ; i++ {
		for i+8 <= len(b) {
			m := special(binary.LittleEndian.Uint64(b[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) / 8
			break
		}
		if i >= len(b) {
			s.i = len(b)
			return false
		}
		switch c := b[i]; {
		case c == '"':
			*t = token{raw: b[start:i], kind: text, escaped: escaped, wide: wide}
			if wide {
				s.wides++
			}
			s.i = i + 1
			return true
		case c == '\\':
			escaped = true
			n := escape(b[i+1:])
			if n == 0 {
				s.i = i
				return false
			}
			if n == 5 {
				wide = true
				if b[i+2]|0x20 == 'd' {
					s.odds++
				}
			}
			i += n
		case c >= 0x80:
			wide = true
		case c < ' ':
			s.i = i
			return false
		}
	}
}

// special marks the first of eight bytes that is a quote, a backslash, a control
// character or above ASCII, in the byte's highest bit; later bytes may be marked
// without being any.
func special(x uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, escape := x^ones*'"', x^ones*'\\'
	return (quote-ones)&^quote&tops | (escape-ones)&^escape&tops | (x-ones*' ')&^x&tops | x&tops
}

// escape is the length of the escape after a backslash; 0: there is none.
func escape(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		if _, ok := hex4(b[1:]); ok {
			return 5
		}
	}
	return 0
}

// hex4 reads the four hex digits that b starts with.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// number reads a number; s.i is at its sign or first digit.
func (s *scanner) number(t *token) bool {
	start := s.i
	if s.b[s.i] == '-' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if !s.digits() {
			return false
		}
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		s.odds++
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		if !s.digits() {
			return false
		}
	}
	if s.i-start > maxDigits {
		s.odds++
	}
	*t = token{raw: s.b[start:s.i], kind: number}
	return true
}

// maxDigits is a number of digits that a double holds.
const maxDigits = 300

// digits passes digits, at least one.
func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}

// composite reads an object or array of which nothing is wanted but the text; s.i
// is at its bracket.
func (s *scanner) composite(depth int, t *token) bool {
	if depth >= maxDepth {
		return false
	}
	start, blanks, wides, odds := s.i, s.blanks, s.wides, s.odds
	if depth >= jsonvalue.MaxDepth {
		s.odds++
	}
	k, end := array, byte(']')
	if s.b[s.i] == '{' {
		k, end = object, '}'
	}
	s.i++
	for more := s.peek() != end; more; {
		if k == object && !s.key(t) || !s.value(depth+1, t) {
			return false
		}
		var ok bool
		if more, ok = s.next(end); !ok {
			return false
		}
	}
	s.i++
	*t = token{raw: s.b[start:s.i], kind: k, loose: s.blanks != blanks, wide: s.wides != wides, odd: s.odds != odds}
	return true
}

// key reads a member's name and the colon, up to the value.
func (s *scanner) key(t *token) bool {
	if s.i >= len(s.b) || s.b[s.i] != '"' || !s.str(t) || s.peek() != ':' {
		return false
	}
	s.i++
	s.peek()
	return true
}

// next passes the comma after an element, up to the next one, or stops at the
// bracket that ends the composite.
func (s *scanner) next(end byte) (more, ok bool) {
	switch c := s.peek(); {
	case c == ',':
		s.i++
		s.peek()
		return true, true
	case c == end:
		return false, true
	}
	return false, false
}
