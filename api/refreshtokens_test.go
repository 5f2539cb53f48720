package api

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

const refreshPath = "/v1.1/member/8195/tokens/refresh"

// refreshing is withNetwork, whose network gives refresh-2 for refresh-1, and an engine that
// remembers requests by their ids.
func refreshing(t *testing.T) (*fixture, *network) {
	h, n := withNetwork(t)
	n.grants = map[string]string{
		"refresh-1": `{"access_token":"token-2","refresh_token":"refresh-2","expires_in":3600}`,
		"refresh-2": `{"access_token":"token-3"}`,
	}
	remembered := map[domain.RequestID]domain.Outcome{}
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		if out, known := remembered[s.Request]; known {
			out.Replayed = true
			return out, nil
		}
		remembered[s.Request] = h.engine.apply(s)
		return remembered[s.Request], nil
	}
	return h, n
}

// refresh asks for a new token with the key of the member's application.
func (h *fixture) refresh(params string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	return h.do(http.MethodPost, keyed(refreshPath, keyEnterprise), params, headers...)
}

// updates are the updates submitted that a member may take.
func (h *fixture) updates() (out []*domain.UpdateMember) {
	for _, s := range h.engine.submitted {
		if u, ok := s.Command.(*domain.UpdateMember); ok && u.Personal.Base != math.MaxUint32 {
			out = append(out, u)
		}
	}
	return out
}

// recordOf is the record of spotify of an envelope, in brief.
func recordOf(e wire.Envelope) [4]string {
	r := e.Services[slices.IndexFunc(e.Services, func(r wire.ServiceRecord) bool { return r.ID == "8193" })]
	return [4]string{r.Token, r.TokenSecret, r.Expires, r.Valid}
}

// A refresh replaces what the network gives, sealed, and makes the record valid; what the network
// leaves out stays, but for the time at which the token of before ended.
func TestRefreshTokens_Stored(t *testing.T) {
	h, n := refreshing(t)
	h.engine.members[8195].Services[0].Invalid = true
	e := answered[wire.Envelope](h, h.refresh("service=spotify"))
	equal(t, [4]string{"token-2", "refresh-2", "2026-03-15 13:34:56", "1"}, recordOf(e))
	equal(t, uint64(8195), e.Data.ID)
	u := h.updates()[0]
	equal(t, []domain.RecordUpdate{{
		ID: 8193, Validity: domain.TokenValid, Given: domain.Fields{{Field: domain.RecordExpires, Value: "2026-03-15 13:34:56"}},
	}}, u.Records)
	part := h.personalOf(&u.Personal).Service(3, domain.IdentityHash{8}).Fields
	equal(t, "token-2 refresh-2", part.Get(domain.RecordToken)+" "+part.Get(domain.RecordSecret))
	if s := h.engine.submitted; len(s) != 2 || s[1].Slot != domain.MemberID(8195).Slot() || u.At != now.UnixMilli() || e.JWT == "" {
		t.Errorf("%d submissions, %+v", len(s), u)
	}
	e = answered[wire.Envelope](h, h.refresh(`{"service":"THE SERVICE","serviceid":8193}`))
	equal(t, [4]string{"token-3", "refresh-2", "", "1"}, recordOf(e))
	equal(t, "refresh-1 refresh-2", n.refreshed())
}

// A network that refuses the refresh token makes the record invalid, and leaves the rest.
func TestRefreshTokens_Refused(t *testing.T) {
	h, n := refreshing(t)
	n.grants = nil
	e := answered[wire.Envelope](h, h.refresh("service=spotify"))
	equal(t, [4]string{"token-1", "refresh-1", "", "0"}, recordOf(e))
	n.grants = map[string]string{"refresh-1": `{"access_token":"token-2"}`}
	e = answered[wire.Envelope](h, h.refresh("service=spotify"))
	equal(t, [4]string{"token-2", "refresh-1", "", "1"}, recordOf(e))
}

// A token endpoint that is away, answers nothing useful or is not configured is error 11 with
// Retry-After, and the record stays.
func TestRefreshTokens_Unavailable(t *testing.T) {
	h, n := refreshing(t)
	h.engine.members[8195].Services[1].Service = domain.Deezer
	refused := func(params string) {
		t.Helper()
		w := h.refresh(params)
		h.refused(w, domain.Unavailable, "")
		if w.Header().Get("Retry-After") == "" || len(h.updates()) > 0 {
			t.Errorf("%s: no Retry-After, or an update", params)
		}
	}
	refused("service=deezer")
	equal(t, 0, len(h.engine.submitted))
	n.fail(true)
	refused("service=spotify")
	n.fail(false)
	for _, answer := range []string{"", "x", "{}", `{"access_token":"a\nb"}`, `{"access_token":"` + strings.Repeat("x", 70<<10) + `"}`} {
		n.grants["refresh-1"] = answer
		refused("service=spotify")
	}
	n.Close()
	refused("service=spotify")
	equal(t, "token-1", h.engine.members[8195].Services[0].Fields.Get(domain.RecordToken))
	if strings.Contains(h.log.String(), "refresh-1") || strings.Contains(h.log.String(), "token-1") {
		t.Errorf("logged: %s", h.log)
	}
}

// What the request names must be there: the member, a record of the service, a refresh token. No
// network is asked.
func TestRefreshTokens_Refusals(t *testing.T) {
	h, n := refreshing(t)
	h.refused(h.refresh(""), domain.MissingParameter, "service")
	h.refused(h.refresh("service="), domain.MissingParameter, "service")
	h.refused(h.refresh("service=custom"), domain.InvalidParameter, "service")
	h.refused(h.refresh("service=vinyl"), domain.InvalidParameter, "service")
	h.refused(h.refresh("service=spotify&service=spotify"), domain.InvalidParameter, "service")
	h.refused(h.refresh("service=spotify&serviceid=0"), domain.InvalidParameter, "serviceid")
	h.refused(h.refresh("service=spotify&serviceid=x"), domain.InvalidParameter, "serviceid")
	h.refused(h.refresh("service=twitter"), domain.NotFound, "service")
	h.refused(h.refresh("service=spotify&serviceid=8194"), domain.NotFound, "serviceid")
	h.refused(h.refresh("service=spotify&serviceid=5"), domain.NotFound, "serviceid")
	h.refused(h.refresh("service=email"), domain.Unavailable, "")
	for key, code := range map[string]domain.Code{
		keyStandard: domain.PlanRequired, keyStranger: domain.NotFound, keyPublic: domain.WrongApplication,
		keyGlobal: domain.WrongApplication, keyRevoked: domain.InvalidKey, keyAdvanced: domain.NotFound,
	} {
		w := h.do(http.MethodPost, keyed(refreshPath, key), "service=spotify")
		wants(t, key, w, code, map[string]string{keyRevoked: "apiKey", keyAdvanced: "service"}[key])
	}
	h.refused(h.post("/v1.1/member/4097/tokens/refresh", "service=spotify"), domain.Conflict, "service")
	h.refused(h.post("/v1.1/member/77/tokens/refresh", "service=spotify"), domain.NotFound, "")
	h.refused(h.post("/v1.1/member/x/tokens/refresh", "service=spotify"), domain.InvalidParameter, "memberid")
	if n.refreshed() != "" || len(h.engine.submitted) > 0 {
		t.Error("the network is asked, or something is submitted")
	}
}

// Without serviceid the record is the latest of the application; a record of another application is
// named by its id.
func TestRefreshTokens_WhichRecord(t *testing.T) {
	h, n := refreshing(t)
	m := h.engine.members[8195]
	older, foreign := m.Services[0], m.Services[0]
	older.ID, older.Created, older.Identity = 8000, 1e11, domain.IdentityHash{7}
	older.Fields = domain.Fields{{Field: domain.RecordSecret, Value: "older"}}
	foreign.ID, foreign.Created, foreign.Application = 9000, 2e12, 2
	foreign.Fields = domain.Fields{{Field: domain.RecordSecret, Value: "foreign"}}
	m.Services = append(m.Services, older, foreign)
	for params, want := range map[string]string{
		"service=spotify": "refresh-1", "service=spotify&serviceid=8000": "older", "service=spotify&serviceid=9000": "foreign",
	} {
		h.status(h.refresh(params), http.StatusOK, params)
		equal(t, want, n.refreshed(), params)
	}
}

// A repeat with the same Idempotency-Key gets the first outcome and asks no network, which would
// end the token that is stored.
func TestRefreshTokens_RepeatAsksOnce(t *testing.T) {
	for _, refused := range []bool{false, true} {
		h, n := refreshing(t)
		want := [4]string{"token-2", "refresh-2", "2026-03-15 13:34:56", "1"}
		if refused {
			n.grants = nil
			want = [4]string{"token-1", "refresh-1", "", "0"}
		}
		for i := range 3 {
			w := h.refresh("service=spotify", "Idempotency-Key", "k")
			equal(t, want, recordOf(answered[wire.Envelope](h, w)))
			equal(t, i > 0, w.Header().Get("Idempotent-Replayed") == "true")
		}
		equal(t, "refresh-1", n.refreshed())
		equal(t, 1, len(h.updates()), "the attempt of the probe is not used again")
	}
}

// A repeat after the network was away, or while a run before stopped halfway, asks again.
func TestRefreshTokens_RepeatWithoutAnOutcome(t *testing.T) {
	h, n := refreshing(t)
	n.fail(true)
	for range 2 {
		h.refused(h.refresh("service=spotify", "Idempotency-Key", "k"), domain.Unavailable, "")
	}
	n.fail(false)
	e := answered[wire.Envelope](h, h.refresh("service=spotify", "Idempotency-Key", "k"))
	equal(t, "token-2", recordOf(e)[0])
	equal(t, "refresh-1 refresh-1 refresh-1", n.refreshed())
}

// Of two runs of one request at the same time the first one submitted counts; a token of the other
// is stored too.
func TestRefreshTokens_RepeatAtTheSameTime(t *testing.T) {
	h, n := refreshing(t)
	memory := h.engine.outcome
	taken := false
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		if u := s.Command.(*domain.UpdateMember); u.Personal.Base == 0 && !taken { // the other run's update is there
			taken = true
			return domain.Outcome{Member: 8195, Replayed: true}, nil
		}
		return memory(s)
	}
	w := h.refresh("service=spotify", "Idempotency-Key", "k")
	equal(t, "token-2", recordOf(answered[wire.Envelope](h, w))[0])
	equal(t, "true", w.Header().Get("Idempotent-Replayed"))
	equal(t, "refresh-1", n.refreshed())
}

// A member that changes while the network is asked gets the new token; where the record has another
// refresh token by then, the network is asked by that one.
func TestRefreshTokens_MemberChangesMeanwhile(t *testing.T) {
	for secret, want := range map[string]string{"refresh-1": "token-2 refresh-1", "refresh-2": "token-3 refresh-1 refresh-2"} {
		h, n := refreshing(t)
		n.before = func() {
			n.before = nil
			m := *h.engine.members[8195]
			m.Services = slices.Clone(m.Services)
			m.Services[0].Fields = m.Services[0].Fields.With(domain.Fields{{Field: domain.RecordSecret, Value: secret}})
			m.Personal.Version = 7
			h.engine.members[8195] = &m
		}
		e := answered[wire.Envelope](h, h.refresh("service=spotify"))
		equal(t, want, recordOf(e)[0]+" "+n.refreshed())
		if u := h.updates(); u[len(u)-1].Personal.Base != 7 {
			t.Errorf("%+v", u)
		}
	}
}

// A client that gives up while the network is asked loses no token.
func TestRefreshTokens_ClientGone(t *testing.T) {
	h, n := refreshing(t)
	ctx, cancel := context.WithCancel(t.Context())
	n.before = cancel
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, keyed(refreshPath, keyEnterprise)+"&service=spotify", nil)
	w := httptest.NewRecorder()
	h.api.ServeHTTP(w, r)
	h.status(w, http.StatusOK)
	if u := h.updates(); len(u) == 0 || u[0].Records[0].Validity != domain.TokenValid {
		t.Errorf("%+v", u)
	}
}

// A log that takes no commands is error 11 before any network is asked.
func TestRefreshTokens_LogAway(t *testing.T) {
	h, n := refreshing(t)
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) { return domain.Outcome{}, domain.ErrUnavailable }
	h.refused(h.refresh("service=spotify"), domain.Unavailable, "")
	equal(t, "", n.refreshed())
}
