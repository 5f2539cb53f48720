package api

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// advanced are the operations that the contract marks so, by method and path.
var advanced = regexp.MustCompile(`^(` +
	`POST /v1\.1/activity/(:activityid/edit|:activityid/delete|record)|POST /v1\.1/activities/record` +
	`|GET /v1\.1/activity/count/(daily|services)` +
	`|POST /v1\.1/app/(un)?(allow|white)list` +
	`|POST /v1\.1/brand/(create|:brandid/edit|:brandid/delete)` +
	`|POST /v1\.1/members/register|POST /v1\.1/member/:memberid/(tokens/refresh|reset|unmerge)` +
	`|POST /v1\.1/segment/(create|:segmentid/edit|:segmentid/delete)` +
	`|(GET|POST) /v1\.1/webhooks?(/.*)?)$`)

// A standard plan is refused the operations that are marked advanced, with code 9 and before
// anything is read of them; every other one is answered as to the enterprise plan.
func TestPlans_AdvancedOperations(t *testing.T) {
	n := 0
	for _, o := range Operations() {
		marked := advanced.MatchString(o.Name())
		if marked != o.Advanced {
			t.Errorf("%s: advanced is %t in the contract, %t in the table", o.Name(), marked, o.Advanced)
		}
		a := askingFor(o)
		target := keyed(a.path+"?"+a.params.Encode(), keyStandard)
		h := newFixture(t)
		if !marked {
			if p, _ := problemOf(h.do(o.Method, target, "")); p.Error.Code == int(domain.PlanRequired) {
				t.Errorf("%s: the standard plan is refused", o.Name())
			}
			continue
		}
		n++
		wants(t, o.Name(), h.do(o.Method, target, ""), domain.PlanRequired, "")
		wants(t, o.Name()+" without parameters", h.do(o.Method, keyed(a.path, keyStandard), ""), domain.PlanRequired, "")
		if len(h.engine.submitted)+len(h.engine.asked) > 0 {
			t.Errorf("%s: a refused request reached the engine", o.Name())
		}
	}
	if n < 15 {
		t.Errorf("%d advanced operations", n)
	}
}

// A global key is answered by every GET and by no POST; where the plan is not enterprise, by
// none.
func TestPlans_GlobalKey(t *testing.T) {
	for _, o := range Operations() {
		a := askingFor(o)
		body, query := "", a.params.Encode()
		if o.Each != nil {
			body = exampleRecord(o)
		}
		target := keyed(a.path+"?"+query, keyGlobal)
		h := newFixture(t)
		w := h.do(o.Method, target, body)
		if o.Method == http.MethodGet && w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", o.Name(), w.Code, w.Body)
		}
		if o.Method == http.MethodPost {
			wants(t, o.Name(), w, domain.WrongApplication, "")
		}
		for _, s := range h.engine.submitted {
			if _, follows := s.Command.(*domain.FollowSegment); !follows { // opening a segment's stream notes that its list is followed
				t.Errorf("%s: a global key writes %T", o.Name(), s.Command)
			}
		}
		for _, plan := range []domain.Plan{domain.Standard, domain.Advanced} {
			h.engine.apps[3].Plan = plan
			wants(t, o.Name()+" of the plan "+plan.String(), h.do(o.Method, target, body), domain.PlanRequired, "")
		}
	}
}

// Custom fields of brands are the enterprise plan's: code 9 wherever they are given, also beside
// a body that cannot be read when they are in the query; a deleted value is one, too.
func TestPlans_CustomFields(t *testing.T) {
	h := newFixture(t)
	for _, path := range []string{"/v1.1/brand/create", "/v1.1/brand/1/edit"} {
		for key, want := range map[string]domain.Code{keyStandard: domain.PlanRequired, keyAdvanced: domain.PlanRequired, keyEnterprise: 0, keyStranger: 0} {
			parameter := "custom_"
			if key == keyStandard {
				parameter = "" // of the operation itself
			}
			for _, w := range []struct{ target, body, kind string }{
				{path, "name=x&type=y&custom_rank=1", "application/x-www-form-urlencoded"},
				{path, `{"name":"x","type":"y","Custom_Rank":1}`, "application/json"},
				{path + "?name=x&type=y&CUSTOM_rank=", "", ""},
				{path + "?custom_rank=1", "x", "text/plain"},
				{path + "?custom_rank=1", "{", "application/json"},
			} {
				got := h.do(http.MethodPost, keyed(w.target, key), w.body, "Content-Type", w.kind)
				if want != 0 {
					wants(t, w.target+" "+w.body+" of "+key, got, want, parameter)
				} else if p, _ := problemOf(got); p.Error.Code == int(domain.PlanRequired) {
					t.Errorf("%s %s of %s: %s", w.target, w.body, key, got.Body)
				}
			}
		}
	}
}
