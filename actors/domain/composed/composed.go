package composed

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Text is a text in composed form.
func Text(s string) string {
	if ascii(s) || norm.NFC.IsNormalString(s) {
		return s
	}
	return norm.NFC.String(s)
}

// ascii reports that a text is of ASCII, as most are.
func ascii[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// JSON is a JSON value whose texts and names are in composed form. A text that is stays as it is written; where all are,
// the value is given back. What is not JSON has no form: it is given back as far as it is none.
func JSON(value []byte) []byte {
	if !bytes.Contains(value, []byte(`\u`)) && (ascii(value) || norm.NFC.IsNormal(value)) {
		return value
	}
	var room [256]byte
	var out []byte
	kept := 0 // what is before is in out
	for i := 0; i < len(value); i++ {
		if value[i] != '"' {
			continue
		}
		start := i
		if i = end(value, i); i >= len(value) {
			break
		}
		if s := unescaped(room[:0], value[start+1:i]); !ascii(s) && !norm.NFC.IsNormal(s) {
			out = append(append(out, value[kept:start]...), written(norm.NFC.String(string(s)))...)
			kept = i + 1
		}
	}
	if kept == 0 {
		return value
	}
	return append(out, value[kept:]...)
}

// unescaped appends the characters that a text of JSON has. What is no escape of JSON stays.
func unescaped(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' || i+1 == len(text) {
			dst = append(dst, c)
			continue
		}
		i++
		switch c = text[i]; c {
		case 'b', 'f', 'n', 'r', 't':
			dst = append(dst, controls[c])
		case 'u':
			r, ok := unit(text[i+1:])
			if !ok {
				dst = append(dst, '\\', c)
				continue
			}
			i += 4
			if low, ok := unit(bytes.TrimPrefix(text[i+1:], []byte(`\u`))); ok && bytes.HasPrefix(text[i+1:], []byte(`\u`)) {
				if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
					r = both
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// controls are the characters that have an escape of a letter.
var controls = [...]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unit is the number of four hexadecimal digits.
func unit(digits []byte) (r rune, ok bool) {
	if len(digits) < 4 {
		return 0, false
	}
	for _, c := range digits[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// end is where a text that begins at i ends; the length of value: it does not.
func end(value []byte, i int) int {
	for i++; i < len(value); i++ {
		switch value[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(value)
}

// written is a text in JSON.
func written(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // of a string: cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
