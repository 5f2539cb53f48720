package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/serve"
)

// outage is an engine of which one call that may wait fails, the one by whose number left becomes zero.
type outage struct {
	*fakeEngine
	left atomic.Int64
}

func (s *outage) fault() error {
	if s.left.Add(-1) == 0 {
		return domain.ErrUnavailable
	}
	return nil
}

func (s *outage) Submit(ctx context.Context, sub domain.Submission) (domain.Outcome, error) {
	if err := s.fault(); err != nil {
		return domain.Outcome{}, err
	}
	return s.fakeEngine.Submit(ctx, sub)
}

func (s *outage) SubmitAll(ctx context.Context, all []domain.Submission) []domain.Result {
	out := make([]domain.Result, len(all))
	for i, sub := range all {
		out[i].Outcome, out[i].Err = s.Submit(ctx, sub)
	}
	return out
}

func (s *outage) Ask(ctx context.Context, q *domain.Question, wait domain.Position) (*domain.Answer, error) {
	if err := s.fault(); err != nil {
		return nil, err
	}
	return s.fakeEngine.Ask(ctx, q, wait)
}

func (s *outage) Member(
	ctx context.Context, account domain.AccountID, id domain.MemberID, wait domain.Position,
) (*domain.Member, domain.Position, error) {
	if err := s.fault(); err != nil {
		return nil, domain.Position{}, err
	}
	return s.fakeEngine.Member(ctx, account, id, wait)
}

func (s *outage) Resolve(
	ctx context.Context, account domain.AccountID, kind domain.IdentityKind, hash domain.IdentityHash, wait domain.Position,
) (domain.MemberID, domain.Position, error) {
	if err := s.fault(); err != nil {
		return 0, domain.Position{}, err
	}
	return s.fakeEngine.Resolve(ctx, account, kind, hash, wait)
}

func (s *outage) ResolveAll(
	ctx context.Context, account domain.AccountID, names []domain.Name, wait domain.Position,
) ([]domain.MemberID, domain.Position, error) {
	if err := s.fault(); err != nil {
		return nil, domain.Position{}, err
	}
	return s.fakeEngine.ResolveAll(ctx, account, names, wait)
}

func (s *outage) Show(
	ctx context.Context, account domain.AccountID, items []domain.FeedItem, wait domain.Position,
) ([]domain.Shown, error) {
	if err := s.fault(); err != nil {
		return nil, err
	}
	return s.fakeEngine.Show(ctx, account, items, wait)
}

func (s *outage) Usage(
	ctx context.Context, q *domain.UsageQuestion, wait domain.Position,
) ([]domain.HourHits, domain.Position, error) {
	if err := s.fault(); err != nil {
		return nil, domain.Position{}, err
	}
	return s.fakeEngine.Usage(ctx, q, wait)
}

func (s *outage) Await(ctx context.Context, wait domain.Position) error {
	if err := s.fault(); err != nil {
		return err
	}
	return s.fakeEngine.Await(ctx, wait)
}

// withOutages is a fixture whose engine may fail.
func withOutages(t *testing.T) (*fixture, *outage) {
	t.Helper()
	h := newFixture(t)
	s := &outage{fakeEngine: h.engine}
	h.renew(func(c *Config) { c.Engine = s })
	return h, s
}

// Whichever call of the engine finds it unavailable, the answer is error 11 and says nothing else: no
// operation answers of what it has learnt until then. A stream that has begun ends without its end.
func TestOperations_EngineUnavailable(t *testing.T) {
	t.Parallel()
	failed := 0
	h, s := withOutages(t)
	for _, o := range Operations() {
		all := requestsOf(o)
		for _, r := range []requested{all[0], all[len(all)-1]} {
			for n := int64(1); ; n++ {
				if o.Method != http.MethodGet { // it may have changed what the engine has
					h, s = withOutages(t)
				}
				s.left.Store(n)
				w := h.do(o.Method, keyed(r.target, keyEnterprise), r.body)
				if s.left.Load() > 0 {
					break // it has no more calls
				}
				failed++
				if fault := unavailable(o, w); fault != "" {
					t.Errorf("%s %s %s: call %d: %s", o.Method, r.target, r.body, n, fault)
				}
			}
		}
	}
	if failed < 200 {
		t.Errorf("%d calls failed: the test shows little", failed)
	}
}

// unavailable says what is wrong with an answer to a request during an outage; empty: nothing.
func unavailable(o *serve.Operation, w *httptest.ResponseRecorder) string {
	if w.Code == http.StatusOK && o.Outcomes[0].Streamed && !strings.Contains(w.Body.String(), `"type":"end"`) {
		return ""
	}
	var p problem.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Error.Code != int(domain.Unavailable) || w.Code != http.StatusServiceUnavailable {
		return fmt.Sprintf("status %d: %.300s", w.Code, w.Body)
	}
	return ""
}
