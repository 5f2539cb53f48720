package status

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/cmd/ovation/build"
)

// NewRegistry is a registry with the metrics of every Go program and of this build.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(build.Read()),
	)
	return r
}

// buildInfo is 1, with what the program was built from and the rules by which it applies records.
func buildInfo(b build.Info) prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "ovation_build_info", Help: "1, with the build of the program and the version of the rules by which it applies records.",
		ConstLabels: prometheus.Labels{"version": b.Version, "revision": b.Revision, "go": b.Go, "rules": strconv.Itoa(domain.RulesVersion)},
	})
	info.Set(1)
	return info
}

// Register adds the metrics of an open node. They are read when they are asked for.
func Register(r *prometheus.Registry, s *Source, a *api.API) {
	for _, c := range []collector{
		s.collect, s.collectFaults, s.collectVerification, s.collectKeys, s.collectMeasured, s.collectMemory(a.Polls),
		collectPolls(a.Polls), collectLimited(a.Limited), collectStreams(a.Streams), collectRequests(a.Stats),
	} {
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
		"Age of what answers are made of: the time since the latest moment whose records, up to the end that every log had then, are all applied.")
	mReady      = describe("ready", "1 when every shard serves.")
	mApplied    = describe("shard_applied_offset", "Offset in the journal after the last record committed.", "shard")
	mEnd        = describe("shard_log_end_offset", "End offset of the journal, as last fetched.", "shard")
	mRows       = describe("shard_rows", "Rows that are not deleted.", "shard")
	mRecorded   = describe("activities_recorded_total", "Activities recorded as actions.", "shard")
	mDuplicates = describe("activities_duplicate_total", "Activities dropped as duplicates, by their id and source.", "shard")
	mDeleted    = describe("actions_deleted_total", "Actions deleted.", "shard")
	mRepeat     = describe("records_duplicate_total",
		"Records dropped as duplicates, by their origin and its sequence number.", "shard")
	mVoid = describe("commands_expired_total",
		"Commands that reached the journal after their client was refused: not applied.", "shard")
	mDead      = describe("dead_letters_total", "Records that became dead letters since the store was made, by reason.", "shard", "reason")
	mCommits   = describe("commits_total", "Micro-batches committed.", "shard")
	mRouted    = describe("router_routed_total", "Records of activities that this node appended to the journal.", "partition")
	mRoutes    = describe("router_assigned", "1 where this node routes the partition of activities.", "partition")
	mTaken     = describe("router_takeovers_total", "Takeovers of a partition of activities that no other node routed.", "partition")
	mRefused   = describe("router_refused_total", "Records of activities that the router refused, by reason.", "partition", "reason")
	mNoCountry = describe("activities_without_country_total",
		"Activities whose country is no ISO 3166-1 alpha-2 code: recorded without a country.")
	mForwarded = describe("records_forwarded_total", "Records sent to other shards.", "shard")
	mMerged    = describe("members_merged_total", "Members merged into a member of the shard.", "shard")
	mUnmerged  = describe("members_unmerged_total", "Merges undone.", "shard")
	mWithheld  = describe("merged_members_stale_total",
		"Changes of merged members that are too large to send to the shard of the survivor, which keeps the earlier version.", "shard")
	mWoken   = describe("members_loaded_total", "Members read from the store.", "shard")
	mColumns = describe("column_bytes", "Memory of the columns of resident brands.", "shard")
	mEvicted = describe("columns_evicted_total", "Brands whose columns were evicted from memory.", "shard")
	mFull    = describe("visit_places_exceeded",
		"Accounts with more pages and domains of visits than a shard keeps: visits to further ones are counted without page and domain.", "shard")
	mPanics = describe("apply_panics_total", "Panics while a record was applied.", "shard")
	mAwake  = describe("member_bytes", "Memory of the members that are loaded.", "shard")
	mParked = describe("parked_activities",
		"Activities parked until the registration of their member is complete in another shard.", "shard")
	mOutbox    = describe("outbox_waiting", "Outbox entries that are not published yet.", "shard", "kind")
	mPublishes = describe("outbox_assigned", "1 where this node publishes the outbox of the shard.", "shard", "kind")
	mTakeOvers = describe("outbox_takeovers_total", "Takeovers of an outbox that another node did not publish in time.", "shard", "kind")
	mTwice     = describe("forwards_duplicate_total", "Records of other shards that were received twice, and dropped.", "shard")
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
		for _, reason := range reasons {
			out.counter(mRefused, float64(r.Refused[reason]), partition, reason)
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
	for _, reason := range reasons {
		out.counter(mDead, float64(s.Dead[reason]), shard, reason)
	}
}

// reasons are the names of all reasons for which a record is refused: each has its counters from the start, so that a
// first one is an increase.
var reasons = func() (names []string) {
	for r := domain.Accepted + 1; int(r) < domain.Reasons; r++ {
		names = append(names, r.String())
	}
	return names
}()

// one is 1 for true.
func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
