package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

const (
	newYear = "start_date=2025-12-31+23:59:59&end_date=2026-01-02+00:00:01"
	daily   = "/v1.1/activity/count/daily?" + newYear
)

// daysOf renders an answer of count/daily as text.
func (h *fixture) daysOf(query string) []string {
	h.t.Helper()
	out := answered[wire.Daily](h, h.get(daily+query))
	got := []string{out.TotalCount + "/" + out.TotalMembers}
	for _, d := range out.Items {
		got = append(got, d.Date+" "+d.Count+"/"+d.DistinctMembers)
	}
	return got
}

func TestDailyIsOfEveryDayTheRangeTouches(t *testing.T) {
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		first, _ := q.Range.Days()
		return &domain.Answer{Timeline: &domain.Timeline{First: first, Services: []domain.ServiceTimeline{{
			Days: []domain.Count{{Actions: 3, Members: 2}, {}, {Actions: 1, Members: 1}}, Total: domain.Count{Actions: 4, Members: 2},
		}}}}, nil
	})
	want := []string{"4/2", "2025-12-31 3/2", "2026-01-01 0/0", "2026-01-02 1/1"}
	equal(t, want, h.daysOf(""))
	h.engine.answer = nil // nobody did anything: no line
	want = []string{"0/0", "2025-12-31 0/0", "2026-01-01 0/0", "2026-01-02 0/0"}
	equal(t, want, h.daysOf(""))
}

func TestCountsAreOfOneBrandOrOfAll(t *testing.T) {
	for query, want := range map[string]domain.BrandID{"": 0, "&brandID=2": 2} {
		for path, shape := range map[string]domain.Shape{"daily": domain.ShapeDaily, "services": domain.ShapeTimeline} {
			h := newFixture(t)
			w := h.get("/v1.1/activity/count/" + path + "?" + newYear + query)
			if w.Code != http.StatusOK {
				t.Fatalf("%s: %d %s", path, w.Code, w.Body)
			}
			if q := h.engine.asked[0]; q.Brand != want || q.Shape != shape || len(q.Groups) != 1 {
				t.Errorf("%s%s: %+v", path, query, q)
			}
		}
	}
}

func TestCountServicesIsATimeline(t *testing.T) {
	h := newFixture(t, always(&domain.Answer{Timeline: &domain.Timeline{First: 20453, Services: []domain.ServiceTimeline{
		{Service: domain.Spotify, Days: []domain.Count{{Actions: 2, Members: 1}}, Total: domain.Count{Actions: 2, Members: 1}},
	}}}))
	a, b := h.get("/v1.1/activity/count/services?brandID=1").Body.String(), h.get("/v1.1/brand/1/stats/timeline").Body.String()
	if a != b || !strings.Contains(a, `"service":"spotify"`) {
		t.Errorf("%s and %s", a, b)
	}
}
