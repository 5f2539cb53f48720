package status

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/api/admin"
)

// Requests over a limit are counted by the limit.
func TestLimited_Counted(t *testing.T) {
	metrics := NewRegistry()
	metrics.MustRegister(collector(collectLimited(func() api.Limited {
		return api.Limited{Refused: 4, Served: 3, Month: 2}
	})))
	w := httptest.NewRecorder()
	admin.New(admin.Options{Metrics: metrics}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`ovation_limited_requests_total{limit="rate"} 4`, `ovation_limited_requests_total{limit="soft_rate"} 3`,
		`ovation_limited_requests_total{limit="month"} 2`,
	} {
		if !strings.Contains(w.Body.String(), line+"\n") {
			t.Errorf("no %s in\n%s", line, w.Body)
		}
	}
}
