package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// bobsToken is the access token of member 8195.
const bobsToken = "2e512834a0418c7f93ded89ec9188bde_1000000000"

const (
	mergePath   = "/v1.1/member/4097/merge"
	unmergePath = "/v1.1/member/4097/unmerge"
	bobs        = "from=8195&accesstoken=" + bobsToken
)

// A merge submits its command to the slot of the member that stays; the answer is that one's envelope
// with the service records of both. It is the same where the two are merged already.
func TestMerge_Envelope(t *testing.T) {
	h := newFixture(t)
	first := answered[wire.Envelope](h, h.post(mergePath, bobs))
	last := h.engine.submitted[0]
	equal(t, &domain.MergeMembers{Member: 4097, From: 8195}, last.Command.(*domain.MergeMembers))
	if last.Slot != domain.MemberID(4097).Slot() || last.Account != 1 {
		t.Errorf("%+v", last)
	}
	if first.Data.ID != 4097 || len(first.Services) != 3 || *first.Data.FirstName != "Ada" || first.Data.AccessToken != adasToken {
		t.Errorf("%+v", first)
	}
	again := answered[wire.Envelope](h, h.post(mergePath, bobs))
	again.JWT = first.JWT
	equal(t, first, again)
	h.refused(h.post("/v1.1/auth", "accesstoken="+bobsToken), domain.NoAccount, "accessToken")
	if strings.Contains(h.log.String(), bobsToken) {
		t.Error("the access token is logged")
	}
}

// Where both have a value that of the member that stays is shown, whichever of the two it is.
func TestMerge_BothOrders(t *testing.T) {
	for _, c := range []struct{ path, from, name string }{
		{"/v1.1/member/4097/merge", "from=8195&accesstoken=" + bobsToken, "Ada"},
		{"/v1.1/member/8195/merge", "from=4097&accesstoken=" + adasToken, "Bob"},
	} {
		h := newFixture(t)
		h.engine.members[8195].Profile = domain.Fields{{Field: domain.FirstName, Value: "Bob"}, {Field: domain.City, Value: "Rome"}}
		e := answered[wire.Envelope](h, h.post(c.path, c.from))
		if *e.Data.FirstName != c.name || *e.Data.City != "Rome" || *e.Data.CountryCode != "DE" || len(e.Services) != 3 {
			t.Errorf("%s: %+v", c.path, e)
		}
	}
}

// Each fault of a merge has its code and parameter, and changes nothing.
func TestMerge_Refused(t *testing.T) {
	h := withOther(t)
	h.api.Config.Logger = discarded
	for _, c := range []struct {
		path, params string
		code         domain.Code
		parameter    string
	}{
		{mergePath, "accesstoken=" + bobsToken, domain.MissingParameter, "from"},
		{mergePath, "from=8195", domain.MissingParameter, "accesstoken"},
		{mergePath, "from=x&accesstoken=" + bobsToken, domain.InvalidParameter, "from"},
		{mergePath, "from=0&accesstoken=" + bobsToken, domain.InvalidParameter, "from"},
		{mergePath, "from=9007199254740992&accesstoken=" + bobsToken, domain.InvalidParameter, "from"},
		{mergePath, "from=4097&accesstoken=" + adasToken, domain.InvalidParameter, "from"},
		{mergePath, bobs + "&from=8195", domain.InvalidParameter, "from"},
		{mergePath, "from=8195&accesstoken=" + strings.Repeat("0", 8193), domain.InvalidParameter, "accesstoken"},
		{"/v1.1/member/x/merge", bobs, domain.InvalidParameter, "memberid"},
		{"/v1.1/member/77/merge", bobs, domain.NotFound, ""},
		{"/v1.1/member/12290/merge", bobs, domain.NotFound, ""},
		{mergePath, "from=77&accesstoken=" + bobsToken, domain.NotFound, "from"},
		{mergePath, "from=12290&accesstoken=" + bobsToken, domain.NotFound, "from"},
		{mergePath, "from=8195&accesstoken=" + adasToken, domain.WrongPassword, "accesstoken"},
		{mergePath, "from=8195&accesstoken=wrong", domain.WrongPassword, "accesstoken"},
		{mergePath, "from=8195&accesstoken=" + bobsToken[:32] + "_1000000001", domain.WrongPassword, "accesstoken"},
		{mergePath, "from=4102&accesstoken=" + bobsToken, domain.Gone, "from"},
		{"/v1.1/member/4102/merge", bobs, domain.Gone, ""},
	} {
		h.refused(h.post(c.path, c.params), c.code, c.parameter)
	}
	h.refused(h.do(http.MethodPost, mergePath, bobs), domain.MissingKey, "apiKey")
	h.refused(h.do(http.MethodPost, keyed(mergePath, keyPublic), bobs), domain.WrongApplication, "")
	h.refused(h.do(http.MethodPost, keyed(mergePath, keyGlobal), bobs), domain.WrongApplication, "")
	h.refused(h.do(http.MethodPost, keyed(mergePath, keyStranger), bobs), domain.NotFound, "")
	h.refused(h.get(mergePath), domain.MethodNotAllowed, "")
	if n := len(h.engine.submitted); n > 0 {
		t.Errorf("%d submissions", n)
	}
	gone := erased(t)
	gone.refused(gone.post("/v1.1/member/4097/merge", bobs), domain.Gone, "")
	gone.refused(gone.post("/v1.1/member/4102/merge", bobs), domain.Gone, "")
}

// A repeat with the same Idempotency-Key changes nothing and gets the same answer, also once the merge
// was taken back; with another body it is a conflict.
func TestMerge_Repeat(t *testing.T) {
	h := newFixture(t)
	h.remembering()
	h.status(h.post(mergePath, bobs, "Idempotency-Key", "m-1"), http.StatusOK)
	w := h.post(mergePath, bobs, "Idempotency-Key", "m-1")
	equal(t, "true", w.Header().Get("Idempotent-Replayed"))
	equal(t, 3, len(answered[wire.Envelope](h, w).Services))
	h.status(h.post(unmergePath, "from=8195", "Idempotency-Key", "m-2"), http.StatusOK)
	w = h.post(unmergePath, "from=8195", "Idempotency-Key", "m-2")
	equal(t, "true", w.Header().Get("Idempotent-Replayed"))
	equal(t, 2, len(answered[[]wire.Envelope](h, w)))
	w = h.post(mergePath, bobs, "Idempotency-Key", "m-1")
	equal(t, "true", w.Header().Get("Idempotent-Replayed"))
	equal(t, 1, len(answered[wire.Envelope](h, w).Services))
}

// A repeat has the outcome of the first also where it would be refused by now: the survivor was merged
// itself, or the token given is another one. What was refused is refused again, in the same words.
func TestMerge_RepeatOfWhatIsRefusedByNow(t *testing.T) {
	h := newFixture(t)
	h.remembering()
	const third = "/v1.1/member/4101"
	h.status(h.post(mergePath, bobs, "Idempotency-Key", "m-1"), http.StatusOK)
	wrong := h.post(mergePath, "from=8195&accesstoken="+adasToken, "Idempotency-Key", "m-1")
	h.refused(wrong, domain.Conflict, domain.KeyMisused.Parameter)
	equal(t, "", wrong.Header().Get("Idempotent-Replayed"))
	h.status(h.post(third+"/merge", "from=4097&accesstoken="+adasToken), http.StatusOK)
	again := h.post(mergePath, bobs, "Idempotency-Key", "m-1")
	equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	equal(t, 4101, int(answered[wire.Envelope](h, again).Data.ID))
	for range 2 { // not known, and known as refused
		h.isMerged("merge", h.post(mergePath, bobs, "Idempotency-Key", "m-2"), third+"/merge")
		h.isMerged("unmerge", h.post(unmergePath, "from=8195", "Idempotency-Key", "u-2"), third+"/unmerge")
		h.refused(h.post(third+"/merge", bobs, "Idempotency-Key", "x-2"), domain.Gone, "from")
		h.refused(h.post(third+"/merge", "from=4097&accesstoken=wrong", "Idempotency-Key", "m-3"), domain.WrongPassword, "accesstoken")
	}
}

// Taking a merge back answers both members, each as it was; the token of the second is good again.
func TestUnmerge_Envelopes(t *testing.T) {
	h := newFixture(t)
	before := [2]string{h.get("/v1.1/member/4097").Body.String(), h.get("/v1.1/member/8195").Body.String()}
	h.status(h.post(mergePath, bobs), http.StatusOK)
	both := answered[[]wire.Envelope](h, h.post(unmergePath, "from=8195"))
	if len(both) != 2 || both[0].Data.ID != 4097 || both[1].Data.ID != 8195 || len(both[0].Services) != 1 || len(both[1].Services) != 2 {
		t.Errorf("%+v", both)
	}
	equal(t, before, [2]string{h.get("/v1.1/member/4097").Body.String(), h.get("/v1.1/member/8195").Body.String()})
	h.status(h.post("/v1.1/auth", "accesstoken="+bobsToken), http.StatusOK)
}

// Each fault of taking a merge back has its code and parameter.
func TestUnmerge_Refused(t *testing.T) {
	h := withOther(t)
	h.api.Config.Logger = discarded
	h.status(h.post(mergePath, bobs), http.StatusOK)
	for _, c := range []struct {
		path, params string
		code         domain.Code
		parameter    string
	}{
		{unmergePath, "", domain.MissingParameter, "from"},
		{unmergePath, "from=x", domain.InvalidParameter, "from"},
		{unmergePath, "from=77", domain.NotFound, "from"},
		{unmergePath, "from=12290", domain.NotFound, "from"},
		{unmergePath, "from=4097", domain.NotFound, "from"},
		{unmergePath, "from=4102", domain.NotFound, "from"},
		{"/v1.1/member/77/unmerge", "from=8195", domain.NotFound, ""},
		{"/v1.1/member/12290/unmerge", "from=8195", domain.NotFound, ""},
		{"/v1.1/member/8195/unmerge", "from=4097", domain.Gone, ""},
	} {
		h.refused(h.post(c.path, c.params), c.code, c.parameter)
	}
	h.refused(h.do(http.MethodPost, keyed(unmergePath, keyStandard), "from=8195"), domain.PlanRequired, "")
	h.refused(h.do(http.MethodPost, keyed(unmergePath, keyStranger), "from=8195"), domain.NotFound, "")
	h.status(h.post(unmergePath, "from=8195"), http.StatusOK)
	h.refused(h.post(unmergePath, "from=8195"), domain.NotFound, "from")
}

// isMerged requires a whole problem that names the survivor.
func (h *fixture) isMerged(what string, w *httptest.ResponseRecorder, location string) {
	h.t.Helper()
	if p, ok := problemOf(w); !ok || p.Error.Code != int(domain.Gone) || w.Header().Get("Location") != location {
		h.t.Errorf("%s: %d, Location %q, want %q: %s", what, w.Code, w.Header().Get("Location"), location, w.Body)
	}
}

// In each operation the id of a merged member is error 16: in the path with the address of the same of
// the survivor, as a parameter with that of the survivor. In a list of members it is no error.
func TestMerged_IDsAreGone(t *testing.T) {
	tried, listed := 0, 0
	for _, o := range Operations() {
		h := newFixture(t)
		h.api.Config.Logger = discarded
		h.status(h.post("/v1.1/member/4101/merge", "from=4097&accesstoken="+adasToken), http.StatusOK)
		h.status(h.post("/v1.1/member/4101/merge", bobs), http.StatusOK)
		inPath := strings.Contains(o.Path, inPathOfMember)
		switch {
		case o.Each != nil: // an error of the item
		case inPath:
			tried++
			a := askingFor(o)
			for _, id := range []string{"4097", "8195", "4102"} {
				if a.params.Get("from") == id { // a merge into itself
					continue
				}
				path := pathOf(o, a, id)
				w := h.do(o.Method, keyed(path, keyEnterprise)+"&"+a.params.Encode(), "")
				h.isMerged(o.Name()+" "+path, w, pathOf(o, a, "4101"))
			}
		case hasParam(o, "id") && o.ID != "redeliver": // whose id is a message's
			tried++
			more := "&id=4097"
			if _, params := exampled(o); params.Has("id") {
				more = ""
			}
			h.isMerged(o.Name(), h.sentTo(o, more), "/v1.1/member/4101")
		}
		for _, list := range []string{"members", "exclude_members"} {
			if hasParam(o, list) && !inPath {
				listed++
				h.status(h.sentTo(o, "&"+list+"=4097"), http.StatusOK, o.Name(), list)
			}
		}
	}
	if t.Logf("%d operations, %d lists", tried, listed); tried < 25 || listed < 30 {
		t.Error("the operations are not found by their parameters")
	}
}

const inPathOfMember = ":memberid"

// pathOf is the path of an example with another member.
func pathOf(o *serve.Operation, a asking, id string) string {
	at := strings.Index(o.Path, inPathOfMember)
	_, rest, more := strings.Cut(a.path[at:], "/")
	if more {
		rest = "/" + rest
	}
	return a.path[:at] + id + rest
}

// The Bearer of a merged member is gone.
func TestMerged_Bearer(t *testing.T) {
	h := newFixture(t)
	raw := h.jwtOf(4097, keyAdvanced)
	h.status(h.post("/v1.1/member/4101/merge", "from=4097&accesstoken="+adasToken), http.StatusOK)
	bearer := []string{"Authorization", "Bearer " + raw}
	h.isMerged("show", h.get("/v1.1/member", bearer...), "/v1.1/member/4101")
	h.isMerged("auth", h.get("/v1.1/auth", bearer...), "/v1.1/member/4101")
	h.isMerged("by id", h.get("/v1.1/member/4097", bearer...), "/v1.1/member/4101")
}

// absorbed is a fixture whose member 8195 is merged into 4097.
func absorbed(t *testing.T) *fixture {
	t.Helper()
	h := newFixture(t)
	h.status(h.post(mergePath, bobs), http.StatusOK)
	h.engine.submitted = nil
	return h
}

// commands are those submitted since, each to the slot of its member.
func (h *fixture) commands() (out []domain.Command) {
	h.t.Helper()
	for i := range h.engine.submitted {
		s := &h.engine.submitted[i]
		if id := memberOf(s); s.Slot != id.Slot() {
			h.t.Errorf("%+v is submitted to slot %d", s.Command, s.Slot)
		}
		out = append(out, s.Command)
	}
	h.engine.submitted = nil
	return out
}

// What is about a service record, an identity or an action of a merged member is a command to that
// member; the answer is the survivor.
func TestMerged_CommandsGoToTheOwner(t *testing.T) {
	for name, c := range map[string]struct {
		path, params string
		want         []domain.MemberID
	}{
		"removal of one of its records": {"/v1.1/member/4097/service/8193/delete", "", []domain.MemberID{8195}},
		"removal of the survivor's":     {"/v1.1/member/4097/service/5/delete", "", []domain.MemberID{4097}},
		"reset of its address":          {"/v1.1/member/4097/reset", "email=bob@example.com&password=correct+horse", []domain.MemberID{8195, 4097}},
		"verification on its record":    {"/v1.1/member/4097/verify", "service=email&verified_email=b@example.com&apiKey=" + keyAdvanced, []domain.MemberID{8195}},
		"verification on the survivor's": {
			"/v1.1/member/4097/verify", "service=spotify&serviceid=5&verified_email=b@example.com&apiKey=" + keyAdvanced, []domain.MemberID{4097},
		},
		"sharing of all":              {"/v1.1/member/4097/update", "activity_sharing_enabled=0", []domain.MemberID{4097, 8195}},
		"sharing of its service":      {"/v1.1/member/4097/update", "activity_sharing_enabled=0&service=email", []domain.MemberID{4097, 8195}},
		"a profile":                   {"/v1.1/member/4097/update", "bio=x", []domain.MemberID{4097}},
		"a login address":             {"/v1.1/member/4097/update", "email=n@example.com", []domain.MemberID{8195, 4097}},
		"a registration of its user":  {"/v1.1/member/4097/register", "service=email&email=bob@example.com&password=correct+horse", []domain.MemberID{8195}},
		"a registration of a new one": {"/v1.1/member/4097/register", "service=lastfm&uid=n&authtoken=t", []domain.MemberID{4097}},
		"a deletion of its action":    {"/v1.1/member/4097/activity/12291/delete", "", []domain.MemberID{4097, 8195}},
		"a token refresh":             {"/v1.1/member/4097/tokens/refresh", "service=spotify&serviceid=8193&apiKey=" + keyEnterprise, []domain.MemberID{8195, 8195}},
		"an opt-in":                   {"/v1.1/optin", "id=4097", []domain.MemberID{4097}},
	} {
		t.Run(name, func(t *testing.T) {
			h := absorbed(t)
			params, key, of := strings.Cut(c.params, "&apiKey=")
			if !of {
				key = keyAdvanced
			}
			w := h.do(http.MethodPost, keyed(c.path, key), params)
			var got []domain.MemberID
			for i := range h.engine.submitted {
				got = append(got, memberOf(&h.engine.submitted[i]))
			}
			equal(t, c.want, got, w.Body)
			h.commands()
			if strings.Contains(w.Body.String(), `"data"`) && !strings.Contains(w.Body.String(), `"data":{"ID":4097,`) {
				t.Errorf("%s", w.Body)
			}
		})
	}
}

// A reset by the address of a merged member gives that one another password, and both another token.
func TestMerged_Reset(t *testing.T) {
	h := absorbed(t)
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Member: memberOf(&s)}, nil
	}
	h.status(h.post("/v1.1/member/4097/reset", "email=bob@example.com&password=correct+horse"), http.StatusOK)
	first := h.engine.submitted[0].Command.(*domain.ResetPassword)
	second := h.engine.submitted[1].Command.(*domain.ResetPassword)
	if first.Address.IsZero() || first.Password == "" || !second.Address.IsZero() || second.Password != "" {
		t.Errorf("%+v %+v", first, second)
	}
	if first.TokenHash == second.TokenHash || h.engine.submitted[0].Request == h.engine.submitted[1].Request {
		t.Error("both are one request")
	}
	h.refused(h.post("/v1.1/member/4097/reset", "email=other@example.com&password=correct+horse"), domain.NotFound, "email")
}

// Many registrations of users whose member is merged name the survivor.
func TestMerged_RegisterMany(t *testing.T) {
	h := absorbed(t)
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) { return domain.Outcome{Member: 8195}, nil }
	w := h.do(http.MethodPost, keyed("/v1.1/members/register", keyAdvanced), `{"service":"spotify","uid":"u-8","authtoken":"t"}`,
		"Content-Type", "application/x-ndjson")
	if out := answered[wire.RegisteredMany](h, w); out.Existing != 1 || out.Items[0].ID != "4097" {
		t.Errorf("%s", w.Body)
	}
}

// An action that is recorded by a name of a merged member is shown as the survivor's.
func TestMerged_RecordByName(t *testing.T) {
	h := absorbed(t)
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Member: 8195, New: true, Row: domain.Row{Seq: 3, Brand: 1, Definition: 100, Slot: 3}}, nil
	}
	item := answered[wire.FeedItem](h, h.post("/v1.1/activity/record", "activityid=100&brandid=1&service=spotify&uid=u-8&async=0"))
	if item.MemberID != "4097" || *item.MemberName != "Ada Fan" || item.ID != "12291" {
		t.Errorf("%+v", item)
	}
}

// An action of a merged member has the id that it had in feeds, in lists and in explanations.
func TestMerged_ActionsKeepTheirIDs(t *testing.T) {
	feed := &domain.Feed{Items: []domain.FeedItem{{Row: domain.Row{Seq: 9, Brand: 1, Definition: 100, Slot: 1}, Member: 4097}}, Total: 1}
	h := newFixture(t, always(&domain.Answer{Feed: feed, Tally: &domain.Tally{}}))
	h.engine.content = &domain.Content{Action: 12291}
	if f := answered[wire.Feed](h, h.get("/v1.1/activity/feed?all_member_actions=1")); f.Items[0].ID != "12291" {
		t.Errorf("%+v", f.Items[0])
	}
	if s := answered[wire.ActivityTally](h, h.get("/v1.1/brand/1/stats/activity?explain=1")); s.Explain.Actions[0] != "12291" {
		t.Errorf("%+v", s.Explain)
	}
	h.engine.answer = nil
	if l := answered[wire.ActiveMembers](h, h.get("/v1.1/members/active")); l.Items[0].LastActivity.ID != "12291" {
		t.Errorf("%+v", l.Items[0].LastActivity)
	}
}
