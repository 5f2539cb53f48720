package status

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/admin"
)

// Polls are counted by how they were answered.
func TestPolls_Counted(t *testing.T) {
	metrics := NewRegistry()
	metrics.MustRegister(collector(collectPolls(func() api.Polls {
		return api.Polls{ByMemory: 5, ByComparison: 3, Missed: 2, Entries: 7, Bytes: 900}
	})))
	w := httptest.NewRecorder()
	admin.New(admin.Options{Metrics: metrics}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`ovation_polls_total{answered="memory"} 5`, `ovation_polls_total{answered="comparison"} 3`, `ovation_polls_total{answered="full"} 2`,
		"ovation_response_cache_entries 7", "ovation_response_cache_bytes 900",
	} {
		if !strings.Contains(w.Body.String(), line+"\n") {
			t.Errorf("no %s in\n%s", line, w.Body)
		}
	}
}
