package activity

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// fieldNames are all fields by name and scope, written a second time.
var fieldNames = map[string]field{
	"specversion": specVersion, "type": eventType, "id": eventID, "source": eventSource, "time": eventTime,
	"account": account, "memberID": memberID, "service": service, "serviceUserID": serviceUserID,
	"partnerCode": partnerCode, "partnerID": partnerID, "activityID": activityID, "brandID": brandID,
	"content": content, "link": link, "media": media, "marker": marker, "geo": geo,
}

var geoFields = map[string]field{"country": country, "region": region, "city": city, "lat": lat, "lon": lon}

// nesting is how deep a valid JSON text nests.
func nesting(b []byte) (deepest int) {
	depth, inside := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// The scanner takes what encoding/json takes, and reads the same out of it.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `1`, ` {"id":"a","geo":{"lat":1.5,"country":"x"},"geo":null} `, `{"id":"\ud83d\ude00\ud800x\udc00"}`,
		`{"id":-0.0e+5,"x":[1,[2,{"y":tru}]]}`, `{"id":"` + "\xff\xc3\x28\u00e9" + `"}`, `{"a":1,}`, `{"a" 1}`, `[1 2]`, `{"\u0069d":1,"id":2}`,
		`{"content":{"a": [true,false,null]},"content":"x"}`, `"`, `{"id":"\`, `{"id":"\u12`, `nul`, `-`, `01`, `1.`, `{"a":"` + "\x1f" + `"}`, "\x00",
		strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 65) + strings.Repeat("]", 65), `{"id":"0123456\n89abcdef"}`,
		`{"id":"\"\\\/\b\f\n\r\t\u00E9\uABcd"}`, strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64), strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65),
	} {
		f.Add([]byte(s))
	}
	for _, r := range typicalRecords {
		f.Add([]byte(r.value))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		valid := json.Valid(b)
		if valid && nesting(b) > maxDepth {
			valid = false
		}
		before := bytes.Clone(b)
		var got fields
		s := scanner{b: b}
		k := s.document(&got, plainNames)
		if (k != absent) != valid {
			t.Fatalf("%q: kind %d, valid %v", b, k, valid)
		}
		if !bytes.Equal(b, before) {
			t.Fatal("input was written to")
		}
		var want map[string]json.RawMessage
		isObject := valid && json.Unmarshal(b, &want) == nil && want != nil
		if (k == object) != isObject {
			t.Fatalf("%q: kind %d, object %v", b, k, isObject)
		}
		for name, fld := range fieldNames {
			compareToken(t, name, &got[fld], want[name])
		}
		var inner map[string]json.RawMessage
		if raw := want["geo"]; len(raw) > 0 && raw[0] == '{' {
			if err := json.Unmarshal(raw, &inner); err != nil {
				t.Fatal(err)
			}
		}
		for name, fld := range geoFields {
			compareToken(t, "geo."+name, &got[fld], inner[name])
		}
	})
}

func compareToken(t *testing.T, name string, got *token, want json.RawMessage) {
	t.Helper()
	var v any
	if want != nil {
		if err := json.Unmarshal(want, &v); err != nil && got.kind != number { // 1e999 is JSON but no float64
			t.Fatalf("%s: %v", name, err)
		}
	}
	switch got.kind {
	case absent:
		if want != nil {
			t.Fatalf("%s: nothing, want %s", name, want)
		}
	case null:
		if want == nil || v != nil {
			t.Fatalf("%s: null, want %s", name, want)
		}
	case boolean, number:
		if string(got.raw) != string(want) {
			t.Fatalf("%s: %q, want %q", name, got.raw, want)
		}
	case text:
		if s, ok := got.text(); !ok || s != v {
			t.Fatalf("%s: %q, want %q", name, s, v)
		}
	case object, array:
		var again any
		kept := tight(nil, got.raw)
		if err := json.Unmarshal(kept, &again); err != nil || !cmp.Equal(again, v) {
			t.Fatalf("%s: kept %q of %q (%v)", name, kept, want, err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, want); err != nil {
			t.Fatal(err)
		}
		if got.loose != (compact.Len() != len(got.raw)) || !got.wide && !bytes.Equal(kept, compact.Bytes()) {
			t.Fatalf("%s: %q kept as %q, loose %v wide %v", name, got.raw, kept, got.loose, got.wide)
		}
	}
}
