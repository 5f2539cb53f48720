package jsonvalue

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain/composed"
)

func TestCompose(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{"a":"Motörhead","b":[1,"x\n"]}`:       `{"a":"Motörhead","b":[1,"x\n"]}`,
		`{"a":"Moto` + "\u0308" + `rhead"}`:     `{"a":"Motörhead"}`,
		`{"a":"Moto\u0308rhead","b":"\u00e9"}`:  `{"a":"Motörhead","b":"\u00e9"}`, // what is composed stays as it is written
		`{"o` + "\u0308" + `":["\"o\u0308\\"]}`: `{"ö":["\"ö\\"]}`,
		`"\n` + "\u0303" + `"`:                  `"\n` + "\u0303" + `"`, // the n is not the character
		`"\\n` + "\u0303" + `"`:                 `"\\ñ"`,
		`"<o\u0308>"`:                           `"<ö>"`,
		`{"a":"o\u0308`:                         `{"a":"o\u0308`,
		`"\u0065` + "\u0301" + `"`:              `"é"`,
		`"\u0065\u0301"`:                        `"é"`,
		`"\u0065\n\u00e9\u02ff"`:                `"\u0065\n\u00e9\u02ff"`,
	} {
		in := []byte(value)
		if got := string(Compose(in)); got != want || string(in) != value {
			t.Errorf("%+q: %+q, want %+q", value, got, want)
		}
	}
}

// The value is as encoding/json reads it, with each text composed.
func FuzzCompose_MeansTheSame(f *testing.F) {
	for _, s := range []string{`{"o\u0308":["e\u0301\\","\n` + "\u0303" + `",1]}`, `"\ud800\u0308"`, `["\u0308"]`, `"` + "\u0308" + `"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		before := bytes.Clone(value)
		got := Compose(value)
		if !bytes.Equal(value, before) {
			t.Fatalf("%q was changed", before)
		}
		var was, is any
		if json.Unmarshal(value, &was) != nil {
			return
		}
		if err := json.Unmarshal(got, &is); err != nil {
			t.Fatalf("%q became %q: %v", value, got, err)
		}
		if want := of(was); !reflect.DeepEqual(is, want) {
			t.Fatalf("%q became %q: %q, want %q", value, got, is, want)
		}
		if again := Compose(got); !bytes.Equal(again, got) {
			t.Fatalf("%q became %q, and then %q", value, got, again)
		}
	})
}

// of is a value with composed texts. Of names that are the same then one is left: which, differs.
func of(v any) any {
	switch v := v.(type) {
	case string:
		return composed.Text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = of(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			out[composed.Text(name)] = of(value)
		}
		return out
	}
	return v
}

func BenchmarkCompose(b *testing.B) {
	for name, value := range map[string]string{
		"ascii":    `{"TrackName":"` + strings.Repeat("Lantern ", 20) + `"}`,
		"composed": `{"TrackName":"` + strings.Repeat("Motörhead ", 16) + `"}`,
		"escapes":  `{"TrackName":"` + strings.Repeat(`Mot\u00f6rhead `, 10) + `"}`,
		"apart":    `{"TrackName":"` + strings.Repeat("Moto\u0308rhead ", 15) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			in := []byte(value)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				Compose(in)
			}
		})
	}
}
