package status

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/api"
)

// NewRegistry is a registry with the metrics of every Go program and of this build.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector(),
	)
	return r
}

// Register adds the metrics of an open node. They are read when they are asked for.
func Register(r *prometheus.Registry, s *Source, polls func() api.Polls, limited func() api.Limited) {
	for _, c := range []collector{s.collect, s.collectFaults, s.collectVerification, s.collectKeys, collectPolls(polls), collectLimited(limited)} {
		r.MustRegister(c)
	}
}

// collector makes metrics when they are asked for.
type collector func(out sink)

// Describe describes nothing: which metrics there are depends on the node's shards.
func (c collector) Describe(chan<- *prometheus.Desc) {}

// Collect makes the metrics.
func (c collector) Collect(ch chan<- prometheus.Metric) { c(sink{ch}) }

// sink takes metrics.
type sink struct{ ch chan<- prometheus.Metric }

func (s sink) gauge(d *prometheus.Desc, v float64, labels ...string) {
	s.ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func (s sink) counter(d *prometheus.Desc, v float64, labels ...string) {
	s.ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
}

// describe names a metric of the node.
func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("ovation_"+name, help, labels, nil)
}

// What the node does.
var (
	mLag = describe("lag_seconds",
		"Age of the latest moment at which every log's end then seen has since been applied.")
	mReady      = describe("ready", "1 when every shard serves.")
	mApplied    = describe("shard_applied_offset", "Offset after the last record committed.", "shard")
	mEnd        = describe("shard_log_end_offset", "The journal's end as last seen.", "shard")
	mRows       = describe("shard_rows", "Living rows.", "shard")
	mRecorded   = describe("activities_recorded_total", "Activities that became rows.", "shard")
	mDuplicates = describe("activities_duplicate_total", "Activities that were there already.", "shard")
	mDeleted    = describe("activities_deleted_total", "Actions deleted.", "shard")
	mRepeat     = describe("records_repeated_total", "Records dropped by their origin.", "shard")
	mVoid       = describe("commands_void_total", "Commands that came into the journal after their submitter was refused, and changed nothing.", "shard")
	mDead       = describe("dead_letters_total",
		"Records that became dead letters, over the life of the store.", "shard", "reason")
	mCommits   = describe("commits_total", "Batches committed.", "shard")
	mRouted    = describe("router_routed_total", "Source records brought into the journal.", "partition")
	mRoutes    = describe("router_routes", "1 where this node routes the partition of the public topic.", "partition")
	mTaken     = describe("router_taken_total", "How often this node took a partition over, which no other node routed.", "partition")
	mRefused   = describe("router_refused_total", "Source records routed with a refusal.", "partition", "reason")
	mNoCountry = describe("activities_without_country_total", "Source records whose country is no alpha-2 code: they count without it.")
	mForwarded = describe("records_forwarded_total", "Records sent to other shards.", "shard")
	mMerged    = describe("members_merged_total", "Members merged into one of the shard.", "shard")
	mUnmerged  = describe("members_unmerged_total", "Merges taken back.", "shard")
	mWithheld  = describe("members_withheld_total", "Changed records of merged members that are too large for the shard of the survivor, which goes on with the earlier ones.", "shard")
	mWoken     = describe("members_woken_total", "Members read from the store.", "shard")
	mColumns   = describe("column_bytes", "Memory that the columns of resident brands take.", "shard")
	mEvicted   = describe("columns_evicted_total", "Brands whose columns gave way to others.", "shard")
	mFull      = describe("visit_places_full", "Accounts whose visits have had as many pages and domains as a shard keeps: visits to others count without.", "shard")
	mPanics    = describe("apply_panics_total", "Panics while applying.", "shard")
	mAwake     = describe("awake_bytes", "Memory that members take that are awake.", "shard")
	mParked    = describe("parked_activities",
		"Activities of members whose registration waits for another shard.", "shard")
	mOutbox    = describe("outbox_waiting", "Outbox entries waiting to be published.", "shard", "kind")
	mPublishes = describe("outbox_published_here", "1 where this node publishes what the shard sends.", "shard", "kind")
	mTakeOvers = describe("outbox_taken_over_total",
		"How often this node took over what another one did not publish in time.", "shard", "kind")
	mTwice = describe("forwards_repeated_total", "Records of other shards that came twice, and were dropped.", "shard")
)

// collect makes the metrics of what the node does.
func (s *Source) collect(out sink) {
	st := s.Engine.Status()
	out.gauge(mLag, float64(st.LagMs)/1000)
	out.gauge(mReady, one(st.Ready))
	for i := range st.Shards {
		collectShard(out, &st.Shards[i])
	}
	for _, r := range st.Routers {
		partition := strconv.Itoa(r.Partition)
		out.counter(mRouted, float64(r.Routed), partition)
		out.gauge(mRoutes, one(r.Here), partition)
		out.counter(mTaken, float64(r.Taken), partition)
		for reason, n := range r.Refused {
			out.counter(mRefused, float64(n), partition, reason)
		}
	}
	if s.Activities != nil {
		out.counter(mNoCountry, float64(s.Activities.NoCountry()))
	}
}

// collectShard makes the metrics of one shard.
func collectShard(out sink, s *shard.Status) {
	shard := strconv.Itoa(s.Shard)
	out.gauge(mApplied, float64(s.Applied), shard)
	out.gauge(mEnd, float64(s.End), shard)
	out.gauge(mRows, float64(s.Rows), shard)
	out.counter(mRecorded, float64(s.Recorded), shard)
	out.counter(mDuplicates, float64(s.Duplicates), shard)
	out.counter(mDeleted, float64(s.Deleted), shard)
	out.counter(mRepeat, float64(s.Repeats), shard)
	out.counter(mVoid, float64(s.Void), shard)
	out.counter(mCommits, float64(s.Commits), shard)
	out.counter(mForwarded, float64(s.Forwarded), shard)
	out.counter(mMerged, float64(s.Merged), shard)
	out.counter(mUnmerged, float64(s.Unmerged), shard)
	out.counter(mWithheld, float64(s.Withheld), shard)
	out.counter(mWoken, float64(s.Loads), shard)
	out.counter(mPanics, float64(s.Panics), shard)
	out.gauge(mColumns, float64(s.Columns), shard)
	out.counter(mEvicted, float64(s.Evicted), shard)
	out.gauge(mFull, float64(s.Full), shard)
	out.gauge(mAwake, float64(s.Members), shard)
	out.gauge(mParked, float64(s.Parked), shard)
	out.gauge(mOutbox, float64(s.Outbox), shard, "forward")
	out.gauge(mOutbox, float64(s.Letters), shard, "dead_letter")
	for _, k := range s.Sends {
		out.gauge(mPublishes, one(k.Here), shard, k.Kind)
		out.counter(mTakeOvers, float64(k.TakeOvers), shard, k.Kind)
	}
	out.counter(mTwice, float64(s.Twice), shard)
	for reason, n := range s.Dead {
		out.counter(mDead, float64(n), shard, reason)
	}
}

// one is 1 for true.
func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
