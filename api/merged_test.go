package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// merge has the fixture's member 4097, who holds the service user u-7 and ada@example.com, be merged
// into 8195.
func (h *fixture) merge() {
	m := *h.engine.members[4097]
	m.Services = slices.Clone(m.Services)
	m.Services[0].Identity = testHasher{}.Identity(1, domain.ByService, "spotify", "u-7")
	m.Lent = &domain.Loan{To: 8195, Done: true}
	h.engine.members[4097] = &m
}

// What is addressed to an identity of a merged member is a command to that one's own record; the answer
// is the survivor.
func TestMerged_IdentitiesGoOn(t *testing.T) {
	h := newFixture(t)
	h.merge()
	if e := answered[wire.Envelope](h, h.post("/v1.1/member/login", "service=spotify&uid=u-7&authtoken=tok")); e.Data.ID != 8195 {
		t.Errorf("a login: %+v", e.Data)
	}
	if l := h.logins(); len(l) != 1 || l[0].Member != 4097 || h.engine.submitted[0].Slot != domain.MemberID(4097).Slot() {
		t.Errorf("%+v", l)
	}
	if e := answered[wire.Envelope](h, h.get("/v1.1/member?email=ada@example.com")); e.Data.ID != 8195 {
		t.Errorf("by email: %+v", e.Data)
	}
}

// An opt-in by a name of a merged member is that one's own; an opt-out is of all who are merged. The
// answer is the survivor.
func TestMerged_OptsByName(t *testing.T) {
	h := newFixture(t)
	h.merge()
	const name = "email=ada@example.com"
	for path, want := range map[string]domain.Command{
		"/v1.1/optin":  &domain.OptIn{Member: 4097, Opt: domain.Opt{Kind: domain.OptGlobal}, At: now.UnixMilli()},
		"/v1.1/optout": &domain.OptOut{Member: 8195, Opt: domain.Opt{Kind: domain.OptGlobal}, At: now.UnixMilli()},
	} {
		e := answered[wire.Envelope](h, h.post(path, name))
		s := h.engine.submitted[len(h.engine.submitted)-1]
		if equal(t, want, s.Command); e.Data.ID != 8195 {
			t.Errorf("%s: %+v", path, e.Data)
		}
	}
}

// Who is merged with a member has registered where that one has: a strict login by its identity is taken
// on the domains of both.
func TestMerged_StrictLogin(t *testing.T) {
	h := newFixture(t)
	for id, site := range map[domain.MemberID]string{4097: "ada.example", 8195: "bob.example"} {
		m := *h.engine.members[id]
		m.Services = slices.Clone(m.Services)
		m.Services[0].Domains = []string{site}
		h.engine.members[id] = &m
	}
	const login = "service=spotify&uid=u-7&authtoken=tok&strict_sso=1&domain="
	strict := func(site string) bool {
		h.engine.submitted = nil
		h.status(h.post("/v1.1/member/login", login+site), http.StatusOK)
		return h.logins()[0].Strict
	}
	if !strict("bob.example") {
		t.Error("the domain of another member")
	}
	h.merge()
	if strict("bob.example") || !strict("ada.example") || !strict("eve.example") {
		t.Error("the domains of a merged member")
	}
}

// An id of a merged member is gone; nothing is recorded for it, whether the outcome is awaited or not.
func TestMerged_IDIsGone(t *testing.T) {
	h := newFixture(t)
	h.merge()
	h.refused(h.get("/v1.1/member/4097"), domain.Gone, "")
	for _, async := range []string{"0", "1"} {
		w := h.post("/v1.1/activity/record", "activityid=100&brandid=1&id=4097&async="+async)
		if h.refused(w, domain.Gone, "id"); !strings.HasSuffix(w.Header().Get("Location"), "/v1.1/member/8195") {
			t.Errorf("async=%s: Location %q", async, w.Header().Get("Location"))
		}
		w = h.post("/v1.1/activities/record?async="+async, `{"activityid":100,"brandid":1,"id":4097}`)
		if !strings.Contains(w.Body.String(), `"rejected":1`) || !strings.Contains(w.Body.String(), `"error":{"code":16,`) {
			t.Errorf("async=%s: %s", async, w.Body)
		}
	}
	if n := len(h.engine.submitted); n > 0 {
		t.Errorf("%d submissions", n)
	}
}

// A poll of an answer that names a merged member asks whether that one's record has changed, and what
// the survivor did.
func TestMerged_PollFollowsTheSurvivor(t *testing.T) {
	h := newFixture(t, always(&domain.Answer{Tally: &domain.Tally{}, Merged: []domain.MergedMember{{Member: 4097, Into: 8195}}}))
	seen := h.unchanged()
	const target = "/v1.1/brand/1/stats/activity?members=4097"
	if w := h.get(target, "If-None-Match", h.get(target).Header().Get("Etag")); w.Code != http.StatusNotModified {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	f := (*seen)[0]
	slices.Sort(f.Among)
	equal(t, []domain.MemberID{4097}, f.Members, "records")
	equal(t, []domain.MemberID{4097, 8195}, f.Among, "members")
}

// Two ways to choose members agree on a merged one, whichever of them names the survivor.
func TestMerged_ChosenTwice(t *testing.T) {
	h := newFixture(t)
	h.merge()
	for _, query := range []string{"emails=ada@example.com&members=8195", "emails=ada@example.com&id=8195", "members=4097&id=8195"} {
		h.get("/v1.1/brand/1/stats/activity?" + query)
		q := h.engine.asked[len(h.engine.asked)-1]
		equal(t, []domain.MemberID{8195}, q.Filter.Members, query)
	}
}
