package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A date alone is a bound of a range in every operation that has one, and of updated_since; a
// moment of an action needs its time.
func TestValues_DatesAlone(t *testing.T) {
	for _, o := range Operations() {
		for _, q := range o.Plan.Params() {
			if q.Name != "start_date" && q.Name != "end_date" && q.Name != "updated_since" {
				continue
			}
			target, params := exampled(o, "start_date", "end_date")
			if !o.Plan.Has("start_date") {
				params.Del("start_date")
				params.Del("end_date")
			}
			for _, p := range o.Plan.Params() {
				if _, given := params[p.Name]; given && p.Name == "end_date" {
					params.Set("end_date", "2026-03-10 00:00:00")
				}
			}
			params.Set(q.Name, "2026-03-09")
			w := newFixture(t).ask(o, target, params, "")
			if w.Code != http.StatusOK {
				t.Errorf("%s of %s: %d %s", q.Name, o.Name(), w.Code, w.Body)
			}
			if span := w.Header().Get("X-Range"); q.Name == "end_date" && span != "" && !strings.HasSuffix(span, "/2026-03-10 00:00:00") {
				t.Errorf("%s: X-Range %s", o.Name(), span)
			}
		}
	}
	h := newFixture(t)
	h.refused(h.post("/v1.1/activity/record", "activityid=100&brandid=1&id=4097&timestamp=2026-03-09"), domain.InvalidParameter, "timestamp")
}

// A switch is taken as 1, 0, true or false on every road.
func TestValues_Switches(t *testing.T) {
	h := newFixture(t)
	for _, on := range []string{"1", "true", "True"} {
		w := h.get("/v1.1/brand/1/stats/members?explain=" + on)
		if h.status(w, http.StatusOK, on); !strings.Contains(w.Body.String(), `"explain":{`) {
			t.Errorf("explain=%s: %s", on, w.Body)
		}
		h.engine.waited = nil
		h.status(h.get("/v1.1/member/4097?refresh="+on), http.StatusOK, on)
		if len(h.engine.waited) == 0 {
			t.Errorf("refresh=%s waits for nothing", on)
		}
		h.status(h.get("/v1.1/activity/feed?paid_only="+on+"&includeOneTime="+on), http.StatusOK, on)
		h.status(h.post("/v1.1/activity/record", "activityid=100&brandid=1&id=4097&async="+on), http.StatusAccepted, on)
	}
	for _, off := range []string{"0", "false", "FALSE"} {
		h.status(h.post("/v1.1/activity/record", "activityid=100&brandid=1&id=4097&async="+off), http.StatusOK, off)
	}
	for _, body := range []string{`"async":false`, `"async":"false"`, `"async":0`} {
		h.status(h.post("/v1.1/activity/record", `{"activityid":100,"brandid":1,"id":4097,`+body+`}`), http.StatusOK, body)
	}
	h.status(h.post("/v1.1/activity/record", `{"activityid":100,"brandid":1,"id":4097,"async":true}`), http.StatusAccepted)
	h.refused(h.get("/v1.1/activity/feed?paid_only=yes"), domain.InvalidParameter, "paid_only")
}

// A JSON boolean is no id, no number, no list of ids and no number of a custom field.
func TestValues_BooleanIsNoNumber(t *testing.T) {
	h := newFixture(t)
	for _, c := range []struct{ target, body, parameter string }{
		{"/v1.1/optin", `{"id":true}`, "id"},
		{"/v1.1/optin", `{"id":false}`, "id"},
		{"/v1.1/activity/record", `{"activityid":true,"id":4097,"brandid":1}`, "activityid"},
		{"/v1.1/activity/record", `{"activityid":100,"id":4097,"brandid":true}`, "brandid"},
		{"/v1.1/activity/create", `{"name":"x","type":"y","service":"spotify","value":true}`, "value"},
		{"/v1.1/segment/create", `{"name":"x","activities":true}`, "activities"},
		{"/v1.1/segment/create", `{"name":"x","brandid":true}`, "brandid"},
		{"/v1.1/segment/create", `{"name":"x","threshold":true}`, "threshold"},
		{"/v1.1/optin", `{"id":4097,"timeout_ms":true}`, "timeout_ms"},
		{"/v1.1/brand/create", `{"name":"x","type":"y","custom_rank":true}`, "custom_rank"},
		{"/v1.1/member/register", `{"service":"spotify","uid":"u","authtoken":"x","segmentid":true}`, "segmentid"},
	} {
		h.refused(h.do(http.MethodPost, keyed(c.target, keyEnterprise), c.body), domain.InvalidParameter, c.parameter)
	}
	if len(h.engine.submitted) > 0 {
		t.Errorf("%d commands", len(h.engine.submitted))
	}
}
