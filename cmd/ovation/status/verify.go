package status

import "github.com/ovation-analytics/ovation/cmd/ovation/verify"

// What came out of the last verification.
var (
	mVerifyRunning = describe("verify_running",
		"1 while a verification compares the store with a replay of the journal.")
	mVerifyEnded      = describe("verify_last_end_timestamp_seconds", "When the last verification ended.")
	mVerifySeconds    = describe("verify_last_duration_seconds", "Duration of the last verification.")
	mVerifyShards     = describe("verify_last_shards", "Shards of the last verification, by result.", "state")
	mVerifyDifference = describe("verify_last_differences",
		"Differences between the store and the replay, of the last verification.")
)

// collectVerification makes the metrics of the last verification.
func (s *Source) collectVerification(out sink) {
	run := s.Verifier.Last()
	if run == nil || run.State == verify.Running {
		out.gauge(mVerifyRunning, one(run != nil))
		return
	}
	out.gauge(mVerifyRunning, 0)
	out.gauge(mVerifyEnded, float64(run.Started.UnixMilli())/1000+run.Seconds)
	out.gauge(mVerifySeconds, run.Seconds)
	out.gauge(mVerifyDifference, float64(run.Differences))
	states := map[string]int{verify.Equal: 0, verify.Different: 0, verify.NotReplayed: 0, verify.Failed: 0}
	for i := range run.Shards {
		states[run.Shards[i].State]++
	}
	for state, n := range states {
		out.gauge(mVerifyShards, float64(n), state)
	}
}
