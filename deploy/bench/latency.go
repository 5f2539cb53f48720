package main

import (
	"slices"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Latency is how long something took, in milliseconds, counted from when it was due.
type Latency struct {
	Count int64   `json:"count"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p999"`
	Max   float64 `json:"max"`
	// Bars are the histogram, the shortest first: how many took no longer than that and
	// longer than the bar before.
	Bars []Bar `json:"bars,omitempty"`
}

// Bar is a bar of a histogram.
type Bar struct {
	Millis float64 `json:"ms"`
	Count  int64   `json:"count"`
}

// Bounds of what a histogram tells apart: microseconds, to three figures.
const (
	latencyLeast   = 1
	latencyMost    = int64(time.Hour / time.Microsecond)
	latencyFigures = 3
)

func newHistogram() *hdr.Histogram { return hdr.New(latencyLeast, latencyMost, latencyFigures) }

// latencies counts how long something took, over all and since the last look. Any
// goroutine may call it.
type latencies struct {
	mu   sync.Mutex // guards all
	now  *hdr.Histogram
	past *hdr.Histogram
}

func newLatencies() *latencies { return &latencies{now: newHistogram(), past: newHistogram()} }

// note counts one. What is longer than the longest that is told apart counts as that.
func (l *latencies) note(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.now.RecordValue(min(max(int64(took/time.Microsecond), latencyLeast), latencyMost)) // it is within the bounds
}

// turn gives those since the last turn.
func (l *latencies) turn() Latency {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := latencyOf(l.now)
	l.past.Merge(l.now)
	l.now.Reset()
	return out
}

// whole gives all, with the histogram.
func (l *latencies) whole() Latency {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.past.Clone()
	all.Merge(l.now)
	out := latencyOf(all)
	out.Bars = barsOf(all)
	return out
}

func latencyOf(h *hdr.Histogram) Latency {
	at := func(percentile float64) float64 { return millis(h.ValueAtPercentile(percentile)) }
	return Latency{Count: h.TotalCount(), P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: millis(h.Max())}
}

// barWidths are where the bars of a decade end.
var barWidths = []int64{1, 2, 3, 5, 7}

// barsOf is the histogram in bars that grow: five a decade.
func barsOf(h *hdr.Histogram) (out []Bar) {
	end := func(i int) int64 {
		e := barWidths[i%len(barWidths)]
		for range i / len(barWidths) {
			e *= 10
		}
		return e
	}
	at, counted := 0, int64(0)
	for _, b := range h.Distribution() {
		for b.Count > 0 && b.To > end(at) {
			at++
			counted = 0
		}
		if b.Count == 0 {
			continue
		}
		if counted == 0 {
			out = append(out, Bar{Millis: millis(end(at))})
		}
		counted += b.Count
		out[len(out)-1].Count = counted
	}
	return slices.Clip(out)
}

func millis(micros int64) float64 { return float64(micros) / 1000 }
