package domain

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestMonth_MatchesTheCalendar(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	check := func(s Second) {
		want := time.Unix(int64(s), 0).UTC()
		m := MonthOf(s)
		if got := Month((want.Year()-1970)*12 + int(want.Month()) - 1); m != got {
			t.Fatalf("seed %d: %v is in month %d, want %d", seed, want, m, got)
		}
		if start := m.Start(); start > s || MonthOf(start) != m || start > 0 && MonthOf(start-1) != m-1 {
			t.Fatalf("seed %d: month %d starts at %d", seed, m, start)
		}
	}
	for range 100_000 {
		check(rnd.Uint32())
	}
	for y := 1970; y < 2106; y++ {
		for m := time.January; m <= time.December; m++ {
			first := time.Date(y, m, 1, 0, 0, 0, 0, time.UTC).Unix()
			if first > 0 {
				check(Second(first - 1))
			}
			check(Second(first))
		}
	}
}

func TestSlot_ShardsOwnContiguousRanges(t *testing.T) {
	for _, shards := range []int{1, 2, 3, 8, 64, 100, Slots} {
		last := 0
		for s := range Slots {
			got := Slot(s).Shard(shards)
			if got != last && got != last+1 || got >= shards {
				t.Fatalf("%d shards: slot %d is of shard %d, the one before of %d", shards, s, got, last)
			}
			last = got
		}
		if last != shards-1 {
			t.Fatalf("%d shards: the last slot is of shard %d", shards, last)
		}
	}
}

func TestRange_DaysAreThoseItTouches(t *testing.T) {
	for _, c := range []struct {
		r     Range
		first uint32
		n     int
	}{
		{Range{From: 0, To: 0}, 0, 0},
		{Range{From: 86400, To: 86400}, 1, 0},
		{Range{From: 86400, To: 86401}, 1, 1},
		{Range{From: 86399, To: 86401}, 0, 2},
		{Range{From: 86400, To: 2 * 86400}, 1, 1},
		{Range{From: 5, To: 4}, 0, 0},
		{Range{From: 0, To: ^uint32(0)}, 0, 49711},
	} {
		if first, n := c.r.Days(); first != c.first || n != c.n {
			t.Errorf("%+v touches %d days from %d on", c.r, n, first)
		}
	}
}
