package jsonvalue

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

// Compose gives a valid JSON value with its texts, names too, in composed form. A text that is composed stays as it is
// written. The value itself stays as it is, and is returned where all texts are composed.
func Compose(value []byte) []byte {
	if !bytes.Contains(value, []byte(`\u`)) && composed.Is(value) {
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
		if i = stringEnd(value, i); i >= len(value) {
			break
		}
		if s := appendText(room[:0], value[start+1:i]); !composed.Is(s) {
			out = append(append(out, value[kept:start]...), quoted(composed.Text(string(s)))...)
			kept = i + 1
		}
	}
	if kept == 0 {
		return value
	}
	return append(out, value[kept:]...)
}

// appendText appends the characters of what is between the quotes of a text.
func appendText(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			dst = append(dst, text[i])
			continue
		}
		if high, ok := unit(text[i:]); ok {
			r := rune(high)
			i += 5
			if low, ok := unit(text[i+1:]); ok && utf16.IsSurrogate(r) {
				if both := utf16.DecodeRune(r, rune(low)); both != utf8.RuneError {
					r = both
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		i++
		if c := controls[text[i]]; c != 0 {
			dst = append(dst, c)
		} else {
			dst = append(dst, text[i])
		}
	}
	return dst
}

// controls are the characters whose escape is a letter.
var controls = [256]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// quoted is a text in JSON.
func quoted(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // of a string: cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
