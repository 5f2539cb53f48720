package status

import "github.com/ovation-analytics/ovation/api"

// What streams do.
var (
	mStreams         = describe("streams", "Streams that are open.")
	mStreamFollowers = describe("stream_followers", "Different questions that the open streams ask.")
	mStreamBytes     = describe("stream_bytes", "Memory of the pages that streams of one question share.")
	mStreamsOpened   = describe("streams_opened_total", "Streams that were opened; opens by HEAD, which end at once, are not among them.")
	mStreamEvents    = describe("stream_events_total", "Events sent to streams.")
	mStreamPages     = describe("stream_pages_total",
		"Pages with events that streams took: shared is made once for all streams of a question, own for one that is behind.", "made")
	mStreamsEnded = describe("streams_ended_total",
		"Streams that ended, by why: client has left, age is the bound of a connection, slow took too little of what there was, key is a key that was revoked "+
			"or lost its plan, stop is a stop of the node, error anything else that was asked for and failed.", "reason")
)

// collectStreams makes the metrics of streams.
func collectStreams(streams func() api.Streams) func(out sink) {
	return func(out sink) {
		s := streams()
		out.gauge(mStreams, float64(s.Readers))
		out.gauge(mStreamFollowers, float64(s.Followers))
		out.gauge(mStreamBytes, float64(s.Bytes))
		out.counter(mStreamsOpened, float64(s.Opened))
		out.counter(mStreamEvents, float64(s.Events))
		out.counter(mStreamPages, float64(s.Shared), "shared")
		out.counter(mStreamPages, float64(s.Own), "own")
		for end, n := range s.Ended {
			out.counter(mStreamsEnded, float64(n), end.String())
		}
	}
}
