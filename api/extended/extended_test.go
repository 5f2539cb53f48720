package extended

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ovation-analytics/ovation/api/extended/extendedtest"
)

// derived is a node's derived fields.
type derived struct {
	AEID     uint64   `json:"aeid"`
	City     *string  `json:"city"`
	Verified bool     `json:"verified"`
	Profiles []record `json:"profiles"`
	Home     struct { // it hides what was merged under the name
		City string `json:"city"`
	} `json:"HOME"`
	Hidden string `json:"-"`
}

type record struct {
	Domain string   `json:"domain"`
	Tags   []string `json:"tags"`
}

var into = []string{"aeid", "AEID", "city", "verified", "profiles.domain", "Extended.profiles.tags", "profiles", "hidden"}

// drawNode is a random node, and the document that it is.
func drawNode(t *rapid.T) (*Node, map[string]any) {
	d := derived{AEID: rapid.Uint64Range(0, 20).Draw(t, "aeid"), Verified: rapid.Bool().Draw(t, "verified"), Hidden: "x"}
	if rapid.Bool().Draw(t, "city") {
		city := rapid.SampledFrom([]string{"", "gold", "M"}).Draw(t, "city's")
		d.City, d.Home.City = &city, city
	}
	for range rapid.IntRange(0, 2).Draw(t, "profiles") {
		d.Profiles = append(d.Profiles, record{Domain: rapid.SampledFrom([]string{"g", "1"}).Draw(t, "domain"), Tags: []string{"ada"}})
	}
	merged := extendedtest.Merged(t)
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	document, all := extendedtest.Document(string(b)), extendedtest.Document(merged)
	for name, v := range all {
		if !strings.EqualFold(name, "home") {
			document[name] = v
		}
	}
	return NewNode(&d, merged), document
}

// A node meets a query as a naive model says, and a path into it leads to a value where the model
// finds one.
func TestQuery_MatchesTheModel(t *testing.T) {
	met := 0
	rapid.Check(t, func(t *rapid.T) {
		node, document := drawNode(t)
		conditions, text := extendedtest.Query(t, 3, into...)
		q, err := Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want := true
		for i, c := range conditions {
			got := Condition{Path: q[i].Path, Op: q[i].Op, Value: q[i].Value}
			path, _ := ParsePath(c.Path)
			if d := cmp.Diff(Condition{Path: path, Op: c.Op, Value: c.Value}, got, cmpopts.IgnoreUnexported(Condition{})); d != "" {
				t.Fatalf("%q: %s", text, d)
			}
			want = want && extendedtest.Meets(document, c)
		}
		path, is := extendedtest.Path(t, into...), false
		if p, err := ParsePath(path); err == nil {
			is = p.In(node)
		}
		if is != extendedtest.Has(document, path) {
			t.Fatalf("%s leads to a value of %v: %v", path, document, is)
		}
		if got := q.Match(node); got != want {
			t.Fatalf("%q of %v: %v", text, document, got)
		}
		if want {
			met++
		}
		again, err := Parse(q.String())
		if d := cmp.Diff(q, again, cmpopts.IgnoreUnexported(Condition{})); d != "" || err != nil {
			t.Fatalf("%q is %q: %v %s", text, q.String(), err, d)
		}
	})
	if met == 0 {
		t.Error("no node met its query")
	}
}

// Nodes are ordered as the model orders them, in both directions.
func TestPath_OrdersAsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := drawNode(t)
		b, y := drawNode(t)
		text, down := extendedtest.Path(t, into...), rapid.Bool().Draw(t, "down")
		p, err := ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.Key(a, down).Compare(p.Key(b, down), down), extendedtest.Compare(x, y, text, down); got != want {
			t.Fatalf("%s, down %v: %v and %v: %d, want %d", text, down, x, y, got, want)
		}
	})
}

// Numbers are told from texts, and their bytes sort as they do.
func TestSortable_SortsAsNumbersDo(t *testing.T) {
	number := rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,9})?([eE][-+]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, okA := sortable(a)
		y, okB := sortable(b)
		m, _ := new(big.Rat).SetString(a)
		n, _ := new(big.Rat).SetString(b)
		if !okA || !okB || strings.Compare(x, y) != m.Cmp(n) {
			t.Fatalf("%s %v, %s %v: %x %x", a, okA, b, okB, x, y)
		}
	})
	for _, text := range []string{"", "-", "x", "1x", ".5", "1.", "1e", "1e1.5", "+1", " 1", "1_0", "0x1", "1.2.3", "e1", "--1", "NaN", "Inf", "٣"} {
		if _, ok := sortable(text); ok {
			t.Errorf("%q is a number", text)
		}
	}
	huge, _ := sortable("1e99999999999999999999")
	large, ok := sortable("9e999999")
	tiny, _ := sortable("1e-99999999999999999999")
	if zero, _ := sortable("0.000e9"); !ok || huge <= large || tiny <= zero || tiny >= large {
		t.Errorf("%x %x %x", huge, large, tiny)
	}
}

// A query that is malformed, or has too many conditions, is refused.
func TestParse_Refuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "a", "a =", "a = ", "= 1", "a = '", "a = 'x", "a = 'x'y", "a = 'x' b = 1", "a = 'x' or b = 1", "a = 1 b = 2", "a == 1", "a => 1", "a <> 1",
		"a ! 1", "a = 1 and", "a = 1 and ", "a = and", "and", "and a = 1", "a. = 1", ".a = 1", "a..b = 1", "a b = 1", "'a' = 1", "a = 1 and and b = 2",
		strings.Repeat("a = 1 and ", MaxConditions) + "a = 1",
	} {
		if q, err := Parse(text); err == nil {
			t.Errorf("%q is %v", text, q)
		}
	}
	if q, err := Parse(strings.Repeat("a = 1 and ", MaxConditions-1) + "a = 1"); err != nil || len(q) != MaxConditions {
		t.Errorf("%d conditions: %v", len(q), err)
	}
	for text, value := range map[string]string{"a=b=c": "b=c", "city = New  York": "New  York", "a = x&y ": "x&y", "a='and'": "and", "a~it's": "it's", "a=-1": "-1"} {
		if q, err := Parse(text); err != nil || len(q) != 1 || q[0].Value != value {
			t.Errorf("%q: %v %v", text, q, err)
		}
	}
}

// No text breaks the parser, and what it takes has one meaning.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"a = 1", "Extended.a.b != 'x''y' and c ~ d", "a='\x00", "a=1 and", "'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(q.String())
		if err != nil || again.String() != q.String() {
			t.Errorf("%q: %q, then %q %v", text, q.String(), again.String(), err)
		}
		q.Match(NewNode(struct{}{}, `{"a":{"b":[1,"x"]}}`))
	})
}

// A path leads to a value that is neither null nor empty.
func TestPath_In(t *testing.T) {
	n := NewNode(derived{Profiles: []record{{Domain: "x"}}}, `{"a":"","b":null,"c":[],"d":{},"e":[null,""],"f":0,"g":false,"h":[null,{"x":1}],"i":{"x":""}}`)
	for text, want := range map[string]bool{
		"a": false, "b": false, "c": false, "d": false, "e": false, "f": true, "g": true, "h": true, "h.x": true, "h.y": false, "i": true, "i.x": false,
		"profiles": true, "profiles.domain": true, "profiles.tags": false, "city": false, "verified": true, "none": false,
	} {
		if p, err := ParsePath(text); err != nil || p.In(n) != want {
			t.Errorf("%s: %v, %v", text, !want, err)
		}
	}
}
