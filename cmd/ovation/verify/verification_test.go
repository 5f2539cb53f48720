package verify

import "testing"

// What remains of a run is every shard's replay and comparison at the speed until now, with
// shards side by side; before anything is known it is 0.
func TestVerification_Remaining(t *testing.T) {
	r := Verification{State: Running, SideBySide: 2, Shards: []VerifiedShard{
		{State: Equal, Records: 1000, Replayed: 1000, ReplaySeconds: 10, Seconds: 15}, // compared in 5
		{State: Running, Records: 1000, Replayed: 1000, ReplaySeconds: 10, Seconds: 12},
		{State: Running, Records: 1000, Replayed: 500, ReplaySeconds: 5, Seconds: 5},
		{State: Waiting, Records: 1000},
	}}
	if got, want := r.remaining(), (3.0+(5+5)+(10+5))/2; got != want {
		t.Errorf("%v seconds remain, want %v", got, want)
	}
	r = Verification{State: Running, SideBySide: 2, Shards: []VerifiedShard{{State: Running, Records: 10}}}
	if got := r.remaining(); got != 0 {
		t.Errorf("%v seconds remain before anything was replayed", got)
	}
}
