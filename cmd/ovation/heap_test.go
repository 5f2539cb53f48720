package main

import (
	"math/rand/v2"
	"testing"
)

func TestTheHeapGrowsIntoItsBudgetAndNotBeyondFiveTimesWhatLives(t *testing.T) {
	for _, c := range []struct {
		live, budget uint64
		want         int
	}{
		{0, 768 * mib, 400},
		{1, 768 * mib, 400},
		{10 * mib, 768 * mib, 400},
		{153 * mib, 768 * mib, 400},
		{256 * mib, 768 * mib, 200},
		{384 * mib, 768 * mib, 100},
		{700 * mib, 768 * mib, 100},
		{900 * mib, 768 * mib, 100},
		{1, 1 << 57, 400},
	} {
		if got := (heapBudget{all: c.budget}).gcPercent(c.live); got != c.want {
			t.Errorf("live %d of %d: %d %%, want %d %%", c.live, c.budget, got, c.want)
		}
	}
}

func TestAHeapAndTheStoresCacheAreWhatTheSettingSays(t *testing.T) {
	b := heapOf(1100 * mib)
	if b.all != 750*mib || b.live != 375*mib || b.least != 1100*mib/8 {
		t.Errorf("%d, %d, %d", b.all, b.live, b.least)
	}
}

func TestColumnsGiveWayToWhatElseLives(t *testing.T) {
	b := heapBudget{all: 2000 * mib, live: 1000 * mib, least: 200 * mib}
	for _, c := range []struct{ live, columns, want uint64 }{
		{0, 0, 1000},
		{700, 700, 1000}, // nothing else asks for it
		{900, 500, 600},  // 400 besides
		{1300, 800, 500}, // too much lives: what is over goes
		{2000, 300, 200}, // the least stays
		{100, 120, 1000}, // looked at in two moments
		{1 << 40, 300, 200},
	} {
		if got := b.columnsBeside(c.live*mib, c.columns*mib) / mib; got != c.want {
			t.Errorf("%d live, %d of it columns: %d, want %d", c.live, c.columns, got, c.want)
		}
	}
}

// Whatever lives beside them, columns come to a size at which all that lives fits, and
// stay there.
func TestColumnsComeToRest(t *testing.T) {
	b := heapBudget{all: 2000 * mib, live: 1000 * mib, least: 200 * mib}
	for range 1000 {
		rest, held := rand.Uint64N(950*mib), rand.Uint64N(800*mib)
		for range 3 { // a look each, after the collections that its evictions need
			held = min(held, b.columnsBeside(rest+held, held))
		}
		if rest+held > b.live && held > b.least || b.columnsBeside(rest+held, held) < held {
			t.Fatalf("%d MiB of columns beside %d MiB", held/mib, rest/mib)
		}
	}
}
