package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// newer has the engine's catalog be without what take removes until it is read to its end, and counts the
// readings.
func (h *fixture) newer(take func(*fakeEngine)) (readings *int) {
	h.t.Helper()
	s := h.engine
	keys, apps, brands, defs, segs := s.keys, s.apps, s.brands, s.defs, s.segs
	take(s)
	readings = new(int)
	s.readCatalog = func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		*readings++
		s.keys, s.apps, s.brands, s.defs, s.segs = keys, apps, brands, defs, segs
		return nil
	}
	return readings
}

// What another node has made a moment ago is known at once: the catalog is read to its end before a request is
// told that a key, a brand, an activity or a segment is unknown, once a request.
func TestNewerCatalog_IsReadBeforeUnknown(t *testing.T) {
	withoutKeys := func(s *fakeEngine) { s.keys = map[domain.KeyHash]*domain.Key{} }
	withoutBrands := func(s *fakeEngine) { s.brands = nil }
	withoutAll := func(s *fakeEngine) { s.brands, s.defs, s.segs = nil, nil, nil }
	for what, c := range map[string]struct {
		take   func(*fakeEngine)
		target string
	}{
		"a key":                    {withoutKeys, "/v1.1/brands"},
		"a brand of a path":        {withoutBrands, "/v1.1/brand/1"},
		"a brand of a statistic":   {withoutBrands, "/v1.1/brand/1/stats/activity"},
		"an activity":              {withoutAll, "/v1.1/activity/100"},
		"a segment":                {withoutAll, "/v1.1/segment/1"},
		"a brand and its activity": {withoutAll, "/v1.1/brand/1/stats/members?activityid=101"},
	} {
		h := newFixture(t)
		readings := h.newer(c.take)
		if w := h.get(c.target); w.Code != http.StatusOK || *readings != 1 {
			t.Errorf("%s: status %d after %d readings: %s", what, w.Code, *readings, w.Body)
		}
		if w := h.get(c.target); w.Code != http.StatusOK || *readings != 1 {
			t.Errorf("%s, once it is known: status %d after %d readings", what, w.Code, *readings)
		}
	}
}

// What is unknown at the end of the catalog is refused as ever, after one reading; an id that nothing can have
// costs none, and neither does a key that is revoked.
func TestNewerCatalog_UnknownAtItsEnd(t *testing.T) {
	for what, c := range map[string]struct {
		target    string
		code      domain.Code
		parameter string
		readings  int
	}{
		"a key":            {"/v1.1/brands?apiKey=nobody", domain.InvalidKey, "apiKey", 1},
		"a revoked key":    {"/v1.1/brands?apiKey=" + keyRevoked, domain.InvalidKey, "apiKey", 0},
		"a brand":          {"/v1.1/brand/77", domain.NotFound, "brandid", 1},
		"no brand":         {"/v1.1/brand/99999999999", domain.NotFound, "brandid", 0},
		"an activity":      {"/v1.1/activity/777", domain.NotFound, "activityid", 1},
		"a built-in one":   {"/v1.1/activity/3", domain.NotFound, "activityid", 0},
		"another's brand":  {"/v1.1/brand/1?apiKey=" + keyStranger, domain.NotFound, "brandid", 1},
		"a brand and more": {"/v1.1/brand/77/stats/members?activityid=777", domain.NotFound, "brandID", 1},
	} {
		h := newFixture(t)
		readings := h.newer(func(*fakeEngine) {})
		target := c.target
		if !strings.Contains(target, "apiKey") {
			target = keyed(target, keyAdvanced)
		}
		w := h.do(http.MethodGet, target, "")
		if h.refused(w, c.code, c.parameter); *readings != c.readings {
			t.Errorf("%s: %d readings, want %d", what, *readings, c.readings)
		}
	}
}

// Where the end of the catalog cannot be read, what is unknown is not refused: it may be there.
func TestNewerCatalog_EndIsNotKnown(t *testing.T) {
	h := newFixture(t)
	h.engine.readCatalog = func(context.Context) error { return domain.ErrUnavailable }
	h.refused(h.do(http.MethodGet, "/v1.1/brands?apiKey=nobody", ""), domain.Unavailable, "")
	for _, target := range []string{"/v1.1/brand/77", "/v1.1/activity/777", "/v1.1/segment/77"} {
		h.refused(h.get(target), domain.Unavailable, "")
	}
	h.status(h.get("/v1.1/brand/1"), http.StatusOK)
}

// A node that cannot tell whether keys were revoked takes none, of whatever kind they are; what asks for no key is answered.
func TestKeys_AreRefusedWhileTheyMayBeRevoked(t *testing.T) {
	h := newFixture(t)
	h.engine.keysHold = domain.Fail(domain.Unavailable, "ask another node")
	for _, key := range []string{keyAdvanced, keyGlobal, keyRevoked, "nobody"} {
		h.refused(h.do(http.MethodGet, keyed("/v1.1/brand/1", key), ""), domain.Unavailable, "")
	}
	h.refused(h.get("/v1.1/member", as("x")...), domain.Unavailable, "")
	h.status(h.do(http.MethodGet, "/openapi.json", ""), http.StatusOK)
	h.engine.keysHold = nil
	h.status(h.get("/v1.1/brand/1"), http.StatusOK)
}

// Requests that wait for a reading are bounded, and those of one account to half of that: others are answered.
func TestI8_NewerCatalogHasBoundedWaiters(t *testing.T) {
	h := newFixture(t)
	begun, release := make(chan struct{}, 512), make(chan struct{})
	h.engine.readCatalog = func(context.Context) error {
		begun <- struct{}{}
		<-release
		return nil
	}
	var all sync.WaitGroup
	for range 128 {
		all.Go(func() { h.do(http.MethodGet, "/v1.1/brands?apiKey=nobody", "") })
		all.Go(func() { h.get("/v1.1/brand/77") })
	}
	for range 256 {
		<-begun
	}
	h.refused(h.do(http.MethodGet, "/v1.1/brands?apiKey=nobody", ""), domain.Unavailable, "")
	h.refused(h.get("/v1.1/brand/78"), domain.RateLimited, "")
	h.status(h.get("/v1.1/brand/1"), http.StatusOK)
	close(release)
	all.Wait()
	h.refused(h.get("/v1.1/brand/78"), domain.NotFound, "brandid")
}

// Records of one body share a reading.
func TestNewerCatalog_RecordsOfOneBody(t *testing.T) {
	h := newFixture(t)
	readings := h.newer(func(s *fakeEngine) { s.brands, s.defs = nil, nil })
	body := `{"activityid":100,"brandid":1,"id":4097}` + "\n" + `{"activityid":100,"brandid":2,"id":4097}` + "\n" + `{"activityid":100,"brandid":77,"id":4097}`
	var out wire.RecordedMany
	h.ok(h.do(http.MethodPost, "/v1.1/activities/record?apiKey="+keyEnterprise, body, "Content-Type", "application/x-ndjson"), &out)
	if *readings != 1 || out.Accepted != 2 || out.Rejected != 1 {
		t.Errorf("%d readings, %+v", *readings, out)
	}
}

// A page may ask with a key that another node has made a moment ago: its preflight is judged by the newest catalog.
// One whose page is not allowed there either, or whose catalog cannot be read, is not allowed.
func TestNewerCatalog_OfAPreflight(t *testing.T) {
	h := withDomains(t)
	readings := h.newer(func(s *fakeEngine) { s.keys = map[domain.KeyHash]*domain.Key{} })
	ask := func(origin string) bool {
		w := h.do(http.MethodOptions, keyed("/v1.1/brands", keyAdvanced), "", "Origin", origin, "Access-Control-Request-Method", "GET")
		h.status(w, http.StatusNoContent)
		return len(granted(w)) > 0
	}
	for round := range 2 {
		if !ask("https://example.com") || *readings != 1 {
			t.Errorf("round %d: not allowed after %d readings", round, *readings)
		}
	}
	if ask("https://unlisted.example") || *readings != 2 {
		t.Errorf("an unlisted page, after %d readings", *readings)
	}
	h.engine.keys, h.engine.readCatalog = nil, func(context.Context) error { return domain.ErrUnavailable }
	if ask("https://example.com") {
		t.Error("allowed by a catalog that cannot be read")
	}
}

// A member that another node has registered a moment ago is known to a write at once: its log is read to its end
// before the write is refused. If that cannot be read, it is not known whether the member is there. A read takes
// what there is.
func TestNewerMembers_AreReadBeforeUnknown(t *testing.T) {
	for _, c := range []struct{ path, body string }{
		{"/v1.1/member/4097/update", "firstname=Ada"},
		{"/v1.1/member/4097/register", "service=deezer&uid=d-1&authtoken=t"},
		{"/v1.1/optin", "email=ada@example.com"},
		{"/v1.1/member/login", "service=spotify&uid=u-7&authtoken=t"},
	} {
		h := newFixture(t)
		members, names := h.engine.members, h.engine.names
		hidden := func() { h.engine.members, h.engine.names = map[domain.MemberID]*domain.Member{}, nil }
		hidden()
		readings, fails := 0, error(nil)
		h.engine.readMembers = func(context.Context, domain.Slot) error {
			readings++
			if fails == nil {
				h.engine.members, h.engine.names = members, names
			}
			return fails
		}
		fails = domain.ErrUnavailable
		h.refused(h.post(c.path, c.body), domain.Unavailable, "")
		fails = nil
		if w := h.post(c.path, c.body); w.Code != http.StatusOK || readings > 3 {
			t.Errorf("%s: status %d after %d readings: %s", c.path, w.Code, readings, w.Body)
		}
		hidden()
		readings = 0
		if w := h.get("/v1.1/member/4097"); w.Code != http.StatusNotFound || readings != 0 {
			t.Errorf("a read: status %d after %d readings: %s", w.Code, readings, w.Body)
		}
	}
}

// A write that needs a service record of the member takes one that another node has given it a moment ago.
func TestNewerMembers_RecordsAreReadBeforeUnknown(t *testing.T) {
	for _, c := range []struct {
		member     domain.MemberID
		path, body string
	}{
		{4097, "/v1.1/member/4097/verify", "service=spotify&verified_email=ada@example.com"},
		{4097, "/v1.1/member/4097/update", "activity_sharing_enabled=0&service=spotify"},
		{8195, "/v1.1/member/8195/reset", "email=bob@example.com&password=correct+horse"},
		{8195, refreshPath, "service=spotify"},
	} {
		h, _ := refreshing(t)
		as := map[domain.MemberID]string{4097: keyAdvanced, 8195: keyEnterprise}[c.member]
		before := *h.engine.members[c.member]
		behind := before
		behind.Services = []domain.ServiceRecord{{ID: 6, Application: before.Application, Service: domain.Deezer, UID: "d-1"}}
		h.engine.members[c.member] = &behind
		readings, fails := 0, domain.ErrUnavailable
		h.engine.readMembers = func(context.Context, domain.Slot) error {
			if readings++; fails != nil {
				return fails
			}
			h.engine.members[c.member] = &before
			return nil
		}
		h.refused(h.do(http.MethodPost, keyed(c.path, as), c.body), domain.Unavailable, "")
		fails = nil
		if w := h.do(http.MethodPost, keyed(c.path, as), c.body); w.Code != http.StatusOK || readings != 2 {
			t.Errorf("%s: status %d after %d readings: %s", c.path, w.Code, readings, w.Body)
		}
	}
}

// A token proves that its member is there. One that another node has made a moment ago is known at once: a read too looks
// for it at the end of the member's log before it is refused. If that cannot be read, it is not known whose the token is.
func TestNewerMembers_TokensAreReadBeforeRefused(t *testing.T) {
	for what, c := range map[string]struct {
		method, path, body string
		of                 domain.MemberID
		bearer             bool
		refusal            domain.Code // where the token was never made
	}{
		"an access token":         {http.MethodGet, "/v1.1/auth?accessToken=" + adasToken, "", 4097, false, domain.NoAccount},
		"an access token, posted": {http.MethodPost, "/v1.1/auth", "accessToken=" + adasToken, 4097, false, domain.NoAccount},
		"one for a merge":         {http.MethodPost, mergePath, bobs, 8195, false, domain.WrongPassword},
		"a Bearer":                {http.MethodGet, "/v1.1/member", "", 4097, true, domain.NotFound},
		"a Bearer of auth":        {http.MethodGet, "/v1.1/auth", "", 4097, true, domain.NotFound},
		"a Bearer, posted":        {http.MethodPost, "/v1.1/member/4097/update", "firstname=Ada", 4097, true, domain.NotFound},
	} {
		for _, unknown := range []bool{true, false} { // the node that is behind does not know the member, or knows its token before
			if c.bearer && !unknown {
				continue // it says nothing of what the member has
			}
			t.Run(fmt.Sprintf("%s, of an unknown member %t", what, unknown), func(t *testing.T) {
				h := newFixture(t)
				var headers []string
				if c.bearer {
					headers = as(h.jwtOf(c.of, keyAdvanced))
				}
				now := h.engine.members[c.of]
				behind := func() {
					if delete(h.engine.members, c.of); !unknown {
						was := *now
						was.TokenMade--
						h.engine.members[c.of] = &was
					}
				}
				ask := func() *httptest.ResponseRecorder {
					return h.do(c.method, keyed(c.path, keyAdvanced), c.body, headers...)
				}
				behind()
				h.engine.readMembers = func(context.Context, domain.Slot) error { return domain.ErrUnavailable }
				h.refused(ask(), domain.Unavailable, "")
				readings := 0
				h.engine.readMembers = func(_ context.Context, slot domain.Slot) error {
					if readings++; slot != c.of.Slot() {
						t.Errorf("slot %d, want %d", slot, c.of.Slot())
					}
					h.engine.members[c.of] = now
					return nil
				}
				if h.status(ask(), http.StatusOK); readings != 1 {
					t.Errorf("%d readings", readings)
				}
				behind()
				h.engine.readMembers = func(context.Context, domain.Slot) error { return nil }
				w, refusal := ask(), c.refusal
				if unknown && refusal == domain.WrongPassword {
					refusal = domain.NotFound
				}
				if p, _ := problemOf(w); p.Error.Code != int(refusal) {
					t.Errorf("never made: want code %d: %s", refusal, w.Body)
				}
			})
		}
	}
}

// naming are answers that name brands, activities and segments which their question does not.
var naming = map[string]struct {
	target string
	answer asked
}{
	"the feed":                   {"/v1.1/activity/feed", fed(2)},
	"the feed as RSS":            {"/v1.1/activity/feed.rss", fed(2)},
	"popular brands":             {"/v1.1/brands/crossover", nil},
	"active members":             {"/v1.1/members/active", nil},
	"totals of members":          {"/v1.1/members/stats/activity", nil},
	"the brands of a member":     {"/v1.1/member/4097?showbrands=1", nil},
	"the actions of a member":    {"/v1.1/member/4097?showactions=1", fed(2)},
	"the opt-ins of a member":    {"/v1.1/member/4097", nil},
	"the export of a member":     {exportOfAda, timeline(2, nil)},
	"the Extended nodes of some": {"/v1.1/members?fields=Extended", summarizedList},
}

// summarizedList answers what a list of the member 4097 with its Extended node asks.
func summarizedList(q *domain.Question) (*domain.Answer, error) {
	switch q.Shape {
	case domain.ShapeSummaries:
		return summarized(q)
	case domain.ShapeLeaders:
		return &domain.Answer{Leaders: &domain.Leaders{}}, nil
	}
	return &domain.Answer{MemberList: &domain.MemberList{Members: []domain.MemberID{4097}, Total: 1}}, nil
}

// optedIn has the member 4097 opt in to a brand and to a segment.
func (h *fixture) optedIn() *fixture {
	m := *h.engine.members[4097]
	m.Opts = []domain.OptState{
		{Opt: domain.Opt{Kind: domain.OptBrand, ID: 2}, In: true}, {Opt: domain.Opt{Kind: domain.OptSegment, ID: 1}, In: true},
	}
	h.engine.members[4097] = &m
	return h
}

// An answer may name what another node has made a moment ago: the catalog is read to its end before it is shown,
// once an answer, so that no name is blank and nothing is left out as if it were deleted.
func TestNewerCatalog_IsReadBeforeNamesAreShown(t *testing.T) {
	for what, c := range naming {
		t.Run(what, func(t *testing.T) {
			known := newFixture(t, c.answer).optedIn().get(c.target)
			h := newFixture(t, c.answer).optedIn()
			readings := h.newer(func(s *fakeEngine) {
				s.brands, s.segs = nil, nil
				s.defs = s.defs[:1] // questions name the others
			})
			w := h.get(c.target)
			h.status(known, http.StatusOK)
			h.status(w, http.StatusOK)
			equal(t, withoutToken(known.Body.String()), withoutToken(w.Body.String()))
			if *readings != 1 {
				t.Errorf("%d readings", *readings)
			}
		})
	}
}

// withoutToken is an answer without the member's token, which has a time.
func withoutToken(body string) string {
	return regexp.MustCompile(`"jwt":"[^"]*"`).ReplaceAllString(body, "")
}

// Where the end of the catalog cannot be read, an answer that names what the node does not know is refused: no
// name is blank.
func TestNewerCatalog_NamesAreNotKnown(t *testing.T) {
	for what, c := range naming {
		t.Run(what, func(t *testing.T) {
			h := newFixture(t, c.answer).optedIn()
			h.newer(func(s *fakeEngine) { s.brands, s.segs, s.defs = nil, nil, s.defs[:1] })
			h.engine.readCatalog = func(context.Context) error { return domain.ErrUnavailable }
			h.refused(h.get(c.target), domain.Unavailable, "")
		})
	}
}
