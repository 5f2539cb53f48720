package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuantile_NearestRank(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i) // 100 … 1
	}
	for _, c := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{nil, 0.5, 0},
		{[]float64{7}, 0, 7},
		{[]float64{7}, 0.99, 7},
		{[]float64{3, 1, 2}, 0.5, 2},
		{hundred, 0, 1},
		{hundred, 0.5, 51},
		{hundred, 0.99, 100},
		{hundred, 1, 100},
	} {
		if got := Quantile(c.values, c.q); got != c.want {
			t.Errorf("quantile %v of %d values is %v, want %v", c.q, len(c.values), got, c.want)
		}
	}
	if hundred[0] != 100 {
		t.Error("the values were sorted in place")
	}
}

func TestSpreadOf(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Spread
	}{
		{nil, Spread{}},
		{[]float64{4}, Spread{4, 4, 4}},
		{[]float64{9, 1, 4}, Spread{4, 1, 9}},
		{[]float64{9, 1, 4, 6}, Spread{5, 1, 9}},
	} {
		if diff := cmp.Diff(c.want, SpreadOf(c.values)); diff != "" {
			t.Errorf("%v: %s", c.values, diff)
		}
	}
}
