package status

import "strconv"

// What has stopped, and what is retried until it succeeds. Status has the reasons.
var (
	mStopped = describe("stopped",
		"1 when a shard, a router, the catalog, the store, the data keys or the embedded log has stopped: /status has the cause and what helps.", "what", "id")
	mWaiting  = describe("waiting", "1 while something is retried until it succeeds: /status has the cause.", "what", "id")
	mFailures = describe("failures_total", "Failed attempts that were retried.", "what", "id")
	mAhead    = describe("clock_ahead_seconds",
		"Clock skew: how far the broker's clock, as applied, is ahead of this node's; 0 below a minute.", "shard")
	mClock = describe("machine_clock_ahead_seconds",
		"Clock skew: how far this machine's clock is ahead of those of most nodes, below zero where it is late; 0 below a minute.")
	mApart = describe("shard_pairs_disagreeing",
		"Pairs of shards that disagree on what merged members handed over: questions that need both fail.")
	mUnanswered  = describe("questions_disagreed_total", "Questions that failed since shards did not agree in time.")
	mCorrupt     = describe("store_corrupt_files", "Files of the store with a part that cannot be read.")
	mFree        = describe("store_disk_free_bytes", "Free space on the store's disk.")
	mDisk        = describe("store_disk_bytes", "Size of the store on disk.")
	mDebt        = describe("store_compaction_debt_bytes", "Bytes that compaction still has to rewrite.")
	mLogDisk     = describe("log_disk_bytes", "Size of the embedded log on disk.")
	mLogCorrupt  = describe("log_corrupt_files", "Files of the embedded log with a part that cannot be read.")
	mLogRefused  = describe("log_appends_refused_total", "Appends that the embedded log refused for lack of disk space.")
	mForeign     = describe("foreign_records_total", "Records of other programs in the topics of the installation: skipped.", "topic", "partition")
	mLogRequests = describe("log_requests_refused_total", "Requests and connections that the embedded log refused, by reason.", "reason")
	mSnapshots   = describe("store_snapshots", "Open snapshots of the store.")
	mPinned      = describe("store_pinned_bytes_total", "Bytes that compaction kept for open snapshots.")
)

// collectFaults makes the metrics of what has stopped or is retried.
func (s *Source) collectFaults(out sink) {
	st := s.Read()
	retries := func(what, id, stopped, waiting string, failures int64) {
		out.gauge(mStopped, one(stopped != ""), what, id)
		out.gauge(mWaiting, one(waiting != ""), what, id)
		out.counter(mFailures, float64(failures), what, id)
	}
	for i := range st.Shards {
		sh := &st.Shards[i]
		retries("shard", strconv.Itoa(sh.Shard), sh.Stopped, sh.Waiting, sh.Failures)
		out.gauge(mAhead, float64(sh.AheadMs)/1000, strconv.Itoa(sh.Shard))
		out.counter(mForeign, float64(sh.Foreign), "journal", strconv.Itoa(sh.Shard))
	}
	for i := range st.Routers {
		r := &st.Routers[i]
		retries("router", strconv.Itoa(r.Partition), r.Stopped, r.Waiting, r.Failures)
	}
	out.gauge(mClock, float64(st.AheadMs)/1000)
	out.gauge(mApart, float64(len(st.Apart.Pairs)))
	out.counter(mUnanswered, float64(st.Apart.Questions))
	out.counter(mForeign, float64(st.Catalog.Foreign), "catalog", "0")
	retries("catalog", "", st.Catalog.Stopped, st.Catalog.Waiting, st.Catalog.Failures)
	out.gauge(mStopped, one(st.Store.Err != ""), "store", "")
	if st.Store.Err == "" {
		out.gauge(mCorrupt, float64(len(st.Store.Corrupt)))
		out.gauge(mFree, float64(st.Store.Free))
		out.gauge(mDisk, float64(st.Store.Disk))
		out.gauge(mDebt, float64(st.Store.Debt))
		out.gauge(mSnapshots, float64(st.Store.Snapshots))
		out.counter(mPinned, float64(st.Store.Pinned))
	}
	if l := st.Log; l != nil {
		out.gauge(mStopped, one(l.Stopped != ""), "log", "")
		out.gauge(mWaiting, one(l.Refusing != ""), "log", "")
		out.gauge(mLogDisk, float64(l.Disk))
		out.counter(mLogRefused, float64(l.Refused))
		for reason, n := range l.Requests {
			out.counter(mLogRequests, float64(n), reason)
		}
		out.gauge(mLogCorrupt, float64(len(l.Corrupt)))
	}
}
