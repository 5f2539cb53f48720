package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// ask sends a request of an operation with the parameters, which are in the query of a GET and of
// a body of many, else in a form.
func (h *fixture) ask(o *serve.Operation, target string, params url.Values, record string) *httptest.ResponseRecorder {
	h.t.Helper()
	target, body := keyed(target, keyEnterprise), params.Encode()
	if o.Method == http.MethodGet || o.Each != nil {
		target, body = target+"&"+body, record
	}
	return h.do(o.Method, target, body)
}

// An unknown parameter of any operation is ignored and named in a Warning; with strict=1 it is
// error 4, whatever its value, and each documented parameter is known.
func TestStrict_EachOperation(t *testing.T) {
	for _, o := range Operations() {
		record := ""
		if o.Each != nil {
			record = exampleRecord(o)
		}
		for _, name := range []string{"servcies", "XYZZY"} {
			target, params := exampled(o)
			params.Set(name, "")
			w := newFixture(t).ask(o, target, params, record)
			if w.Code != http.StatusOK && w.Code != http.StatusAccepted || !strings.Contains(fmt.Sprint(w.Header().Values("Warning")), "the parameter "+name+" is unknown") {
				t.Errorf("%s with %s: %d %s, Warning %q", o.Name(), name, w.Code, w.Body, w.Header().Values("Warning"))
			}
			for _, on := range []string{"1", "true", "TRUE"} {
				params.Set("Strict", on)
				h := newFixture(t)
				h.refused(h.ask(o, target, params, record), domain.InvalidParameter, name)
				if len(h.engine.submitted) > 0 {
					t.Errorf("%s with %s: a command was submitted", o.Name(), name)
				}
			}
		}
		var all []string
		for _, q := range o.Plan.Params() {
			if !q.InPath {
				all = append(all, q.Name)
			}
		}
		target, params := exampled(o, all...)
		params.Set("strict", "1")
		params.Set("includeOneTime", "1")
		params.Set("TIMEOUT_MS", "10")
		params.Del("timeout_ms")
		if w := newFixture(t).ask(o, target, params, record); w.Code != http.StatusOK && w.Code != http.StatusAccepted {
			t.Errorf("%s with all of its parameters: %d %s", o.Name(), w.Code, w.Body)
		}
	}
}

// The nearest name is in the Warning and in the error; a name that is like none has no hint.
func TestStrict_NearestName(t *testing.T) {
	h := newFixture(t)
	for name, want := range map[string]string{
		"servcies": ": the nearest name is services", "ACTIVTYID": ": the nearest name is activityID", "segmnet": ": the nearest name is segment",
		"startdate": ": the nearest name is start_date", "brand": ": the nearest name is brandID", "countries": ": the nearest name is country",
		"xyzzy": "", "q": "", strings.Repeat("services", 9): "", "é": "",
	} {
		w := h.get("/v1.1/activity/feed?" + url.QueryEscape(name) + "=1")
		h.status(w, http.StatusOK, name)
		if got := w.Header().Get("Warning"); !strings.HasSuffix(got, " is unknown and was ignored"+want+`"`) {
			t.Errorf("%s: %s", name, got)
		}
		if w := h.get("/v1.1/activity/feed?strict=1&" + url.QueryEscape(name) + "=1"); !strings.Contains(w.Body.String(), " is unknown"+want+`"`) {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}

// strict judges names alone: off, empty or absent it changes nothing, and what is missing comes first.
func TestStrict_JudgesNamesAlone(t *testing.T) {
	h := newFixture(t)
	for _, off := range []string{"0", "false", ""} {
		h.status(h.get("/v1.1/brands?xyzzy=1&strict="+off), http.StatusOK, off)
	}
	h.refused(h.get("/v1.1/brands?strict=yes"), domain.InvalidParameter, "strict")
	h.refused(h.post("/v1.1/brand/create", "strict=1&xyzzy=1&name=x"), domain.MissingParameter, "type")
	h.refused(h.get("/v1.1/brands?strict=1&xyzzy=1&limit=x"), domain.InvalidParameter, "xyzzy")
	h.refused(h.get("/v1.1/brands?strict=1&limit=x"), domain.InvalidParameter, "limit")
	h.refused(h.post("/v1.1/brand/create", `{"strict":true,"name":"x","type":"y","nmae":null}`), domain.InvalidParameter, "nmae")
	h.status(h.do(http.MethodPost, keyed("/v1.1/brand/create", keyEnterprise), `{"strict":1,"name":"x","type":"y","custom_rank":7}`), http.StatusOK)
	h.status(h.get("/v1.1/activity/feed?strict=1&SEGMENTID=1&segmentname="), http.StatusBadRequest)
	h.status(h.get("/v1.1/activity/feed?strict=1&SEGMENTID=1"), http.StatusOK)
}

// In a body of many, strict refuses the records that have an unknown name, and no other ones.
func TestStrict_RecordsOfMany(t *testing.T) {
	good := `{"activityid":100,"brandid":1,"id":4097,"timestamp":"2026-03-01 00:00:00"}`
	bad := `{"activityid":100,"brandid":1,"id":4097,"timestamp":"2026-03-02 00:00:00","markre":"x"}`
	for query, rejected := range map[string]int{"": 0, "?strict=1": 1, "?strict=true": 1, "?strict=0": 0} {
		h := newFixture(t)
		got := answered[wire.RecordedMany](h, h.post("/v1.1/activities/record"+query, good+"\n"+bad, "Content-Type", "application/x-ndjson"))
		if int(got.Rejected) != rejected || int(got.Accepted) != 2-rejected {
			t.Errorf("%q: %+v", query, got)
		}
		if e := got.Items[1].Error; rejected == 1 && (e == nil || e.Code != int(domain.InvalidParameter) || !strings.Contains(e.Message, "the nearest name is marker")) {
			t.Errorf("%q: %+v", query, e)
		}
	}
	h := newFixture(t)
	w := h.post("/v1.1/members/register?strict=1", `{"service":"spotify","uid":"s-1","authtoken":"x","fristname":"Ada"}`, "Content-Type", "application/x-ndjson")
	if h.status(w, http.StatusOK); !strings.Contains(w.Body.String(), "the nearest name is firstname") {
		t.Errorf("%s", w.Body)
	}
}

// An unknown parameter is no part of the question: not of the response cache, of an Idempotency-Key,
// or of a cursor. Addresses of pages repeat it: then the tag is another one.
func TestStrict_UnknownIsNoPartOfTheQuestion(t *testing.T) {
	h := newFixture(t)
	h.unchanged()
	first := h.get("/v1.1/brands?zz=1").Header().Get("Etag")
	for i := range 3 {
		h.status(h.get(fmt.Sprintf("/v1.1/brands?zz%d=%d", i, i), "If-None-Match", first), http.StatusNotModified)
	}
	equal(t, uint64(3), h.fromCache(), "from the response cache")
	for _, target := range []string{"/v1.1/brands?limit=1", "/v1.1/brands?limit=1&cursor=", "/v1.1/activity/feed.rss?brandID=1"} {
		tag := h.get(target + "&zz=1").Header().Get("Etag")
		h.status(h.get(target+"&zz=1", "If-None-Match", tag), http.StatusNotModified, target)
		if w := h.get(target+"&zz=2", "If-None-Match", tag); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "zz=2") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	for _, body := range []string{"id=4097", "id=4097&zz=1", "zy=7&id=4097"} {
		h.status(h.post("/v1.1/optin", body, "Idempotency-Key", "k"), http.StatusOK)
	}
	for _, s := range h.engine.submitted[1:] {
		equal(t, h.engine.submitted[0].BodyHash, s.BodyHash, "hash of the parameters")
	}
	var list struct{ Paging struct{ Next string } }
	h.ok(h.get("/v1.1/brands?limit=1&cursor="), &list)
	next, err := url.Parse(list.Paging.Next)
	if err != nil {
		t.Fatal(err)
	}
	for _, also := range []string{"", "&strict=1", "&zz=1"} {
		h.status(h.get(next.RequestURI()+also), http.StatusOK, also)
	}
}

// However many parameters are unknown, an answer has at most 20 Warnings, and one of another kind is
// among them.
func TestStrict_WarningsAreBounded(t *testing.T) {
	h := newFixture(t)
	var query strings.Builder
	for i := range 200 {
		fmt.Fprintf(&query, "unknown%d=x&", i)
	}
	for _, target := range []string{"/v1.1/brands?limit=5000&", "/v1.1/members/active?fields=nothing&limit=5000&period=9999+Year&"} {
		w := h.get(target + query.String())
		h.status(w, http.StatusOK)
		all := w.Header().Values("Warning")
		if len(all) != 20 || !strings.Contains(fmt.Sprint(all), "limit was clamped") || !strings.Contains(fmt.Sprint(all), "is unknown and was ignored") {
			t.Errorf("%s: %d: %q", target, len(all), all)
		}
	}
}
