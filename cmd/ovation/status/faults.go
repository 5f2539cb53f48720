package status

import "strconv"

// What has stopped, and what is retried until it succeeds. Status has the reasons.
var (
	mStopped = describe("stopped",
		"1 when a shard, a router, the catalog, the store or the embedded log stands still: status says why.", "what", "id")
	mWaiting  = describe("waiting", "1 when it tries again what does not go: status says what.", "what", "id")
	mFailures = describe("failures_total", "Attempts that failed and were made again.", "what", "id")
	mAhead    = describe("clock_ahead_seconds",
		"By how much the broker's clock, as applied, is ahead of this node's; 0 within a minute.", "shard")
	mApart = describe("handovers_apart",
		"Pairs of shards that do not agree on what merged members handed over: questions that need both have no answer.")
	mUnanswered = describe("questions_disagreed_total", "Questions without an answer, since shards did not agree in time.")
	mCorrupt    = describe("store_corrupt_files", "Files of the store in which something cannot be read.")
	mFree       = describe("store_disk_free_bytes", "Bytes free on the store's disk.")
	mLogCorrupt = describe("log_corrupt_files", "Files of the embedded log in which something cannot be read.")
	mLogRefused = describe("log_refused_total", "Appends that the embedded log refused for want of space.")
	mForeign    = describe("foreign_records_total",
		"Values of other programs in our topics that were passed over.", "topic", "partition")
	mRequests = describe("log_refused_requests_total",
		"Requests and connections that the embedded log refused, by reason.", "reason")
	mSnapshots = describe("store_snapshots", "Snapshots of the store that are open.")
	mPinned    = describe("store_pinned_bytes_total", "Bytes that compaction kept for the sake of snapshots.")
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
	out.gauge(mApart, float64(len(st.Apart.Pairs)))
	out.counter(mUnanswered, float64(st.Apart.Questions))
	out.counter(mForeign, float64(st.Catalog.Foreign), "catalog", "0")
	retries("catalog", "", st.Catalog.Stopped, st.Catalog.Waiting, st.Catalog.Failures)
	out.gauge(mStopped, one(st.Store.Err != ""), "store", "")
	if st.Store.Err == "" {
		out.gauge(mCorrupt, float64(len(st.Store.Corrupt)))
		out.gauge(mFree, float64(st.Store.Free))
		out.gauge(mSnapshots, float64(st.Store.Snapshots))
		out.counter(mPinned, float64(st.Store.Pinned))
	}
	if l := st.Log; l != nil {
		out.gauge(mStopped, one(l.Stopped != ""), "log", "")
		out.gauge(mWaiting, one(l.Refusing != ""), "log", "")
		out.counter(mLogRefused, float64(l.Refused))
		for reason, n := range l.Requests {
			out.counter(mRequests, float64(n), reason)
		}
		out.gauge(mLogCorrupt, float64(len(l.Corrupt)))
	}
}
