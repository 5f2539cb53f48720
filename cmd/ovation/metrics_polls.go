package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/api"
)

// pollMetrics shows what became of polls, when it is asked for.
type pollMetrics struct {
	polls                    func() api.Polls
	answered, entries, bytes *prometheus.Desc
}

func newPollMetrics(polls func() api.Polls) *pollMetrics {
	return &pollMetrics{
		polls:    polls,
		answered: describe("polls_total", "GETs that named a tag and got an answer: by memory 304 without a scan, by comparison 304 after one, else 200.", "answered"),
		entries:  describe("remembered_answers", "Answers that are remembered for polls."),
		bytes:    describe("remembered_bytes", "Memory that they take, about."),
	}
}

// Describe names the metrics.
func (m *pollMetrics) Describe(ch chan<- *prometheus.Desc) {
	ch <- m.answered
	ch <- m.entries
	ch <- m.bytes
}

// Collect reads the counters.
func (m *pollMetrics) Collect(ch chan<- prometheus.Metric) {
	p := m.polls()
	for by, n := range map[string]uint64{"memory": p.ByMemory, "comparison": p.ByComparison, "full": p.Missed} {
		ch <- prometheus.MustNewConstMetric(m.answered, prometheus.CounterValue, float64(n), by)
	}
	ch <- prometheus.MustNewConstMetric(m.entries, prometheus.GaugeValue, float64(p.Entries))
	ch <- prometheus.MustNewConstMetric(m.bytes, prometheus.GaugeValue, float64(p.Bytes))
}
