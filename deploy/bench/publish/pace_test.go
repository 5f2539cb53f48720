package publish

import (
	"math"
	"testing"
	"time"
)

func TestPace_DueAndBy(t *testing.T) {
	for _, p := range []Pace{{Rate: 10_000}, {Rate: 3}, {Rate: 0.25}, {Rate: 7919.5}, {Rate: 20, Spread: true}, {Rate: 997, Spread: true}} {
		if n := p.By(-time.Nanosecond); n != 0 {
			t.Errorf("%+v: %d before the beginning", p, n)
		}
		before := time.Duration(-1)
		for i := range 20_000 {
			due := p.Due(i)
			if due < before {
				t.Fatalf("%+v: %d is due at %v, the one before at %v", p, i, due, before)
			}
			before = due
			if n := p.By(due); n <= i {
				t.Fatalf("%+v: at %v %d are due, %d is not", p, due, n, i)
			}
			if n := p.By(due - time.Nanosecond); n > i && p.Due(n-1) >= due {
				t.Fatalf("%+v: before %v %d are due", p, due, n)
			}
			if slot := float64(i) / p.Rate; due.Seconds() < slot-1e-6 || due.Seconds() > slot+1/p.Rate+1e-6 || !p.Spread && math.Abs(due.Seconds()-slot) > 1e-6 {
				t.Fatalf("%+v: %d is due at %v", p, i, due)
			}
		}
	}
}

func TestPace_NoRate(t *testing.T) {
	if n := (Pace{Spread: true}).By(time.Hour); n != 0 {
		t.Errorf("%d", n)
	}
}

func TestPace_SpreadHasNoBeat(t *testing.T) {
	// Twenty a second, and something that happens every second: each fiftieth of the second
	// gets its share of a thousand.
	p, at := Pace{Rate: 20, Spread: true}, [50]int{}
	for i := range 1000 {
		at[p.Due(i)%time.Second*50/time.Second]++
	}
	for i, n := range at {
		if n < 15 || n > 25 {
			t.Errorf("%d of 1000 in fiftieth %d", n, i)
		}
	}
}
