package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/activities"
	"github.com/ovation-analytics/ovation/api/wire"
)

// recorded records an action and gives its submission.
func (h *fixture) recorded(params string, headers ...string) (domain.Submission, *wire.Accepted) {
	h.t.Helper()
	w := h.post("/v1.1/activity/record", params, headers...)
	out := answered[wire.Accepted](h, w)
	return h.engine.submitted[len(h.engine.submitted)-1], &out
}

// An action is worth more than its place: what is no country is left out with a Warning, in a list too.
func TestRecord_UnknownCountryIsLeftOut(t *testing.T) {
	h := newFixture(t)
	for country, want := range map[string]string{"de": "DE", "UK": "GB", "EL": "GR", "ZZ": "", "XX": "", "EU": "", "T1": "", "Germany": ""} {
		record := `{"activityid":101,"id":4097,"country":"` + country + `","city":"Bonn"}`
		w := h.post("/v1.1/activity/record", record)
		_ = answered[wire.Accepted](h, w)
		got := h.engine.submitted[len(h.engine.submitted)-1].Activity.Content.Geo
		if got.Country != want || got.City != "Bonn" {
			t.Errorf("%s: %+v", country, got)
		}
		if warned := strings.Contains(strings.Join(w.Header().Values("Warning"), " "), "country"); warned != (want == "") {
			t.Errorf("%s: %v", country, w.Header().Values("Warning"))
		}
	}
}

// A record has its definition's brand, service and points, and the bytes of a dead letter.
func TestRecord_Stamped(t *testing.T) {
	h := newFixture(t)
	s, _ := h.recorded(`{"activityid":101,"id":4097,"content":{"b": 1, "a":[ 2 ]},"link":"https://x.y","marker":"m","timestamp":"2026-01-02 03:04:05","country":"de","city":"Köln"}`)
	want := &domain.Activity{
		Member: 4097, Definition: 101, Brand: 1, Service: domain.Spotify, Points: 5, OneTime: true, Time: 1767323045,
		Hash:    testHasher{}.ID("app/2", "m"),
		Content: domain.Content{Marker: "m", Content: `{"b":1,"a":[2]}`, Link: "https://x.y", Geo: domain.Geo{Country: "DE", City: "Köln"}},
	}
	if d := cmp.Diff(want, s.Activity, cmpopts.IgnoreFields(domain.Activity{}, "Raw")); d != "" {
		t.Error(d)
	}
	if s.Slot != domain.MemberID(4097).Slot() || !s.Durable {
		t.Errorf("%+v", s)
	}
	var event map[string]any
	if err := json.Unmarshal([]byte(s.Activity.Raw), &event); err != nil {
		t.Fatal(err)
	}
	wantEvent := map[string]any{
		"id": "m", "source": "app/2", "time": "2026-01-02T03:04:05Z", "account": 1.0, "memberID": 4097.0, "activityID": 101.0,
		"content": map[string]any{"b": 1.0, "a": []any{2.0}}, "link": "https://x.y", "geo": map[string]any{"country": "DE", "city": "Köln"},
	}
	equal(t, wantEvent, event, "as a dead letter")
}

// Content is measured as the topic measures it: an object without the blanks between its values, a text
// as it is.
func TestRecord_ContentIsMeasuredAsItIsKept(t *testing.T) {
	const blanks = "  \n"
	long := strings.Repeat("x", activities.MaxContent)
	object := func(value string) string { return `{` + blanks + `"a":` + blanks + `"` + value + `"}` }
	for content, fits := range map[string]bool{
		object(long[:activities.MaxContent-8]): true, object(long[:activities.MaxContent-7]): false,
		`"` + long + `"`: true, `"` + long + `x"`: false,
		`"` + strings.ReplaceAll(long, "x", `\n`) + `"`: true, `"` + strings.ReplaceAll(long, "x", `\n`) + `x"`: false,
	} {
		h := newFixture(t)
		w := h.post("/v1.1/activity/record", `{"activityid":100,"brandid":1,"id":4097,"content":`+content+`}`)
		if fits {
			h.status(w, http.StatusAccepted, content[:20])
		} else {
			h.refused(w, domain.InvalidParameter, "content")
		}
	}
}

// A record goes to its member's slot with the member's id, whatever it was named by: what is in the log, which
// is kept, has no name of the member.
func TestRecord_CarriesTheMembersID(t *testing.T) {
	for _, c := range []struct{ params, line string }{
		{"id=4097", `"id":4097`},
		{"service=spotify&uid=u-7", `"service":"spotify","uid":"u-7"`},
		{"partnercode=acme&partnerid=77", `"partnercode":"acme","partnerid":"77"`},
	} {
		for _, async := range []string{"0", "1"} {
			h := newFixture(t)
			h.status(h.post("/v1.1/activity/record", "activityid=100&brandid=2&async="+async+"&"+c.params), 200+2*int(async[0]-'0'))
			h.lines("?async="+async, `{"activityid":100,"brandid":2,`+c.line+`}`)
			for _, s := range h.engine.submitted {
				a := s.Activity
				if a.Member != 4097 || !a.Identity.IsZero() || s.Slot != a.Member.Slot() || !a.Defaulted || a.Brand != 2 {
					t.Errorf("%s, async=%s: %+v", c.params, async, a)
				}
				for _, name := range []string{"u-7", "acme", `"77"`} {
					if strings.Contains(a.Raw, name) {
						t.Errorf("%s, async=%s: the log has %s", c.params, async, a.Raw)
					}
				}
			}
			if len(h.engine.submitted) != 2 {
				t.Errorf("%s: %d submissions", c.params, len(h.engine.submitted))
			}
		}
	}
}

// A record of a member that the account does not have is error 5 at once, whether its outcome is awaited or not,
// and nothing is submitted; of many it is the error of its index.
func TestRecord_UnknownMember(t *testing.T) {
	for _, c := range []struct{ params, line, parameter string }{
		{"id=12289", `"id":12289`, "id"},
		{"service=spotify&uid=none", `"service":"spotify","uid":"none"`, "uid"},
		{"service=deezer&uid=u-7", `"service":"deezer","uid":"u-7"`, "uid"},
		{"partnercode=acme&partnerid=78", `"partnercode":"acme","partnerid":"78"`, "partnerID"},
	} {
		for _, async := range []string{"0", "1"} {
			h := newFixture(t)
			h.refused(h.post("/v1.1/activity/record", "activityid=100&brandid=1&async="+async+"&"+c.params), domain.NotFound, c.parameter)
			out, _ := h.lines("?async="+async, goodRecord, `{"activityid":100,"brandid":1,`+c.line+`}`, goodRecord)
			if out.Accepted != 2 || out.Rejected != 1 || out.Items[1].Error == nil || out.Items[1].Error.Code != int(domain.NotFound) {
				t.Errorf("%s: %+v", c.line, out)
			}
			if len(h.engine.submitted) != 2 {
				t.Errorf("%s, async=%s: %d submissions", c.params, async, len(h.engine.submitted))
			}
		}
	}
}

// The member of a record is looked up when what the caller has seen is applied.
func TestRecord_WaitsForTheMember(t *testing.T) {
	h := newFixture(t)
	w := h.post("/v1.1/member/register", "service=spotify&uid=new&authtoken=t")
	at := w.Header().Get("X-Position")
	h.engine.waited = nil
	h.post("/v1.1/activity/record?wait_for="+at, "activityid=100&brandid=1&service=spotify&uid=u-7")
	if len(h.engine.waited) == 0 || len(h.engine.waited[len(h.engine.waited)-1].Shards) == 0 {
		t.Errorf("it was looked up at %+v", h.engine.waited)
	}
}

// A record without a marker is deduplicated by its request alone.
func TestRecord_WithoutMarker(t *testing.T) {
	h := newFixture(t)
	const params = "activityid=100&brandid=1&id=4097"
	a, accepted := h.recorded(params)
	b, _ := h.recorded(params)
	if a.Activity.Hash == b.Activity.Hash || a.Activity.Hash != (testHasher{}).ID("request", a.Request.String()) {
		t.Error("two records without a marker share their dedup key")
	}
	if accepted.Marker != "2026-03-15 12:34:56.789000" || a.Activity.Content.Marker != accepted.Marker || !accepted.Accepted {
		t.Errorf("accepted as %q, kept as %q", accepted.Marker, a.Activity.Content.Marker)
	}
	c, _ := h.recorded(params + "&async=0")
	if c.Durable || c.Activity.Content.Marker != "" || c.Activity.Raw != "" {
		t.Errorf("a record that is waited for: %+v", c)
	}
}

// async decides between 202 at once and 200 with the item.
func TestRecord_Async(t *testing.T) {
	h := newFixture(t)
	for params, want := range map[string]struct {
		status  int
		durable bool
	}{
		"": {202, true}, "&async=1": {202, true}, "&async=0": {200, false}, "&async=": {202, true}, "&async=false": {200, false}, "&async=true": {202, true},
	} {
		w := h.post("/v1.1/activity/record", "activityid=100&brandid=1&id=4097&marker=m"+params)
		s := h.engine.submitted[len(h.engine.submitted)-1]
		if w.Code != want.status || s.Durable != want.durable || !strings.Contains(w.Body.String(), `"Marker":"m"`) {
			t.Errorf("%q: %d, durable %v: %s", params, w.Code, s.Durable, w.Body)
		}
	}
}

// Under an Idempotency-Key a record waits for its outcome, a refusal of the catalog too.
func TestRecord_IdempotencyKey(t *testing.T) {
	h := newFixture(t)
	w := h.post("/v1.1/activity/record", "activityid=100&brandid=1&id=4097", "Idempotency-Key", "k")
	if w.Code != http.StatusAccepted || h.engine.submitted[0].Durable {
		t.Errorf("%d %+v", w.Code, h.engine.submitted[0])
	}
	// What the catalog no longer knows travels as a refusal: only the shard knows whether it is a repeat.
	h.refused(h.post("/v1.1/activity/record", "activityid=777&brandid=1&id=4097&async=0", "Idempotency-Key", "k2"), domain.NotFound, "")
	s := h.engine.submitted[1]
	if s.Activity.Refusal != domain.UnknownActivity || s.Activity.Definition != 777 {
		t.Errorf("%+v", s.Activity)
	}
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) {
		return domain.Outcome{Member: 4097, Replayed: true, Row: domain.Row{Seq: 3, Slot: 1, Definition: 777, Brand: 9, Time: 1e9, Service: domain.Custom}}, nil
	}
	h.engine.content = &domain.Content{Recorded: 1e12, Marker: "m1"}
	w = h.post("/v1.1/activity/record", "activityid=777&brandid=9&id=4097&async=0", "Idempotency-Key", "k3")
	item := answered[wire.FeedItem](h, w)
	if item.Marker != "m1" || item.ActivityID != "777" || item.BrandName != nil || w.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("%+v", item)
	}
	// An outcome of success for what the catalog does not know, and no repeat, is refused all the same.
	h.engine.outcome = func(s domain.Submission) (domain.Outcome, error) { return domain.Outcome{Member: 4097}, nil }
	h.refused(h.post("/v1.1/activity/record", "activityid=100&brandid=9&id=4097", "Idempotency-Key", "k4"), domain.NotFound, "brandid")
}

// Content over its limit, or an array, is refused.
func TestRecord_ContentLimit(t *testing.T) {
	h := newFixture(t)
	for _, v := range []string{strings.Repeat("x", activities.MaxContent+1), `{"a":"` + strings.Repeat("x", activities.MaxContent) + `"}`} {
		body, _ := json.Marshal(map[string]any{"activityid": 100, "brandid": 1, "id": 4097, "content": v})
		h.refused(h.post("/v1.1/activity/record", string(body)), domain.InvalidParameter, "content")
	}
	for _, neither := range []string{"[1]", "12", "-0.5", "true", "false", "null"} {
		h.refused(h.post("/v1.1/activity/record", `{"activityid":100,"brandid":1,"id":4097,"content":`+neither+`}`), domain.InvalidParameter, "content")
	}
}

// A deletion goes to the member's slot; an unknown action is not found.
func TestDeleteAction_AtItsMember(t *testing.T) {
	h := newFixture(t)
	w := h.post("/v1.1/member/4097/activity/12289/delete", "")
	out := answered[wire.Deleted](h, w)
	s := h.engine.submitted[0]
	if d := cmp.Diff(&domain.DeleteAction{Member: 4097, Action: 12289}, s.Command); d != "" || s.Slot != 1 || s.Account != 1 || !out.Deleted {
		t.Errorf("%+v %+v %s", out, s, d)
	}
	if s.Request.IsZero() || s.BodyHash == 0 || w.Header().Get("X-Position") == "" {
		t.Errorf("%+v %v", s, w.Header())
	}
	h.refused(h.post("/v1.1/member/4097/activity/5/delete", ""), domain.NotFound, "actionid")
	h.refused(h.post("/v1.1/member/4097/activity/x/delete", ""), domain.InvalidParameter, "actionid")
	h.refused(h.post("/v1.1/member/0/activity/12289/delete", ""), domain.InvalidParameter, "memberid")
}

// There is no item for a repeat of a deleted action; the repeat of the request that made it has its first
// outcome.
func TestDeleteAction_Repeat(t *testing.T) {
	h := newFixture(t)
	deleted := domain.Outcome{Member: 4097, Row: domain.Row{Seq: 3, Account: 1, Time: 1_700_000_000, Brand: 1, Definition: 100, Slot: 1, Flags: domain.Deleted}}
	h.engine.outcome = func(domain.Submission) (domain.Outcome, error) { return deleted, nil }
	const what = "activityid=100&id=4097&brandid=1&marker=m&async=0"
	h.refused(h.post("/v1.1/activity/record", what), domain.NotFound, "")
	h.status(h.post("/v1.1/activity/record", "activityid=100&id=4097&brandid=1&marker=m"), http.StatusAccepted, "without a wait")
	many, _ := h.lines("?async=0", `{"activityid":100,"id":4097,"brandid":1,"marker":"m"}`)
	if many.Duplicates != 1 || many.Rejected != 0 || many.Items[0].Marker != "m" {
		t.Errorf("%+v", many)
	}
	deleted.Row.Flags, deleted.New, deleted.Replayed = 0, true, true
	item := answered[wire.FeedItem](h, h.post("/v1.1/activity/record", what))
	equal(t, "12289", item.ID)
}
