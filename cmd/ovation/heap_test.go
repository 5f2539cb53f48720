package main

import "testing"

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
	for _, c := range []struct{ rest, want uint64 }{
		{0, 1000}, // nothing else asks for it
		{400, 600},
		{800, 200},
		{1700, 200}, // the least stays
		{1 << 40, 200},
	} {
		if got := b.columnsBeside(c.rest*mib) / mib; got != c.want {
			t.Errorf("%d live beside columns: %d, want %d", c.rest, got, c.want)
		}
	}
}

func TestWhatLivesForAMomentIsNotWhatColumnsGiveWayTo(t *testing.T) {
	var r rests
	for i, c := range []struct{ rest, want uint64 }{
		{500, 500}, {900, 500}, {400, 400}, {600, 400}, {700, 400}, {800, 400}, {650, 600}, {900, 650}, {900, 650},
	} {
		if got := r.least(c.rest); got != c.want {
			t.Errorf("look %d, %d: %d, want %d", i, c.rest, got, c.want)
		}
	}
}
