package nodes

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// A beat is read as it was written, the catalog's offset being the group's.
func TestBeat_ReadAsWritten(t *testing.T) {
	b := Beat{
		Incarnation: 1<<63 + 7, Counter: 12, State: Serving, Ready: true, Catalog: 44, LagMs: 250, Rules: 2,
		Duties: "routing 3, publishing 21", Wrong: "shard 4 stopped",
	}
	got, err := ReadBeat(44, b.Metadata())
	b.Version = BeatVersion
	if err != nil || got != b {
		t.Fatalf("read %v (%v)\n%s", got, err, cmp.Diff(b, got))
	}
}

// Whatever is wrong with a node, its beat fits into the metadata of an offset, in whole characters.
func TestBeat_Fits(t *testing.T) {
	for _, tc := range []struct{ wrong, duties string }{
		{strings.Repeat("a", 10_000), "routing 3"},
		{strings.Repeat("ä€", 5_000), "routing 3"},
		{strings.Repeat(`"\`, 5_000), "routing 3"},
		{strings.Repeat("\x00", 3_000), "routing 3"},
		{"", strings.Repeat("ß", 9_000)},
		{"x", strings.Repeat("<", 9_000)},
	} {
		b := Beat{Incarnation: 5, Counter: 1, State: Serving, Wrong: tc.wrong, Duties: tc.duties}
		m := b.Metadata()
		if len(m) > MaxMetadata {
			t.Errorf("%d bytes of metadata", len(m))
		}
		got, err := ReadBeat(1, m)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.ValidString(m) || !strings.HasPrefix(tc.wrong, got.Wrong) || !strings.HasPrefix(tc.duties, got.Duties) {
			t.Errorf("read %.40q and %.40q", got.Wrong, got.Duties)
		}
		if tc.duties == "routing 3" && (got.Duties != tc.duties || got.Wrong == "") {
			t.Errorf("more was cut than had to be: %d bytes of %q", len(got.Wrong), got.Duties)
		}
	}
}

// What another program kept with an offset is no beat; what a later version adds is passed over.
func TestBeat_OfOthers(t *testing.T) {
	for _, m := range []string{"", "null", "{}", "[]", `{"v":"x"}`, "consumer-1", `{"v":0,"counter":"1"}`} {
		if b, err := ReadBeat(3, m); err == nil {
			t.Errorf("%q is the beat %v", m, b)
		}
	}
	b, err := ReadBeat(3, `{"v":9,"incarnation":"7","counter":"2","state":"serving","later":[1]}`)
	if err != nil || b.Incarnation != 7 || b.Version != 9 {
		t.Errorf("a later version's beat is %v (%v)", b, err)
	}
}

func FuzzReadBeat(f *testing.F) {
	f.Add(Beat{Incarnation: 3, Counter: 9, State: Ending, Wrong: "a"}.Metadata())
	f.Add(`{"v":1e99}`)
	f.Add(`{"v":1,"state":"` + strings.Repeat("\xe4", 4_000) + `"}`)
	f.Add(`{"v":1,"poisoned":"` + strings.Repeat("\xe4", 4_000) + `","networks":"` + strings.Repeat("<", 4_000) + `"}`)
	f.Fuzz(func(t *testing.T, m string) {
		b, err := ReadBeat(5, m)
		if err != nil {
			return
		}
		again, err := ReadBeat(5, b.Metadata())
		if b.Version = BeatVersion; len(m) < 1000 && (err != nil || again != b) {
			t.Fatalf("%v is read again as %v (%v)", b, again, err)
		}
	})
}
