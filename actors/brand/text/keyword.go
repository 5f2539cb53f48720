package text

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Keyword is a text that is looked for in the values of contents, in any case. It
// never changes: any number of goroutines may use it.
type Keyword struct {
	folded []byte
	ascii  bool
	anchor int    // where in folded the pair begins
	pair   pair   // which is looked for first
	marks  []byte // see finder
}

// NewKeyword is nil for an empty text.
func NewKeyword(text string) *Keyword {
	if text == "" {
		return nil
	}
	k := &Keyword{folded: []byte(strings.ToLower(text)), ascii: true}
	for _, b := range k.folded {
		k.ascii = k.ascii && b < utf8.RuneSelf
	}
	k.mark()
	return k
}

// In reports that a value of the content has the keyword: of an object any text,
// number or truth value in it, of a plain text the text.
func (k *Keyword) In(content []byte) bool {
	switch {
	case len(content) == 0:
		return false
	case content[0] != '{':
		return k.within(content)
	}
	escaped := bytes.IndexByte(content, '\\') >= 0
	if !escaped && !k.within(content) { // without an escape a value is there as it is
		return false
	}
	found := eachValue(content, k.within)
	if found && !escaped {
		return true // an object or not
	}
	if json.Valid(content) {
		return found
	}
	return k.within(content)
}

// eachValue calls f with the values of an object, until it reports that it has what it
// wants. Of what is no object it makes something.
func eachValue(object []byte, f func(text []byte) bool) bool {
	for i := 0; i < len(object); {
		c, from := object[i], i
		i++
		switch c {
		case '{', '}', '[', ']', ',', ':', ' ', '\t', '\r', '\n':
			continue
		case '"':
			i += ending(object[i:])
			if named(object[i:]) {
				continue
			}
			text := object[from+1 : max(from+1, i-1)]
			if bytes.IndexByte(text, '\\') >= 0 {
				var spelled string
				if json.Unmarshal(object[from:i], &spelled) != nil {
					continue
				}
				text = []byte(spelled)
			}
			if f(text) {
				return true
			}
		default:
			for i < len(object) && bytes.IndexByte(ends, object[i]) < 0 {
				i++
			}
			if word := object[from:i]; string(word) != "null" && f(word) {
				return true
			}
		}
	}
	return false
}

// ends are what ends a number or a literal.
var ends = []byte(`{}[],:" ` + "\t\r\n")

// ending is where a text ends that has begun, its quotation mark included.
func ending(b []byte) int {
	for i := 0; i < len(b); {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			break
		}
		end, escapes := i+n, 0
		for escapes < n && b[end-1-escapes] == '\\' {
			escapes++
		}
		if i = end + 1; escapes%2 == 0 {
			return i
		}
	}
	return len(b)
}

// named reports that the text before was the name of a member.
func named(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && b[0] == ':'
}

// within reports that a text has the keyword.
func (k *Keyword) within(text []byte) bool {
	if !isASCII(text) { // some letters beyond fold into ASCII
		return bytes.Contains(bytes.ToLower(text), k.folded)
	}
	return k.ascii && k.find(text) >= 0
}
