package main

import (
	"math"
	"testing"
	"time"
)

func TestAsManyAreDueAsTheScheduleSays(t *testing.T) {
	for _, p := range []pace{{rate: 10_000}, {rate: 3}, {rate: 0.25}, {rate: 7919.5}, {rate: 20, spread: true}, {rate: 997, spread: true}} {
		if n := p.by(-time.Nanosecond); n != 0 {
			t.Errorf("%+v: %d before the beginning", p, n)
		}
		before := time.Duration(-1)
		for i := range 20_000 {
			due := p.due(i)
			if due < before {
				t.Fatalf("%+v: %d is due at %v, the one before at %v", p, i, due, before)
			}
			before = due
			if n := p.by(due); n <= i {
				t.Fatalf("%+v: at %v %d are due, %d is not", p, due, n, i)
			}
			if n := p.by(due - time.Nanosecond); n > i && p.due(n-1) >= due {
				t.Fatalf("%+v: before %v %d are due", p, due, n)
			}
			if slot := float64(i) / p.rate; due.Seconds() < slot-1e-6 || due.Seconds() > slot+1/p.rate+1e-6 || !p.spread && math.Abs(due.Seconds()-slot) > 1e-6 {
				t.Fatalf("%+v: %d is due at %v", p, i, due)
			}
		}
	}
}

func TestOfNoRateNothingIsEverDue(t *testing.T) {
	if n := (pace{spread: true}).by(time.Hour); n != 0 {
		t.Errorf("%d", n)
	}
}

func TestWhatIsSpreadKeepsStepWithNothing(t *testing.T) {
	// Twenty a second, and something that happens every second: each fiftieth of the second
	// gets its share of a thousand.
	p, at := pace{rate: 20, spread: true}, [50]int{}
	for i := range 1000 {
		at[p.due(i)%time.Second*50/time.Second]++
	}
	for i, n := range at {
		if n < 15 || n > 25 {
			t.Errorf("%d of 1000 in fiftieth %d", n, i)
		}
	}
}
