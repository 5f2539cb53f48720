package tuning

import (
	"runtime/debug"
	"testing"
)

// The heap gets the part of --memory that other resident memory leaves, and a third in any case.
func TestHeapLimit_LeftByTheResident(t *testing.T) {
	for _, c := range []struct{ beside, want int64 }{{0, 768}, {100, 668}, {512, 256}, {700, 256}, {5000, 256}} {
		if got := heapLimit(768*MiB, c.beside*MiB) / MiB; got != c.want {
			t.Errorf("%d MiB beside it: %d, want %d", c.beside, got, c.want)
		}
	}
}

// Columns take what the rest of the live heap leaves, and a twelfth in any case.
func TestColumnsBeside_LeavesRoomForTheRest(t *testing.T) {
	for _, c := range []struct{ rest, want int64 }{
		{0, 1000}, // nothing else is live
		{400, 600},
		{700, 300},
		{1700, 2000 / minKept}, // the least is kept
		{1 << 40, 2000 / minKept},
	} {
		if got := columnsBeside(2000*MiB, c.rest*MiB) / MiB; got != c.want {
			t.Errorf("%d live beside columns: %d, want %d", c.rest, got, c.want)
		}
	}
}

// The least of the last samples counts: columns are not evicted for what lives for a moment.
func TestRestSamples_Least(t *testing.T) {
	var r restSamples
	for i, c := range []struct{ rest, want int64 }{
		{500, 500}, {900, 500}, {400, 400}, {600, 400}, {700, 400}, {800, 400}, {650, 600}, {900, 650}, {900, 650},
	} {
		if got := r.least(c.rest); got != c.want {
			t.Errorf("sample %d, %d: %d, want %d", i, c.rest, got, c.want)
		}
	}
}

// Memory is given back once little was allocated for some samples in a row, and again only
// when more was mapped since.
func TestIdleness_BeganOnce(t *testing.T) {
	var i idleness
	allocated := int64(0)
	samples := func(n int, each, mapped, live int64) (began int) {
		for range n {
			allocated += each
			if i.began(allocated, mapped*MiB, live*MiB) {
				began++
			}
		}
		return began
	}
	if n := samples(20, 50*MiB, 900, 100); n != 0 {
		t.Errorf("a busy node was idle %d times", n)
	}
	if n := samples(idleSamples-1, 1, 900, 100); n != 0 {
		t.Errorf("idle after %d samples", idleSamples-1)
	}
	if n := samples(1, 1, 900, 100); n != 1 {
		t.Error("not idle after all samples")
	}
	if n := samples(100, 1, 130, 100); n != 0 {
		t.Errorf("%d times more, and nothing was mapped since", n)
	}
	if n := samples(100, 1, 150, 100); n != 1 {
		t.Errorf("%d times, when more was mapped", n)
	}
}

// The limit is set before the stores are opened, and is what it was once the node is closed.
func TestBoundHeap_Undo(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	undo := BoundHeap(400 * MiB)
	if got := debug.SetMemoryLimit(-1); got != 300*MiB {
		t.Errorf("the limit is %d MiB", got/MiB)
	}
	undo()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("the limit is %d, was %d", got, before)
	}
}
