package report

import (
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
}

// Bounds of a histogram: microseconds, to three figures.
const (
	minLatency     = 1
	maxLatency     = int64(time.Hour / time.Microsecond)
	latencyFigures = 3
)

func newHistogram() *hdr.Histogram { return hdr.New(minLatency, maxLatency, latencyFigures) }

// Latencies is a histogram of durations, whole and since the last Turn. Any goroutine may
// call it.
type Latencies struct {
	mu   sync.Mutex // guards all
	now  *hdr.Histogram
	past *hdr.Histogram
}

// NewLatencies makes an empty one.
func NewLatencies() *Latencies { return &Latencies{now: newHistogram(), past: newHistogram()} }

// Note counts one; out of bounds it counts at the bound.
func (l *Latencies) Note(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.now.RecordValue(min(max(int64(took/time.Microsecond), minLatency), maxLatency)) // it is within the bounds
}

// Turn is the quantiles since the last Turn.
func (l *Latencies) Turn() Latency {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := latencyOf(l.now)
	l.past.Merge(l.now)
	l.now.Reset()
	return out
}

// Whole is the quantiles of all.
func (l *Latencies) Whole() Latency {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.past.Clone()
	all.Merge(l.now)
	return latencyOf(all)
}

func latencyOf(h *hdr.Histogram) Latency {
	at := func(percentile float64) float64 { return millis(h.ValueAtPercentile(percentile)) }
	return Latency{Count: h.TotalCount(), P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: millis(h.Max())}
}

func millis(micros int64) float64 { return float64(micros) / 1000 }
