package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// The engine's refusals of a question are the answer's: the bound is named, and what was
// given up is to be asked again.
func TestAQuestionThatIsRefusedOrGivenUpSaysSo(t *testing.T) {
	h := newFixture(t)
	for _, target := range []string{
		"/v1.1/brand/1/stats/activity", "/v1.1/brand/1/stats/timeline", "/v1.1/brand/1/stats/location", "/v1.1/activity/feed",
		"/v1.1/members/active", "/v1.1/brands/crossover", "/v1.1/activity/count/daily",
	} {
		h.engine.answer = func(*domain.Question) (*domain.Answer, error) {
			return nil, domain.Fail(domain.PlanLimit, "the question would read more than 500 rows")
		}
		w := h.get(target)
		h.refused(w, domain.PlanLimit, "")
		if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "500 rows") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		h.engine.answer = func(*domain.Question) (*domain.Answer, error) { return nil, domain.ErrUnavailable }
		w = h.get(target)
		h.refused(w, domain.Unavailable, "")
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}

// The engine is asked with the client's context: when the client goes away, so does it.
func TestTheEngineSeesThatTheClientWentAway(t *testing.T) {
	h := newFixture(t)
	ctx, leave := context.WithCancel(context.Background())
	met := false
	h.engine.await = func(asked context.Context, _ domain.Position) error {
		leave()
		met = asked.Err() != nil
		return domain.ErrUnavailable
	}
	target := "https://api.example/v1.1/brand/1/stats/activity?wait_for=" + wire.EncodePosition(domain.Position{Catalog: 9}) + "&apiKey=" + keyAdvanced
	w := httptest.NewRecorder()
	h.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil).WithContext(ctx))
	h.refused(w, domain.Unavailable, "")
	if !met {
		t.Error("the engine went on")
	}
}
