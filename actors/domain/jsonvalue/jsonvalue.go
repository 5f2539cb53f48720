package jsonvalue

import (
	"bytes"
	"errors"
	"strconv"
)

// MaxDepth is how deep a value may nest: {"a":[1]} has two levels.
const MaxDepth = 32

// Errors of Check. They name no value.
var (
	ErrDeep   = errors.New("must nest at most 32 levels")
	ErrNumber = errors.New("must have numbers that a double holds")
)

// Check reports that a valid JSON value nests deeper than MaxDepth, or has a number that is too large
// for a double.
func Check(value []byte) error {
	depth := 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			i = stringEnd(value, i)
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return ErrDeep
			}
		case c == '}' || c == ']':
			depth--
		case c == '-' || '0' <= c && c <= '9':
			end := i + 1
			for end < len(value) && inNumber(value[end]) {
				end++
			}
			if !fits(value[i:end]) {
				return ErrNumber
			}
			i = end - 1
		}
	}
	return nil
}

// stringEnd is the place of the quote that ends the string that begins at i.
func stringEnd(value []byte, i int) int {
	for i++; i < len(value); i++ {
		switch value[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return i
}

func inNumber(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

// fits reports that a double holds the number, rounded. The largest double has 309 digits.
func fits(number []byte) bool {
	if len(number) < 309 && !bytes.ContainsAny(number, "eE") {
		return true
	}
	_, err := strconv.ParseFloat(string(number), 64)
	return err == nil
}

// Mend gives a valid JSON value with U+FFFD for each half of a surrogate pair that is escaped without
// the other, in names too. The value itself stays as it is, and is returned where there is none.
func Mend(value []byte) []byte {
	mended := false
	for i := bytes.IndexByte(value, '\\'); i >= 0 && i < len(value); i++ {
		if value[i] != '\\' {
			continue
		}
		high, ok := unit(value[i:])
		switch {
		case !ok:
			i++ // what is escaped
			continue
		case high < 0xd800 || high > 0xdfff:
			i += 5
			continue
		case high < 0xdc00 && isLow(value[i+6:]):
			i += 11
			continue
		}
		if !mended {
			value, mended = bytes.Clone(value), true
		}
		copy(value[i+2:], "fffd")
		i += 5
	}
	return value
}

// isLow reports that the second half of a surrogate pair follows.
func isLow(rest []byte) bool {
	low, ok := unit(rest)
	return ok && 0xdc00 <= low && low <= 0xdfff
}

// unit is the code unit of an escape such as \u00e9 at the beginning.
func unit(rest []byte) (uint64, bool) {
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(rest[2:6]), 16, 16)
	return n, err == nil
}
