package wire

import (
	"bytes"
	"cmp"
	"strconv"
	"time"

	"github.com/goccy/go-json"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// ContentType of every shape.
const ContentType = "application/json"

// Encode is the JSON of a shape, ended by a newline. Text is not escaped for HTML.
func Encode(v any) ([]byte, error) {
	if l, ok := v.(memberList); ok {
		v = l.whole()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Null is the text, or null for an empty one.
func Null(s string) *string {
	if s == "" {
		return nil
	}
	text := s // so that an empty one allocates nothing
	return &text
}

// Field is the value of a field, or null where there is none. It is the field's own: read only.
func Field(f domain.Fields, field domain.Field) *string {
	for i := range f {
		if f[i].Field == field && f[i].Value != "" {
			return &f[i].Value
		}
	}
	return nil
}

// Number is a number as a string.
func Number[T ~uint16 | ~uint32 | ~uint64 | ~int](n T) string {
	return strconv.FormatUint(uint64(n), 10)
}

// NullNumber is a number as a string, null for 0.
func NullNumber[T ~uint16 | ~uint32 | ~uint64](n T) *string {
	if n == 0 {
		return nil
	}
	return Null(Number(n))
}

// Flag is "1" or "0".
func Flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// Seconds is a time in seconds since 1970.
func Seconds(unix int64) string { return dateTime(time.Unix(unix, 0).UTC()) }

// Millis is a time in milliseconds since 1970, cut to the second.
func Millis(ms int64) string { return dateTime(time.UnixMilli(ms).UTC()) }

// dateTime is the time in the layout time.DateTime, in a third of the time that Format takes.
func dateTime(t time.Time) string {
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.Format(time.DateTime)
	}
	hour, minute, second := t.Clock()
	b := [...]byte{19: 0}
	at := 0
	two := func(n int, after byte) {
		b[at], b[at+1], b[at+2] = byte('0'+n/10), byte('0'+n%10), after
		at += 3
	}
	two(year/100, 0)
	at = 2
	two(year%100, '-')
	two(int(month), '-')
	two(day, ' ')
	two(hour, ':')
	two(minute, ':')
	two(second, 0)
	return string(b[:19])
}

// NullMillis is a time in milliseconds since 1970, null for 0.
func NullMillis(ms int64) *string {
	if ms == 0 {
		return nil
	}
	return Null(Millis(ms))
}

// Marker is the marker made of a time of recording.
func Marker(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05.000000") }

// Paging is the addresses of the pages beside this one.
type Paging struct {
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
}

// Deleted is the answer of a delete.
type Deleted struct {
	Deleted bool `json:"deleted"`
}

// NullOr is a text, else another one; null where both are empty.
func NullOr(a, b string) *string { return Null(cmp.Or(a, b)) }
