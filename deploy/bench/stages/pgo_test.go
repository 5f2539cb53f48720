package stages

import (
	"bytes"
	"testing"

	"github.com/google/pprof/profile"
)

// The compiler needs names, lines and where functions begin; the file is published.
func TestCalls_NothingOfTheMachine(t *testing.T) {
	f := &profile.Function{ID: 1, Name: "member.Apply", SystemName: "member.Apply", Filename: "/home/somebody/apply.go", StartLine: 40}
	m := &profile.Mapping{ID: 1, Start: 1, Limit: 99, File: "/home/somebody/ovation", BuildID: "4f"}
	l := &profile.Location{ID: 1, Mapping: m, Address: 7, Line: []profile.Line{{Function: f, Line: 44}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Sample:     []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{3, 30}, Label: map[string][]string{"pebble": {"wal"}}}},
		Mapping:    []*profile.Mapping{m}, Location: []*profile.Location{l}, Function: []*profile.Function{f},
		Comments: []string{"somebody's"}, PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10,
	}
	var b bytes.Buffer
	if err := Calls(p).WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	for _, private := range []string{"somebody", "4f", "wal"} {
		if bytes.Contains(b.Bytes(), []byte(private)) {
			t.Errorf("%q is in it", private)
		}
	}
	got, err := profile.ParseData(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Sample[0]; s.Value[1] != 30 || s.Location[0].Line[0].Line != 44 || s.Location[0].Line[0].Function.StartLine != 40 || s.Location[0].Line[0].Function.Name != "member.Apply" {
		t.Errorf("%+v", s)
	}
	if f.Filename == "" || m.BuildID == "" {
		t.Error("the profile itself was changed")
	}
}
