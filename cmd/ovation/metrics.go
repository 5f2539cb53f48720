package main

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
)

// nodeStatus is what /status shows.
type nodeStatus struct {
	actors.Status
	Replication string               `json:"replication"`
	Store       storeStatus          `json:"store"`
	Log         *logStatus           `json:"log,omitempty"` // the embedded one
	Stopping    bool                 `json:"stopping,omitempty"`
	Verify      *verify.Verification `json:"verify,omitempty"`  // under way, or the last
	Rebuild     *verify.Rebuild      `json:"rebuild,omitempty"` // likewise, of this process
}

// storeStatus is the store's size. Families are the bytes on disk of each family of
// keys, by its letter, as of the last flush.
type storeStatus struct {
	Disk      uint64            `json:"disk"`
	WAL       uint64            `json:"wal"`
	Debt      uint64            `json:"compactionDebt"`
	Cache     int64             `json:"cache"`
	Buffers   uint64            `json:"writeBuffers"`
	Filters   int               `json:"filters"`
	Gists     int               `json:"gists"`
	Tail      int               `json:"tailRows"`
	Free      uint64            `json:"diskFree"`
	Snapshots int64             `json:"snapshots"`
	Pinned    uint64            `json:"pinned"` // bytes that compaction kept for their sake, so far
	Corrupt   []string          `json:"corruptFiles,omitempty"`
	Families  map[string]uint64 `json:"families"`
	Err       string            `json:"error,omitempty"` // why all of it stopped
}

// logStatus is the embedded log. What it refuses for want of space, whoever sent it sends
// again; what stopped it lasts until the node starts again.
type logStatus struct {
	Disk     uint64   `json:"disk"`
	Refusing string   `json:"refusing,omitempty"`
	Refused  uint64   `json:"refused"`
	Corrupt  []string `json:"corruptFiles,omitempty"`
	Stopped  string   `json:"stopped,omitempty"`
	// Requests and connections that were refused, by reason.
	Requests map[string]uint64 `json:"refusedRequests,omitempty"`
}

func (p *program) logStatus() *logStatus {
	if p.eventLog == nil {
		return nil
	}
	s := p.eventLog.Stats()
	st := &logStatus{Disk: s.DiskBytes, Refusing: s.Refusing, Refused: s.Full, Corrupt: s.Corrupt}
	if p.broker != nil {
		st.Requests = p.broker.Stats().Refused
	}
	if err := p.eventLog.Err(); err != nil {
		st.Stopped = err.Error()
	}
	return st
}

func (p *program) status() nodeStatus {
	st := nodeStatus{Status: p.node.Status(), Replication: p.topics.replication, Stopping: p.drain.begun(), Log: p.logStatus()}
	if p.verifier != nil {
		st.Verify = p.verifier.Last()
		st.Rebuild = p.rebuilds.Last()
	}
	s, err := p.store.Stats()
	if err != nil {
		st.Store.Err = err.Error()
		return st
	}
	st.Store = storeStatus{
		Disk: s.Disk, WAL: s.WAL, Debt: s.Debt, Cache: s.Cache, Buffers: s.MemTables, Filters: s.Filters, Gists: s.Gists, Tail: s.Tail,
		Free: s.Free, Snapshots: s.Snapshots, Pinned: s.Pinned, Corrupt: s.Corrupt, Families: map[string]uint64{},
	}
	for family, bytes := range s.Families {
		st.Store.Families[string(rune(family))] = bytes
	}
	return st
}

// nodeMetrics shows the node's status as metrics, when they are asked for.
type nodeMetrics struct {
	p                                                        *program
	lag, ready, applied, end, rows, recorded, repeat         *prometheus.Desc
	duplicates, dead, commits, routed, refused               *prometheus.Desc
	forwarded, woken, panics, outbox, parked, awake, deleted *prometheus.Desc
	columns, evicted                                         *prometheus.Desc
}

// describe names a metric of the node.
func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("ovation_"+name, help, labels, nil)
}

func registerMetrics(r *prometheus.Registry, p *program) {
	r.MustRegister(&nodeMetrics{
		p:          p,
		lag:        describe("lag_seconds", "Age of the latest moment at which every log's end then seen has since been applied."),
		ready:      describe("ready", "1 when every shard serves."),
		applied:    describe("shard_applied_offset", "Offset after the last record committed.", "shard"),
		end:        describe("shard_log_end_offset", "The journal's end as last seen.", "shard"),
		rows:       describe("shard_rows", "Living rows.", "shard"),
		recorded:   describe("activities_recorded_total", "Activities that became rows.", "shard"),
		duplicates: describe("activities_duplicate_total", "Activities that were there already.", "shard"),
		deleted:    describe("activities_deleted_total", "Actions deleted.", "shard"),
		repeat:     describe("records_repeated_total", "Records dropped by their origin.", "shard"),
		dead:       describe("dead_letters_total", "Records that became dead letters, over the life of the store.", "shard", "reason"),
		commits:    describe("commits_total", "Batches committed.", "shard"),
		routed:     describe("router_routed_total", "Source records brought into the journal.", "partition"),
		refused:    describe("router_refused_total", "Source records routed with a refusal.", "partition", "reason"),
		forwarded:  describe("records_forwarded_total", "Records sent to other shards.", "shard"),
		woken:      describe("members_woken_total", "Members read from the store.", "shard"),
		columns:    describe("column_bytes", "Memory that the columns of resident brands take.", "shard"),
		evicted:    describe("columns_evicted_total", "Brands whose columns gave way to others.", "shard"),
		panics:     describe("apply_panics_total", "Panics while applying.", "shard"),
		awake:      describe("awake_bytes", "Memory that members take that are awake.", "shard"),
		parked:     describe("parked_activities", "Activities of members whose registration waits for another shard.", "shard"),
		outbox:     describe("outbox_waiting", "Outbox entries waiting to be published.", "shard", "kind"),
	})
}

// Describe names the metrics.
func (m *nodeMetrics) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, ch) }

// Collect reads the status.
func (m *nodeMetrics) Collect(ch chan<- prometheus.Metric) {
	st := m.p.node.Status()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	ready := 0.0
	if st.Ready {
		ready = 1
	}
	gauge(m.lag, float64(st.LagMs)/1000)
	gauge(m.ready, ready)
	for i := range st.Shards {
		m.shard(&st.Shards[i], gauge, counter)
	}
	for _, r := range st.Routers {
		partition := text(r.Partition)
		counter(m.routed, r.Routed, partition)
		for reason, n := range r.Refused {
			counter(m.refused, n, partition, reason)
		}
	}
}

func (m *nodeMetrics) shard(s *actors.ShardStatus, gauge func(*prometheus.Desc, float64, ...string), counter func(*prometheus.Desc, int64, ...string)) {
	shard := text(s.Shard)
	gauge(m.applied, float64(s.Applied), shard)
	gauge(m.end, float64(s.End), shard)
	gauge(m.rows, float64(s.Rows), shard)
	counter(m.recorded, s.Recorded, shard)
	counter(m.duplicates, s.Duplicates, shard)
	counter(m.deleted, s.Deleted, shard)
	counter(m.repeat, s.Repeats, shard)
	counter(m.commits, s.Commits, shard)
	counter(m.forwarded, s.Forwarded, shard)
	counter(m.woken, s.Woken, shard)
	counter(m.panics, s.Panics, shard)
	gauge(m.columns, float64(s.Columns), shard)
	counter(m.evicted, s.Evicted, shard)
	gauge(m.awake, float64(s.Awake), shard)
	gauge(m.parked, float64(s.Parked), shard)
	gauge(m.outbox, float64(s.Outbox), shard, "forward")
	gauge(m.outbox, float64(s.Letters), shard, "dead_letter")
	for reason, n := range s.Dead {
		counter(m.dead, n, shard, reason)
	}
}

// newMetrics is a registry with what every Go program and this build can say of
// themselves.
func newMetrics() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(),
	)
	return r
}
