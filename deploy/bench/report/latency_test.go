package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestLatencies_ThreeFigures(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 1))
	l, all := NewLatencies(), []float64{}
	for part := range 3 {
		var now []float64
		for range 5000 {
			took := time.Duration(math.Exp(r.NormFloat64()*2+9)) * time.Microsecond
			l.Note(took)
			now = append(now, Millis(took))
		}
		all = append(all, now...)
		if part < 2 { // the last part has not turned when the whole is asked for
			same(t, l.Turn(), now)
		}
	}
	whole := l.Whole()
	same(t, whole, all)
	if again := l.Whole(); again.Count != whole.Count {
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

func TestLatencies_Bounds(t *testing.T) {
	l := NewLatencies()
	l.Note(-time.Second)
	l.Note(0)
	l.Note(100 * time.Hour)
	if got := l.Turn(); got.Count != 3 || got.P50 != 0.001 || got.Max < 3.6e6 {
		t.Errorf("%+v", got)
	}
	if got := l.Turn(); got.Count != 0 || got.Max != 0 {
		t.Errorf("after a turn %+v", got)
	}
}
