package status

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/api"
)

// How long things take, and the memory that they have.
var (
	mCommitSeconds    = describe("commit_seconds", "Duration of a commit: a micro-batch written to the store, its view published.", "shard")
	mQuestionSeconds  = describe("question_seconds", "Duration of a question to the shards, by its shape, the wait for a position included.", "shape")
	mQuestionsWaiting = describe("questions_waiting", "Scans that wait for a worker.")
	mBudget           = describe("memory_budget_bytes", "What --memory is, or was chosen to be: resident memory is at most a quarter more.")
	mMemory           = describe("memory_bytes",
		"Memory by what it is for, estimated; process_resident_memory_bytes has all of it.", "part")
)

func (s sink) histogram(d *prometheus.Desc, r actors.Reading, labels ...string) {
	buckets := make(map[float64]uint64, len(r.Bounds))
	for i, b := range r.Bounds {
		buckets[b.Seconds()] = r.Below[i]
	}
	s.ch <- prometheus.MustNewConstHistogram(d, r.Count, r.Sum.Seconds(), buckets, labels...)
}

// collectMeasured makes the metrics of commits and questions.
func (s *Source) collectMeasured(out sink) {
	m := s.Engine.Measured()
	for shard, r := range m.Commits {
		out.histogram(mCommitSeconds, r, strconv.Itoa(shard))
	}
	for shape, r := range m.Questions {
		out.histogram(mQuestionSeconds, r, shape)
	}
	out.gauge(mQuestionsWaiting, float64(m.Waiting))
}

// collectMemory makes the metrics of what memory is for.
func (s *Source) collectMemory(polls func() api.Polls) func(out sink) {
	return func(out sink) {
		out.gauge(mBudget, float64(s.Budget))
		st := s.Read()
		var columns, members int64
		for i := range st.Shards {
			columns += st.Shards[i].Columns
			members += st.Shards[i].Members
		}
		parts := map[string]float64{"columns": float64(columns), "members": float64(members), "response_cache": float64(polls().Bytes)}
		if st.Store.Err == "" {
			parts["block_cache"], parts["write_buffers"] = float64(st.Store.Cache), float64(st.Store.Buffers)
			parts["filters"] = float64(st.Store.Filters + st.Store.ContentFilters)
		}
		for part, n := range parts {
			out.gauge(mMemory, n, part)
		}
	}
}
