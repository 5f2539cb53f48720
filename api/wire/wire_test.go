package wire

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// shapes are all answers.
var shapes = []any{
	Brands{},
	Definition{},
	Definitions{},
	Envelope{},
	FeedItem{},
	Accepted{},
	ActivityTally{},
	Timeline{},
	Deleted{},
	Members{},
	ActiveMembers{},
	LoggedInMembers{},
}

// texts are strings that are hard on an encoder.
var texts = []string{"", "plain", `"quoted" \ back`, "line\nbreak\ttab\x01\x7f", "<b>&amp;</b>", "\u2028 \u2029", "Björk — 日本 🎵", "bad \xff utf-8"}

// fill sets every field of a shape at random.
func fill(rnd *rand.Rand, v reflect.Value) {
	switch v.Interface().(type) {
	case Brand:
		v.Set(reflect.ValueOf(Brand{ID: domain.BrandID(rnd.Uint32()), Fields: domain.BrandFields{"Name": texts[rnd.IntN(len(texts))], "custom_b": "7", "custom_a": "-1"}}))
		return
	case MemberItem:
		for field, at := range v.Fields() {
			if field.IsExported() {
				fill(rnd, at)
			}
		}
		if rnd.IntN(8) == 0 {
			fields, _ := ParseItemFields([]string{"Surname", "services", "Extended.tier"})
			v.Addr().Interface().(*MemberItem).Only(fields)
		}
		return
	case Extended:
		v.Set(reflect.ValueOf(Extended{AEID: rnd.Uint64N(domain.MaxID), Merged: `{"aeid":1,"Tier":"gold"}`}))
		return
	case json.RawMessage:
		v.SetBytes(Content(texts[rnd.IntN(len(texts))]))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(rnd, field)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rnd.IntN(4), 4))
		for i := range v.Len() {
			fill(rnd, v.Index(i))
		}
	case reflect.Pointer:
		if rnd.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(rnd, v.Elem())
		}
	case reflect.String:
		v.SetString(texts[rnd.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(rnd.IntN(2) == 0)
	case reflect.Uint64:
		v.SetUint(rnd.Uint64N(domain.MaxID))
	default:
		panic(v.Type().String())
	}
}

// Encode writes what encoding/json writes.
func TestEncode_SameAsTheStandardLibrary(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 40 {
		for _, shape := range shapes {
			v := reflect.New(reflect.TypeOf(shape))
			fill(rnd, v.Elem())
			got, err := Encode(v.Interface())
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			enc := json.NewEncoder(&want)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(v.Interface()); err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, got, want.Bytes()) {
				t.Fatalf("%T:\n%s\n%s", shape, got, want.Bytes())
			}
		}
	}
}

// sameJSON compares values: two encoders may escape differently.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

// A brand has every field and is read as it is written.
func TestBrand_RoundTrip(t *testing.T) {
	b := Brand{ID: 7, Fields: domain.BrandFields{"Name": "A \"B\" <c>", "LastFMURL": "https://x", "custom_z": "-5", "custom_a": "9007199254740991"}}
	out, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(out); !strings.HasPrefix(got, `{"ID":7,"Name":"A \"B\" `) || !strings.HasSuffix(got, `"LastFMURL":"https://x","custom_a":9007199254740991,"custom_z":-5}`) {
		t.Error(got)
	}
	var object map[string]any
	if err := json.Unmarshal(out, &object); err != nil {
		t.Fatal(err)
	}
	if len(object) != 1+len(BrandFields)+2 {
		t.Errorf("%d fields", len(object))
	}
	if v, ok := object["TwitterURL"]; !ok || v != nil {
		t.Errorf("TwitterURL without a value is %v", v)
	}
	var back Brand
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b, back); d != "" {
		t.Error(d)
	}
}

// What is no brand is an error.
func TestBrand_Invalid(t *testing.T) {
	for _, s := range []string{`[]`, `{"ID":-1}`, `{"ID":1.5}`, `{"ID":4294967296}`, `{"Name":{}}`} {
		var b Brand
		if err := json.Unmarshal([]byte(s), &b); err == nil {
			t.Errorf("%s is %+v", s, b)
		}
	}
	if _, err := json.Marshal(Brand{ID: 1, Fields: domain.BrandFields{"custom_a": "x"}}); err == nil {
		t.Error("a custom field that is no integer is written")
	}
}

// Content is always an object.
func TestContent_IsAnObject(t *testing.T) {
	for in, want := range map[string]string{
		"": `{}`, `{"a":1}`: `{"a":1}`, `plain "text"`: `{"Text":"plain \"text\""}`, `{not json`: `{"Text":"{not json"}`, `[1]`: `{"Text":"[1]"}`,
	} {
		if got := string(Content(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{" { \"a\" : [1, 2] } ": `{"a":[1,2]}`, "text  with blanks": "text  with blanks", "{x": "{x"} {
		if got := Compact(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Flags, numbers, times and names have the contract's forms.
func TestForms_OfTheContract(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.FixedZone("", 3600))
	for _, c := range []struct{ got, want any }{
		{Marker(at), "2026-01-02 02:04:05.678901"},
		{Millis(1e12 + 999), "2001-09-09 01:46:40"},
		{Seconds(0), "1970-01-01 00:00:00"},
		{Null(""), (*string)(nil)},
		{*Null("x"), "x"},
		{NullNumber(uint32(0)), (*string)(nil)},
		{*NullNumber(uint32(7)), "7"},
		{NullMillis(0), (*string)(nil)},
		{Flag(true), "1"},
		{Flag(false), "0"},
		{Number(uint64(1) << 63), "9223372036854775808"},
		{GeoData(domain.Geo{}), (*string)(nil)},
		{*GeoData(domain.Geo{Country: "DE", City: "Berlin"}), "DE,,Berlin,,"},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Error(d)
		}
	}
}
