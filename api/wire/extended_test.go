package wire

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A node keeps what updates merged, and a merged field never hides a derived one, in any case
// of its name.
func TestExtended_RoundTrip(t *testing.T) {
	in := Extended{AEID: 7, Merged: `{"aeid":1,"Tier":"gold","Seats":[{"Row":1},{"Row":2}]}`}
	out, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var back Extended
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	if back.AEID != 7 {
		t.Errorf("the derived field is %d", back.AEID)
	}
	if d := cmp.Diff(`{"Tier":"gold","Seats":[{"Row":1},{"Row":2}]}`, back.Merged); d != "" {
		t.Error(d)
	}
}

// Fields that are asked for are found in objects, and in each element of an array; what has no
// such field is left out of both.
func TestExtended_Only(t *testing.T) {
	const merged = `{"Seats":[{"Row":1,"Note":"x"},[{"Row":2}],"text",{"row":3},{}],"Home":{"City":"Oslo","Zip":"1"},"Plain":5}`
	for name, want := range map[string]string{
		"Extended.Seats.Row":      `{"Seats":[{"Row":1},[{"Row":2}],{"row":3},{}]}`,
		"extended.home.CITY":      `{"Home":{"City":"Oslo"}}`,
		"Extended.Plain":          `{"Plain":5}`,
		"Extended.Plain.Anything": `{}`,
		"Extended.Nothing":        `{}`,
	} {
		var fields NodeFields
		if !fields.add(name) {
			t.Fatalf("%s is no name of a field", name)
		}
		e := Extended{Merged: merged}
		e.Only(&fields)
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := string(out); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Merged text that is no object is an error wherever it is cut, and nothing is written of it.
func TestExtended_Malformed(t *testing.T) {
	const whole = `{"Seats":[{"Row":1}],"Tier":"gold"}`
	var rows NodeFields
	rows.add("Extended.Seats.Row")
	for _, only := range []*NodeFields{nil, &rows} {
		for n := 1; n < len(whole); n++ {
			e := Extended{Merged: whole[:n]}
			e.Only(only)
			if out, err := json.Marshal(e); err == nil {
				t.Errorf("%s is written as %s", whole[:n], out)
			}
		}
	}
	for _, s := range []string{`[]`, `{"aeid":"x"}`, `{"aeid":-1}`, `7`} {
		var e Extended
		if err := json.Unmarshal([]byte(s), &e); err == nil {
			t.Errorf("%s is the node %+v", s, e)
		}
	}
}
