package status

import "github.com/ovation-analytics/ovation/api"

// How polls are answered.
var (
	mPollAnswered = describe("polls_total",
		"Conditional GETs: memory is 304 without a scan, comparison 304 after one, full 200.",
		"answered")
	mPollEntries = describe("response_cache_entries", "Responses in the response cache.")
	mPollBytes   = describe("response_cache_bytes", "Memory of the response cache, estimated.")
)

// collectPolls makes the metrics of polls.
func collectPolls(polls func() api.Polls) func(out sink) {
	return func(out sink) {
		p := polls()
		for by, n := range map[string]uint64{"memory": p.ByMemory, "comparison": p.ByComparison, "full": p.Missed} {
			out.counter(mPollAnswered, float64(n), by)
		}
		out.gauge(mPollEntries, float64(p.Entries))
		out.gauge(mPollBytes, float64(p.Bytes))
	}
}
