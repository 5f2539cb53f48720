package composed

import (
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

// Is reports that a text is in composed form.
func Is(text []byte) bool { return ascii(text) || norm.NFC.IsNormal(text) }

// ascii reports that a text is of ASCII, as most are: package norm allocates to see it.
func ascii[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
