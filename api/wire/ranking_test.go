package wire

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A percentage has two decimals, rounded half up.
func TestPercentage_HalfUp(t *testing.T) {
	for _, c := range []struct {
		part, whole uint64
		want        string
	}{
		{0, 0, "0.00"}, {0, 7, "0.00"}, {7, 7, "100.00"}, {1, 3, "33.33"}, {2, 3, "66.67"}, {1, 800, "0.13"}, // 0.125
		{1, 20_001, "0.00"}, {1, 20_000, "0.01"}, {199_999, 200_000, "100.00"}, {123, 1000, "12.30"},
	} {
		if got := Percentage(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.part, c.whole, got, c.want)
		}
	}
	for range 1000 {
		whole := 1 + rand.Uint64N(1e7)
		part := rand.Uint64N(whole + 1)
		exact := big.NewRat(int64(part)*100, int64(whole))
		if got, want := Percentage(part, whole), exact.FloatString(2); got != want { // rounds half away from zero
			t.Fatalf("%d of %d: %s, want %s", part, whole, got, want)
		}
	}
}

// A brand of a crossover is read as it is written.
func TestCrossBrand_RoundTrip(t *testing.T) {
	in := Crossover{TotalSize: "1", Items: []CrossBrand{{
		Brand:         Brand{ID: 7, Fields: domain.BrandFields{"Name": `A "B" <c>`, "custom_rank": "-3"}},
		ActiveMembers: "12", Percentage: "33.33",
	}}}
	b, err := Encode(in)
	if err != nil || !json.Valid(b) {
		t.Fatalf("%v: %s", err, b)
	}
	var out Crossover
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(in, out); d != "" {
		t.Error(d)
	}
}

// What is no brand, or no share of one, is an error in both directions.
func TestCrossBrand_Invalid(t *testing.T) {
	for _, s := range []string{`[]`, `{"ID":-1}`, `{"ID":7,"ActiveMembers":3}`, `{"ID":7,"Percentage":[]}`} {
		if err := json.Unmarshal([]byte(s), new(CrossBrand)); err == nil {
			t.Errorf("%s is a brand of a crossover", s)
		}
	}
	b := CrossBrand{Brand: Brand{ID: 7, Fields: domain.BrandFields{"custom_a": "x"}}, ActiveMembers: "1", Percentage: "1.00"}
	if out, err := json.Marshal(b); err == nil {
		t.Errorf("a custom field that is no integer is written: %s", out)
	}
}

// An item has the fields asked for, in its own order.
func TestMemberItem_Fields(t *testing.T) {
	name := `<"é`
	item := MemberItem{ID: "5", FirstName: &name, Score: "1", Services: []ServiceRecord{}, Extended: &Extended{AEID: 5, Merged: `{"a":{"b":[1,{"c":2}]}}`}}
	whole, err := Encode([]MemberItem{item})
	if err != nil {
		t.Fatal(err)
	}
	fields, unknown := ParseItemFields(itemNames)
	if unknown != nil {
		t.Fatal(unknown)
	}
	item.Only(fields)
	all, err := Encode([]MemberItem{item})
	if err != nil || string(all) != string(whole) {
		t.Errorf("%v: every field by name is not the whole item:\n%s\n%s", err, all, whole)
	}
	fields, unknown = ParseItemFields([]string{"SCORE", "optins", "only", "Extended.AEID", "extended.a.B.c", "firstname", "extended.", "extendedx"})
	item.Extended.Only(fields.Node())
	item.Only(fields)
	some, err := Encode(item)
	if want := `{"ID":"5","FirstName":"<\"é","Score":"1","OptIns":null,"Extended":{"aeid":5,"a":{"b":[{"c":2}]}}}` + "\n"; err != nil || string(some) != want {
		t.Errorf("%v: %s", err, some)
	}
	if d := cmp.Diff([]string{"only", "extended.", "extendedx"}, unknown); d != "" {
		t.Error(d)
	}
}
