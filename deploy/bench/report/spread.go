package report

import "slices"

// Quantile is the q-quantile, 0 ≤ q ≤ 1, by the nearest rank: a value that was
// measured. Of none it is 0.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(q * float64(len(sorted)))
	return sorted[min(max(rank, 0), len(sorted)-1)]
}

// Spread is what several runs measured.
type Spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// SpreadOf is the spread of values; of an even number the median is the mean of the
// two in the middle.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	median := sorted[mid]
	if len(sorted)%2 == 0 {
		median = (sorted[mid-1] + sorted[mid]) / 2
	}
	return Spread{Median: median, Least: sorted[0], Most: sorted[len(sorted)-1]}
}
