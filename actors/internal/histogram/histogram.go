package histogram

import (
	"slices"
	"sync/atomic"
	"time"
)

// Histogram counts durations by upper bounds.
type Histogram struct {
	bounds []time.Duration // ascending
	counts []atomic.Uint64 // one more than bounds
	sum    atomic.Int64
}

// New is a Histogram of bounds, ascending.
func New(bounds ...time.Duration) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

// Observe counts a value.
func (h *Histogram) Observe(v time.Duration) {
	i, _ := slices.BinarySearch(h.bounds, v)
	h.counts[i].Add(1)
	h.sum.Add(int64(v))
}

// Reading is what a Histogram has counted.
type Reading struct {
	Bounds []time.Duration
	Below  []uint64 // values at each bound or below it
	Count  uint64
	Sum    time.Duration
}

// Read is what was counted so far.
func (h *Histogram) Read() Reading {
	r := Reading{Bounds: h.bounds, Sum: time.Duration(h.sum.Load()), Below: make([]uint64, len(h.bounds))}
	for i := range h.counts {
		r.Count += h.counts[i].Load()
		if i < len(h.bounds) {
			r.Below[i] = r.Count
		}
	}
	return r
}
