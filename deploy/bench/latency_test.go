package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestQuantilesAreThoseOfAllValuesToThreeFigures(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 1))
	l, all := newLatencies(), []float64{}
	for part := range 3 {
		var now []float64
		for range 5000 {
			took := time.Duration(math.Exp(r.NormFloat64()*2+9)) * time.Microsecond
			l.note(took)
			now = append(now, micros(took)/1000)
		}
		all = append(all, now...)
		if part < 2 { // the last part has not turned when the whole is asked for
			same(t, l.turn(), now)
		}
	}
	whole := l.whole()
	same(t, whole, all)
	sum, last := int64(0), 0.0
	for _, b := range whole.Bars {
		n := int64(0)
		for _, v := range all {
			if v > last*1.001 && v <= b.Millis*1.001 {
				n++
			}
		}
		if math.Abs(float64(n-b.Count)) > 5 || b.Millis <= last {
			t.Errorf("bar to %g ms has %d, want %d", b.Millis, b.Count, n)
		}
		sum, last = sum+b.Count, b.Millis
	}
	if sum != whole.Count || last < whole.Max {
		t.Errorf("bars have %d to %g ms, %d to %g were noted", sum, last, whole.Count, whole.Max)
	}
	if again := l.whole(); again.Count != whole.Count {
		t.Errorf("looking changed %d to %d", whole.Count, again.Count)
	}
}

// same compares with quantiles of sorted values.
func same(t *testing.T, got Latency, values []float64) {
	t.Helper()
	if got.Count != int64(len(values)) {
		t.Errorf("%d counted of %d", got.Count, len(values))
	}
	slices.Sort(values)
	for _, q := range []struct{ got, of float64 }{{got.P50, 0.5}, {got.P90, 0.9}, {got.P99, 0.99}, {got.P999, 0.999}, {got.Max, 1}} {
		rank := max(int(math.Ceil(q.of*float64(len(values))))-1, 0)
		if want := values[rank]; math.Abs(q.got-want) > 0.001*want+0.001 {
			t.Errorf("the %g-quantile is %g, want %g", q.of, q.got, want)
		}
	}
}

func TestWhatIsTooLongOrNothingIsCountedAtTheBounds(t *testing.T) {
	l := newLatencies()
	l.note(-time.Second)
	l.note(0)
	l.note(100 * time.Hour)
	if got := l.turn(); got.Count != 3 || got.P50 != 0.001 || got.Max < 3.6e6 {
		t.Errorf("%+v", got)
	}
	if got := l.turn(); got.Count != 0 || got.Max != 0 {
		t.Errorf("after a turn %+v", got)
	}
}
