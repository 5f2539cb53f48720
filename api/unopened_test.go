package api

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/keys/keystest"
	"github.com/ovation-analytics/ovation/api/personal"
)

// One member whose personal values cannot be opened fails no answer: it is shown without them, beside those
// that are shown whole, by every operation that reads members. It is named by its id. Nothing that a client
// sends takes the place of what is sealed.
func TestUnopened_FailsNoAnswer(t *testing.T) {
	harms := map[string]func(h *fixture, m *domain.Member){
		"the key is missing": func(h *fixture, m *domain.Member) { h.config.Keys.(*keystest.Keys).Delete(m.Personal.Key) },
		"the key is damaged": func(h *fixture, m *domain.Member) { h.config.Keys.(*keystest.Keys).Damage(m.Personal.Key) },
		"the part is damaged": func(_ *fixture, m *domain.Member) {
			b := []byte(m.Personal.Data)
			b[len(b)/2] ^= 1
			m.Personal.Data = string(b)
		},
		"the part is cut": func(_ *fixture, m *domain.Member) { m.Personal.Data = m.Personal.Data[:1] },
	}
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
				a, err := memberAnswers(0)(q)
				if err == nil && a.MemberList != nil {
					a.MemberList.Members = []domain.MemberID{4097, 8195}
				}
				return a, err
			})
			sealer := personal.NewSealer(h.config.Keys, 1<<20, slog.New(slog.DiscardHandler))
			put, err := sealer.Put(t.Context(), 1, nil, &domain.Personal{Profile: domain.Fields{{Field: domain.FirstName, Value: "Grace"}}})
			if err != nil {
				t.Fatal(err)
			}
			identity := testHasher{}.Identity(1, domain.ByService, "spotify", "u-7")
			harmed := *h.engine.members[4097]
			harmed.Profile = nil
			harmed.Services = []domain.ServiceRecord{{ID: 5, Application: 2, Service: domain.Spotify, Identity: identity, Created: 1e12}}
			harmed.Personal = domain.PersonalPart{Sealed: put.Sealed, Version: 1, Has: put.Has}
			h.engine.members[4097] = &harmed
			if w := h.get("/v1.1/member/4097"); !strings.Contains(w.Body.String(), "Grace") {
				t.Fatalf("whole: %s", w.Body)
			}
			harm(h, &harmed)
			sealed := harmed.Personal
			for _, target := range []string{
				"/v1.1/member/4097", "/v1.1/member/4097?showposition=1&showbrands=1&showactions=1", "/v1.1/member?email=ada@example.com",
				"/v1.1/members?fields=Score", "/v1.1/members?limit=2", extendedURL, "/v1.1/activity/feed", "/avatar/4097.svg", exportOfAda,
				"/v1.1/member/4097/explain?brand=1",
			} {
				w := h.get(target)
				if body := w.Body.String(); w.Code != http.StatusOK && w.Code != http.StatusNotFound || strings.Contains(body, "Grace") {
					t.Errorf("%s: %d %s", target, w.Code, body)
				}
			}
			if w := h.get("/v1.1/members?limit=2"); !strings.Contains(w.Body.String(), `"8195"`) || !strings.Contains(w.Body.String(), `"4097"`) {
				t.Errorf("the list is %s", w.Body)
			}
			for _, again := range []string{
				"/v1.1/member/register?service=spotify&uid=u-7&authtoken=tok&firstname=Other",
				"/v1.1/member/login?service=spotify&uid=u-7&authtoken=other&ip=192.0.2.7",
			} {
				if w := h.post(again, ""); w.Code != http.StatusOK {
					t.Errorf("%s: %d %s", again, w.Code, w.Body)
				}
				last := h.engine.submitted[len(h.engine.submitted)-1]
				if p := domain.PersonalOf(last.Command); p == nil || !p.Keeps() || p.Key != sealed.Key || p.Data != "" {
					t.Errorf("%s: the part is replaced by %+v", again, p)
				}
			}
			h.refused(h.post("/v1.1/member/4097/update", "firstname=Other"), domain.Unavailable, "")
			h.refused(h.post("/v1.1/member/4097/tokens/refresh", "service=spotify"), domain.Unavailable, "")
			survivor := *h.engine.members[8195]
			survivor.Absorbed = []domain.Absorbed{{Member: harmed.ID, Record: &harmed, Done: true}}
			h.engine.members[survivor.ID] = &survivor
			h.refused(h.post("/v1.1/member/8195/tokens/refresh", "service=spotify"), domain.Unavailable, "")
			if now := h.engine.members[harmed.ID].Personal; now.Data != sealed.Data || now.Key != sealed.Key || now.Version != sealed.Version {
				t.Errorf("the sealed part is %+v, was %+v", now, sealed)
			}
			ids, shown := h.api.Unopened()
			if !slices.Equal(ids, []domain.MemberID{harmed.ID}) || shown == 0 {
				t.Errorf("named are %v, %d times", ids, shown)
			}
			if log := h.log.String(); strings.Count(log, "cannot be opened") != 1 || strings.Contains(log, "Grace") {
				t.Errorf("the log says %s", log)
			}
		})
	}
}
