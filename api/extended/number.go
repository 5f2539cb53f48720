package extended

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// maxDigits bounds the digits of a number that are compared.
const maxDigits = 1000

// sortable is a decimal number as bytes that sort as numbers do, by sign, magnitude and digits;
// false: the text is no number. Numbers that are equal have the same bytes.
//
//	negative  "0", exponent and digits inverted, 0xff
//	zero      "1"
//	positive  "2", exponent, digits
//
// The exponent has 8 bytes: the number is 0.digits · 10^exponent, the first digit not 0.
func sortable(text string) (string, bool) {
	rest, negative := strings.CutPrefix(text, "-")
	mantissa, exponent := rest, int64(0)
	if at := strings.IndexAny(rest, "eE"); at >= 0 {
		power, err := strconv.ParseInt(rest[at+1:], 10, 64)
		if err != nil && !overflows(err) {
			return "", false
		}
		mantissa, exponent = rest[:at], min(max(power, -math.MaxInt64/2), math.MaxInt64/2)
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	if whole == "" || dotted && fraction == "" || !digitsOnly(whole) || !digitsOnly(fraction) {
		return "", false
	}
	digits := whole + fraction
	trimmed := strings.TrimLeft(digits, "0")
	exponent += int64(len(whole) - (len(digits) - len(trimmed)))
	trimmed = strings.TrimRight(trimmed[:min(len(trimmed), maxDigits)], "0")
	if trimmed == "" {
		return "1", true
	}
	b := make([]byte, 0, 10+len(trimmed))
	b = append(b, '2')
	b = binary.BigEndian.AppendUint64(b, uint64(exponent)^1<<63)
	b = append(b, trimmed...)
	if negative {
		b[0] = '0'
		for i := range b[1:] {
			b[1+i] = ^b[1+i]
		}
		b = append(b, 0xff)
	}
	return string(b), true
}

func overflows(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

func digitsOnly(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
