package status

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/serve"
)

// Streams are counted, and why they ended.
func TestStreams_Counted(t *testing.T) {
	metrics := NewRegistry()
	metrics.MustRegister(collector(collectStreams(func() api.Streams {
		return api.Streams{
			Stats:       follow.Stats{Readers: 4, Followers: 2, Bytes: 700, Shared: 11, Own: 3},
			EventCounts: serve.EventCounts{Opened: 9, Events: 90, Ended: map[serve.End]uint64{serve.EndClient: 3, serve.EndSlow: 2, serve.EndStop: 0}},
		}
	})))
	w := httptest.NewRecorder()
	admin.New(admin.Options{Metrics: metrics}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		"ovation_streams 4", "ovation_stream_followers 2", "ovation_stream_bytes 700", "ovation_streams_opened_total 9", "ovation_stream_events_total 90",
		`ovation_stream_pages_total{made="shared"} 11`, `ovation_stream_pages_total{made="own"} 3`,
		`ovation_streams_ended_total{reason="client"} 3`, `ovation_streams_ended_total{reason="slow"} 2`, `ovation_streams_ended_total{reason="stop"} 0`,
	} {
		if !strings.Contains(w.Body.String(), line+"\n") {
			t.Errorf("no %s in\n%s", line, w.Body)
		}
	}
}
