package main

import "testing"

func TestTheHeapGrowsIntoItsBudgetAndNotBeyondFiveTimesWhatLives(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		live, budget uint64
		want         int
	}{
		{0, 768 * mib, 100},
		{10 * mib, 768 * mib, 400},
		{153 * mib, 768 * mib, 400},
		{256 * mib, 768 * mib, 200},
		{384 * mib, 768 * mib, 100},
		{700 * mib, 768 * mib, 100},
		{900 * mib, 768 * mib, 100},
		{1, 1 << 63, 400},
	} {
		if got := gcPercent(c.live, c.budget); got != c.want {
			t.Errorf("live %d of %d: %d %%, want %d %%", c.live, c.budget, got, c.want)
		}
	}
}
