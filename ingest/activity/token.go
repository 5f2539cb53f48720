package activity

import (
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// given reports that a field says anything: it is there, not null and not "".
func (t *token) given() bool {
	return t.kind > null && (t.kind != text || len(t.raw) > 0)
}

// text is the value of a text; ok is false for any other token. It shares the
// record's memory unless it has to be rewritten.
func (t *token) text() (s string, ok bool) {
	if t.kind != text {
		return "", false
	}
	if t.escaped || t.wide && !utf8.Valid(t.raw) {
		return alias(unescape(nil, t.raw)), true
	}
	return alias(t.raw), true
}

// name is a text, or the digits of a JSON number without sign, fraction and
// exponent: an identifier of a service or a partner, which may look like a number.
func (t *token) name() (s string, ok bool) {
	if t.kind == number && digits(t.raw) {
		return alias(t.raw), true
	}
	return t.text()
}

// id is an id of ours, from 1 to maxValue: such a number, or decimal digits in a text.
func (t *token) id(maxValue uint64) (n uint64, ok bool) {
	raw := t.raw
	switch {
	case t.kind != number && t.kind != text:
		return 0, false
	case t.escaped:
		raw = unescape(nil, raw)
	}
	if len(raw) > 20 || !digits(raw) {
		return 0, false
	}
	for _, c := range raw {
		d := uint64(c - '0')
		if n > (maxValue-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, n > 0
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// unescape appends what the inside of a JSON string means, as encoding/json
// has it: a lone surrogate and each byte that is no UTF-8 become U+FFFD. The
// escapes must have been checked.
func unescape(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\' && raw[i+1] == 'u':
			r, _ := hex4(raw[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				var low rune
				if i+1 < len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
					low, _ = hex4(raw[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
		case c == '\\':
			dst = append(dst, plainEscape(raw[i+1]))
			i += 2
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return dst
}

func plainEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c // quote, backslash, slash
}

// tight appends a JSON object without its blanks and with U+FFFD for each byte that
// is no UTF-8.
func tight(dst, raw []byte) []byte { return rewrite(dst, raw, false) }

// tightInside is tight for the inside of a string.
func tightInside(dst, raw []byte) []byte { return rewrite(dst, raw, true) }

func rewrite(dst, raw []byte, inside bool) []byte {
	for i := 0; i < len(raw); {
		c := raw[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
		switch {
		case inside && c == '\\':
			dst = append(dst, c)
			c = raw[i]
			i++
		case c == '"':
			inside = !inside
		case !inside && c <= ' ':
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// alias is b as a string, without a copy: b must not change any more.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
