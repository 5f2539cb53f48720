package status

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/cmd/ovation/tracing"
)

// What became of spans.
var mSpans = describe("trace_spans_total",
	"Spans of traces by what became of them: exported was taken by the collector, dropped found the queue full or its trace too long, "+
		"failed was not taken by the collector.", "result")

// RegisterTraces adds the metrics of a node that traces.
func RegisterTraces(r *prometheus.Registry, stats func() tracing.Stats) {
	r.MustRegister(collector(func(out sink) {
		s := stats()
		out.counter(mSpans, float64(s.Exported), "exported")
		out.counter(mSpans, float64(s.Dropped), "dropped")
		out.counter(mSpans, float64(s.Failed), "failed")
	}))
}
