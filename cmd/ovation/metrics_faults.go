package main

import (
	"github.com/prometheus/client_golang/prometheus"
)

// faultMetrics show what stands still, and what is tried again until it goes. Status has
// the reasons.
type faultMetrics struct {
	p                                 *program
	stopped, waiting, failures, ahead *prometheus.Desc
	corrupt, free, snapshots, pinned  *prometheus.Desc
	refused, requests, logCorrupt     *prometheus.Desc
	foreign                           *prometheus.Desc
}

func newFaultMetrics(p *program) *faultMetrics {
	return &faultMetrics{
		p:          p,
		stopped:    describe("stopped", "1 when a shard, a router, the catalog, the store or the embedded log stands still: status says why.", "what", "id"),
		waiting:    describe("waiting", "1 when it tries again what does not go: status says what.", "what", "id"),
		failures:   describe("failures_total", "Attempts that failed and were made again.", "what", "id"),
		ahead:      describe("clock_ahead_seconds", "By how much the broker's clock, as applied, is ahead of this node's; 0 within a minute.", "shard"),
		corrupt:    describe("store_corrupt_files", "Files of the store in which something cannot be read."),
		free:       describe("store_disk_free_bytes", "Bytes free on the store's disk."),
		logCorrupt: describe("log_corrupt_files", "Files of the embedded log in which something cannot be read."),
		refused:    describe("log_refused_total", "Appends that the embedded log refused for want of space."),
		foreign:    describe("foreign_records_total", "Values of other programs in our topics that were passed over.", "topic", "partition"),
		requests:   describe("log_refused_requests_total", "Requests and connections that the embedded log refused, by reason.", "reason"),
		snapshots:  describe("store_snapshots", "Snapshots of the store that are open."),
		pinned:     describe("store_pinned_bytes_total", "Bytes that compaction kept for the sake of snapshots."),
	}
}

// Describe names the metrics.
func (m *faultMetrics) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, ch) }

// Collect reads the status.
func (m *faultMetrics) Collect(ch chan<- prometheus.Metric) {
	st := m.p.status()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	one := func(what, id, stopped, waiting string, failures int64) {
		gauge(m.stopped, said(stopped), what, id)
		gauge(m.waiting, said(waiting), what, id)
		counter(m.failures, float64(failures), what, id)
	}
	for i := range st.Shards {
		s := &st.Shards[i]
		one("shard", text(s.Shard), s.Stopped, s.Waiting, s.Failures)
		gauge(m.ahead, float64(s.AheadMs)/1000, text(s.Shard))
		counter(m.foreign, float64(s.Foreign), "journal", text(s.Shard))
	}
	for i := range st.Routers {
		r := &st.Routers[i]
		one("router", text(r.Partition), r.Stopped, r.Waiting, r.Failures)
	}
	counter(m.foreign, float64(st.Catalog.Foreign), "catalog", "0")
	one("catalog", "", st.Catalog.Stopped, st.Catalog.Waiting, st.Catalog.Failures)
	gauge(m.stopped, said(st.Store.Err), "store", "")
	if st.Store.Err == "" {
		gauge(m.corrupt, float64(len(st.Store.Corrupt)))
		gauge(m.free, float64(st.Store.Free))
		gauge(m.snapshots, float64(st.Store.Snapshots))
		counter(m.pinned, float64(st.Store.Pinned))
	}
	if l := st.Log; l != nil {
		gauge(m.stopped, said(l.Stopped), "log", "")
		gauge(m.waiting, said(l.Refusing), "log", "")
		counter(m.refused, float64(l.Refused))
		for reason, n := range l.Requests {
			counter(m.requests, float64(n), reason)
		}
		gauge(m.logCorrupt, float64(len(l.Corrupt)))
	}
}

// said is 1 when there is something to say.
func said(why string) float64 {
	if why == "" {
		return 0
	}
	return 1
}
