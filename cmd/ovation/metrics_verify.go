package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
)

// verifyMetrics shows the last run as metrics.
type verifyMetrics struct {
	last                                        func() *verify.Verification
	running, ended, seconds, shards, difference *prometheus.Desc
}

func newVerifyMetrics(last func() *verify.Verification) *verifyMetrics {
	return &verifyMetrics{
		last:       last,
		running:    describe("verify_running", "1 while the store is compared with a replay."),
		ended:      describe("verify_last_end_timestamp_seconds", "When the last verification ended."),
		seconds:    describe("verify_last_duration_seconds", "How long it took."),
		shards:     describe("verify_last_shards", "Shards of the last verification by what came out.", "state"),
		difference: describe("verify_last_differences", "Places in which the store is not what was recorded."),
	}
}

// Describe names the metrics.
func (m *verifyMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.running, m.ended, m.seconds, m.shards, m.difference} {
		ch <- d
	}
}

// Collect reads the last run.
func (m *verifyMetrics) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	run := m.last()
	if run == nil || run.State == verify.Running {
		running := 0.0
		if run != nil {
			running = 1
		}
		gauge(m.running, running)
		return
	}
	gauge(m.running, 0)
	gauge(m.ended, float64(run.Started.UnixMilli())/1000+run.Seconds)
	gauge(m.seconds, run.Seconds)
	gauge(m.difference, float64(run.Differences))
	states := map[string]int{verify.Equal: 0, verify.Different: 0, verify.NotReplayed: 0, verify.Failed: 0}
	for i := range run.Shards {
		states[run.Shards[i].State]++
	}
	for state, n := range states {
		gauge(m.shards, float64(n), state)
	}
}
