package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A request that finds no room until it may wait no longer is 503, and is to be repeated.
func TestInFlight_NoRoomIsUnavailable(t *testing.T) {
	h := newHouse(t)
	h.renew(func(c *Config) { c.InFlightBytes = 2 })
	w := httptest.NewRecorder()
	answer := h.engine.Ask
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) { // while the first is under way
		ctx, leave := context.WithCancel(t.Context())
		leave()
		target := "https://api.example/v1.1/members?limit=1000&apiKey=" + keyAdvanced
		h.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil).WithContext(ctx))
		h.engine.answer = nil
		return answer(t.Context(), q, domain.Position{})
	}
	for range 2 {
		if first := h.get("/v1.1/brand/1/stats/activity"); first.Code != http.StatusOK {
			t.Errorf("%d, and there is room", first.Code)
		}
	}
	h.refused(w, domain.Unavailable, "")
}
