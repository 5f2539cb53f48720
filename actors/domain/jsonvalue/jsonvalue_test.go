package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// A value nests up to 32 levels, of objects and arrays alike, wherever the deep part is.
func TestCheck_Depth(t *testing.T) {
	for _, c := range []struct{ open, leaf, end string }{
		{`{"a":`, `1`, `}`}, {`[`, ``, `]`}, {`{"a]":[`, `"{[\"{"`, `]}`}, {`[{"a":`, `null`, `}]`}, {"[ \n0,", `[]`, ` , {} ]`},
	} {
		levels := strings.Count(c.open, "{") + strings.Count(c.open, "[")
		leaf := strings.Count(strings.Trim(c.leaf, `"`), "[]")
		for n := 1; n <= MaxDepth+2; n++ {
			value := strings.Repeat(c.open, n) + c.leaf + strings.Repeat(c.end, n)
			if !json.Valid([]byte(value)) {
				t.Fatal(value)
			}
			want := error(nil)
			if n*levels+leaf > MaxDepth || strings.Contains(c.end, "{}") && n+1 > MaxDepth {
				want = ErrDeep
			}
			if err := Check([]byte(value)); !errors.Is(err, want) {
				t.Errorf("%d times %s: %v, want %v", n, c.open, err, want)
			}
		}
	}
}

// A number is one that a double holds, as encoding/json judges it.
func TestCheck_Numbers(t *testing.T) {
	digits := strings.Repeat("9", 308)
	for _, number := range []string{
		"0", "-0", "1e308", "1.8e308", "1e999", "-1E+400", "1e-999", "0.1", digits, digits + "9", "-" + digits + "99", "0." + digits + digits,
		"1" + strings.Repeat("0", 308), "2" + strings.Repeat("0", 308), digits + digits + "e-400", "0e9999", "17976931348623157e292", "17976931348623159e292",
	} {
		for _, value := range []string{number, `{"a":[` + number + `]}`, `["1e999",` + number + ` ,1]`} {
			var v any
			err := json.Unmarshal([]byte(value), &v)
			if got := Check([]byte(value)); errors.Is(got, ErrNumber) != (err != nil) {
				t.Errorf("%s: %v, encoding/json says %v", value, got, err)
			}
		}
	}
}

// Halves of surrogate pairs become U+FFFD, in names too; all else stays as it was written.
func TestMend(t *testing.T) {
	for value, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, `"\ud83c"`: `"\ufffd"`, `{"\uDC00":"\ud83c\udfb5"}`: `{"\ufffd":"\ud83c\udfb5"}`,
		`"\ud83c\ud83c\udfb5\udfb5"`: `"\ufffd\ud83c\udfb5\ufffd"`, `"\\ud83c\"\n\u00e9"`: `"\\ud83c\"\n\u00e9"`,
		`"\\\ud83c\\"`: `"\\\ufffd\\"`, `"\ud83cx\udfb5"`: `"\ufffdx\ufffd"`, `"\ud83c\\udfb5"`: `"\ufffd\\udfb5"`, `"é\uD83C"`: `"é\ufffd"`,
	} {
		in := []byte(value)
		if got := string(Mend(in)); got != want || string(in) != value {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

// Of any valid value Mend gives one that means the same to encoding/json, and has no half of a pair;
// Check finds neither more nor less than a walk through the decoded value.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"\ud800":["\\\udc00",1e400]}`, `[[[]]]`, `"\ud83c\u0041"`, strings.Repeat("[", 33) + strings.Repeat("]", 33)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if !json.Valid(value) || !utf8.Valid(value) {
			_, _ = Mend(value), Check(value) // they end
			return
		}
		mended := Mend(bytes.Clone(value))
		decode := func(text []byte) (v any) {
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			return v
		}
		v := decode(value)
		if !reflect.DeepEqual(v, decode(mended)) {
			t.Fatalf("%q became %q", value, mended)
		}
		if again := Mend(mended); !bytes.Equal(again, mended) {
			t.Fatalf("%q became %q, and then %q", value, mended, again)
		}
		err := Check(value)
		if deep := depthOf(v) > MaxDepth; deep && err == nil || errors.Is(err, ErrDeep) && !deep && !repeats(value) {
			t.Fatalf("%q: %v, depth %d", value, err, depthOf(v))
		}
	})
}

// repeats reports that an object may have a name twice, of which the decoded value has the last.
func repeats(value []byte) bool { return bytes.Count(value, []byte(`"`)) >= 4 }

func depthOf(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n = max(n, depthOf(e))
		}
		return n + 1
	case []any:
		for _, e := range v {
			n = max(n, depthOf(e))
		}
		return n + 1
	}
	return 0
}

func BenchmarkCheck(b *testing.B) {
	value := []byte(`{"TrackName":"Blue in Green","Artist":"Miles Davis","ms":327000,"tags":["jazz","modal"],"at":1.5e3}`)
	b.SetBytes(int64(len(value)))
	for b.Loop() {
		if err := Check(Mend(value)); err != nil {
			b.Fatal(fmt.Sprint(err))
		}
	}
}
