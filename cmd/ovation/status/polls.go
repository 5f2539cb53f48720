package status

import "github.com/ovation-analytics/ovation/api"

// How polls are answered.
var (
	mPollAnswered = describe("polls_total",
		"GETs that named a tag and got an answer: by memory 304 without a scan, by comparison 304 after one, else 200.",
		"answered")
	mPollEntries = describe("remembered_answers", "Answers that are remembered for polls.")
	mPollBytes   = describe("remembered_bytes", "Memory that they take, about.")
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
