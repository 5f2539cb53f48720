package histogram

import (
	"slices"
	"testing"
	"time"
)

// A value at a bound is counted there, one above the last in the count alone.
func TestHistogram_Bounds(t *testing.T) {
	h := New(time.Millisecond, time.Second)
	for _, v := range []time.Duration{0, time.Millisecond, time.Millisecond + 1, time.Second, time.Minute} {
		h.Observe(v)
	}
	r := h.Read()
	if want := []uint64{2, 4}; !slices.Equal(r.Below, want) || r.Count != 5 || r.Sum != time.Minute+time.Second+2*time.Millisecond+1 {
		t.Errorf("%+v", r)
	}
}
