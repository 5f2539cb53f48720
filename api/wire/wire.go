package wire

import (
	"bytes"
	"cmp"
	"strconv"
	"time"

	"github.com/goccy/go-json"
)

// ContentType of every shape.
const ContentType = "application/json"

// Encode is the JSON of a shape, ended by a newline. Text is not escaped for HTML.
func Encode(v any) ([]byte, error) {
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
	return &s
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
func Seconds(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.DateTime) }

// Millis is a time in milliseconds since 1970, cut to the second.
func Millis(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateTime) }

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
