package api

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
)

// inAnyCase spells a name in letters of random cases.
func inAnyCase(rnd *rand.Rand, name string) string {
	return strings.Map(func(r rune) rune {
		switch rnd.IntN(3) {
		case 0:
			return []rune(strings.ToUpper(string(r)))[0]
		case 1:
			return []rune(strings.ToLower(string(r)))[0]
		}
		return r
	}, name)
}

// asJSON is a JSON body whose numbers and switches are numbers and booleans.
func asJSON(o *serve.Operation, params url.Values) string {
	object := map[string]any{}
	for name, values := range params {
		object[name] = values[0]
		if _, err := strconv.ParseInt(values[0], 10, 53); err == nil {
			object[name] = json.Number(values[0])
		}
		for _, q := range o.Plan.Params() {
			if strings.EqualFold(q.Name, name) && q.Type.Kind().String() == "bool" {
				object[name] = values[0] == "1"
			}
		}
	}
	text, _ := json.Marshal(object) // texts, numbers and booleans have a JSON form
	return string(text)
}

// Parameters mean the same in the query, in a form and in a JSON object, and with their names in any
// case: the answer, what is asked of the engine and what is submitted to it are the same.
func TestForms_MeanTheSame(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	h := newFixture(t)
	rewind := h.engine.rewind()
	for _, o := range Operations() {
		if o.Each != nil {
			continue
		}
		path, params := exampled(o)
		params.Set("apiKey", keyEnterprise)
		type effect struct {
			status    int
			body      string
			asked     []domain.Question
			submitted []domain.Submission
		}
		send := func(query, body string) effect {
			rewind()
			w := h.do(o.Method, path+"?"+query, body)
			e := effect{w.Code, w.Body.String(), h.engine.asked, h.engine.submitted}
			for i := range e.submitted {
				if e.submitted[i].Request.IsZero() || e.submitted[i].BodyHash == 0 {
					t.Errorf("%s: no id, or no hash", o.Name())
				}
				e.submitted[i].Request = domain.RequestID{} // random
			}
			return e
		}
		want := send(params.Encode(), "")
		if want.status != http.StatusOK && want.status != http.StatusAccepted {
			t.Fatalf("%s: %d %s", o.Name(), want.status, want.body)
		}
		// What differs between two equal requests is random, and not compared.
		again := send(params.Encode(), "")
		sameBody := again.body == want.body
		sameCommands := cmp.Equal(again.submitted, want.submitted)
		check := func(form string, got effect) {
			t.Helper()
			want := want
			if !sameBody {
				got.body, want.body = "", ""
			}
			if !sameCommands {
				got.submitted, want.submitted = hashes(got.submitted), hashes(want.submitted)
			}
			if d := cmp.Diff(want, got, cmp.AllowUnexported(effect{})); d != "" {
				t.Errorf("%s by %s: %s", o.Name(), form, d)
			}
		}
		spelled, query, body := url.Values{}, url.Values{}, url.Values{}
		for name, values := range params {
			other := inAnyCase(rnd, name)
			spelled[other] = values
			to := []url.Values{query, body}[rnd.IntN(2)]
			to[other] = values
		}
		check("the query in any case", send(spelled.Encode(), ""))
		if o.Method != http.MethodPost {
			continue
		}
		check("a form", send("", params.Encode()))
		check("JSON", send("", asJSON(o, params)))
		check("a form in any case", send("", spelled.Encode()))
		check("JSON in any case", send("", asJSON(o, spelled)))
		check("query and form", send(query.Encode(), body.Encode()))
		check("query and JSON", send(query.Encode(), asJSON(o, body)))
	}
}

// hashes are submissions without what they submit.
func hashes(all []domain.Submission) []domain.Submission {
	out := make([]domain.Submission, 0, len(all))
	for _, s := range all {
		s.Command = nil
		s.Activity = nil
		out = append(out, s)
	}
	return out
}

// A form that does not parse is error 4, also where the operation does not have the parameter; in a
// query such a parameter is ignored like any that is unknown.
func TestForms_ThatDoNotParse(t *testing.T) {
	h := newFixture(t)
	for body, parameter := range map[string]string{
		"name=x&type=y&foo=%zz": "foo", "name=x&type=y&%zz=1": "%zz", "name=x&type=y&foo=%ff": "foo", "name=%zz&type=y": "name",
	} {
		h.refused(h.post("/v1.1/brand/create", body), domain.InvalidParameter, parameter)
	}
	h.refused(h.post("/v1.1/brand/create", "name=x&foo=%zz"), domain.MissingParameter, "type")
	h.status(h.post("/v1.1/brand/create?foo=%zz", "name=x&type=y"), http.StatusOK)
	if len(h.engine.submitted) != 1 {
		t.Errorf("%d submissions", len(h.engine.submitted))
	}
}

// A name twice is error 4, in whatever spelling, and in one place or in two.
func TestForms_NameTwice(t *testing.T) {
	h := newFixture(t)
	for _, c := range []struct{ query, body, parameter string }{
		{"", "name=x&NAME=x&type=y", "NAME"},
		{"&Name=x", "name=x&type=y", "name"},
		{"&Name=x", `{"name":"x","type":"y"}`, "name"},
		{"", `{"name":"x","Name":"x","type":"y"}`, "Name"},
		{"", "name=x&type=y&foo=1&FOO=2", "FOO"},
		{"", "name=x&type=y&segment=1&segmentID=1", "segmentID"},
	} {
		h.refused(h.post("/v1.1/brand/create?"+strings.TrimPrefix(c.query, "&"), c.body), domain.InvalidParameter, c.parameter)
	}
	if len(h.engine.submitted) != 0 {
		t.Errorf("%d submissions", len(h.engine.submitted))
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/v1.1/brands?APIKEY="+keyAdvanced+"&apikey="+keyAdvanced, nil)
	h.api.ServeHTTP(w, r)
	h.refused(w, domain.InvalidParameter, "apikey")
}
