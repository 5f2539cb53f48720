package main

import (
	"runtime/debug"
	"testing"
)

// The heap gets what else is resident leaves of --memory, and a third in any case.
func TestHeapLimit_IsWhatElseLeaves(t *testing.T) {
	for _, c := range []struct{ beside, want int64 }{{0, 768}, {100, 668}, {512, 256}, {700, 256}, {5000, 256}} {
		if got := heapLimit(768*mib, c.beside*mib) / mib; got != c.want {
			t.Errorf("%d MiB beside it: %d, want %d", c.beside, got, c.want)
		}
	}
}

func TestColumnsAreEvictedForWhatElseLives(t *testing.T) {
	for _, c := range []struct{ rest, want int64 }{
		{0, 1000}, // nothing else asks for it
		{400, 600},
		{700, 300},
		{1700, 2000 / leastKept}, // the least stays
		{1 << 40, 2000 / leastKept},
	} {
		if got := columnsBeside(2000*mib, c.rest*mib) / mib; got != c.want {
			t.Errorf("%d live beside columns: %d, want %d", c.rest, got, c.want)
		}
	}
}

func TestColumnsAreNotEvictedForWhatLivesForAMoment(t *testing.T) {
	var r rests
	for i, c := range []struct{ rest, want int64 }{
		{500, 500}, {900, 500}, {400, 400}, {600, 400}, {700, 400}, {800, 400}, {650, 600}, {900, 650}, {900, 650},
	} {
		if got := r.least(c.rest); got != c.want {
			t.Errorf("look %d, %d: %d, want %d", i, c.rest, got, c.want)
		}
	}
}

// Memory is given back once little was allocated for some looks in a row, and again only
// when more has come together since.
func TestIdleness_IsNoticedOnce(t *testing.T) {
	var i idleness
	allocated := int64(0)
	looks := func(n int, each, mapped, live int64) (began int) {
		for range n {
			allocated += each
			if i.began(allocated, mapped*mib, live*mib) {
				began++
			}
		}
		return began
	}
	if n := looks(20, 50*mib, 900, 100); n != 0 {
		t.Errorf("a busy node was idle %d times", n)
	}
	if n := looks(idleLooks-1, 1, 900, 100); n != 0 {
		t.Errorf("idle after %d looks", idleLooks-1)
	}
	if n := looks(1, 1, 900, 100); n != 1 {
		t.Error("not idle after all looks")
	}
	if n := looks(100, 1, 130, 100); n != 0 {
		t.Errorf("%d times more, and nothing had come since", n)
	}
	if n := looks(100, 1, 150, 100); n != 1 {
		t.Errorf("%d times, when more had come", n)
	}
}

// The limit is set before the stores are opened, and is what it was once the node is closed.
func TestBoundHeap_IsUndone(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	undo := boundHeap(400 * mib)
	if got := debug.SetMemoryLimit(-1); got != 300*mib {
		t.Errorf("the limit is %d MiB", got/mib)
	}
	undo()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("the limit is %d, was %d", got, before)
	}
}
