package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/openapi"
	"github.com/ovation-analytics/ovation/api/problem"
)

// The document is the manual: each parameter, each field of an answer and each group has
// its text, and no line of the table of fields is for a field that is not there.
func TestOpenAPI_SaysWhatEverythingIs(t *testing.T) {
	doc := described(t, newFixture(t))
	seen := map[string]bool{}
	for shape, s := range at(doc, "components", "schemas").(map[string]any) {
		properties, _ := at(s, "properties").(map[string]any)
		for name, p := range properties {
			if text, _ := at(p, "description").(string); text == "" {
				t.Errorf("%s.%s has no text", shape, name)
			}
			seen[shape+"."+name] = true
			if _, own := openapi.Fields[shape+"."+name]; !own {
				seen["*."+name] = true
			}
		}
	}
	for name := range openapi.Fields {
		if !seen[name] {
			t.Errorf("fields.tsv says of %s what no shape has", name)
		}
	}
	groups := map[string]bool{}
	for _, tag := range at(doc, "tags").([]any) {
		groups[at(tag, "name").(string)] = at(tag, "description") != ""
	}
	known := map[string]bool{}
	for _, o := range Operations() {
		known[o.ID] = true
		plans := []*bind.Plan{o.Plan}
		if o.Each != nil {
			plans = append(plans, o.Each)
		}
		for _, plan := range plans {
			for _, q := range plan.Params() {
				if q.Doc == "" {
					t.Errorf("%s: the parameter %s has no text", o.Name(), q.Name)
				}
			}
		}
		if !groups[o.Group] {
			t.Errorf("the group %s has no text", o.Group)
		}
	}
	for id := range openapi.Notes {
		if !known[id] {
			t.Errorf("there is a note on %s, which is no operation", id)
		}
	}
}

// Where a text says that a value is a number or a string, its type is that.
func TestOpenAPI_TextsAgreeWithTypes(t *testing.T) {
	doc := described(t, newFixture(t))
	said := 0
	for shape, s := range at(doc, "components", "schemas").(map[string]any) {
		properties, _ := at(s, "properties").(map[string]any)
		for name, p := range properties {
			text, _ := at(p, "description").(string)
			for _, what := range []struct{ words, kind string }{{"A number", "integer"}, {"A string", "string"}} {
				if !regexp.MustCompile(`\b` + what.words + `\b`).MatchString(text) {
					continue
				}
				said++
				if at(p, "type") != what.kind {
					t.Errorf("%s.%s: %q is said of a value of type %v", shape, name, what.words, at(p, "type"))
				}
			}
		}
	}
	if said < 10 {
		t.Errorf("only %d texts name a type: the test shows nothing", said)
	}
}

// Texts are Markdown, by which pages show them: none has what would be read as an HTML element.
func TestOpenAPI_TextsShowAsTheyAre(t *testing.T) {
	var look func(v any, at string)
	texts := 0
	look = func(v any, at string) {
		switch v := v.(type) {
		case map[string]any:
			for name, x := range v {
				if name != "example" {
					look(x, at+"/"+name)
				}
			}
		case []any:
			for _, x := range v {
				look(x, at)
			}
		case string:
			if strings.HasSuffix(at, "/description") || strings.HasSuffix(at, "/summary") {
				texts++
				if regexp.MustCompile(`<[A-Za-z/!]`).MatchString(v) {
					t.Errorf("%s: %q has an element", at, v)
				}
			}
		}
	}
	look(described(t, newFixture(t)), "")
	if texts < 1000 {
		t.Errorf("%d texts", texts)
	}
}

// A client that sends the defaults of all that is described sends nothing twice: a POST
// has each parameter in one place.
func TestOpenAPI_EachParameterIsDescribedInOnePlace(t *testing.T) {
	doc := described(t, newFixture(t))
	for _, o := range Operations() {
		op := at(doc, "paths", openapi.Path(o.Path), strings.ToLower(o.Method))
		seen := map[string]bool{}
		for _, p := range at(op, "parameters").([]any) {
			seen[strings.ToLower(at(p, "name").(string))] = true
			if name := at(p, "name"); o.Method == http.MethodPost && o.Each == nil && at(p, "in") == "query" && name != "wait_for" && name != "timeout_ms" && name != "strict" {
				t.Errorf("%s has %s in the query", o.Name(), name)
			}
		}
		for _, kind := range []string{"application/json", "application/x-www-form-urlencoded"} {
			schema := resolved(doc, at(op, "requestBody", "content", kind, "schema"))
			properties, _ := at(schema, "properties").(map[string]any)
			for name := range properties {
				if seen[strings.ToLower(name)] {
					t.Errorf("%s has %s in the query and in the body", o.Name(), name)
				}
			}
			required, _ := at(schema, "required").([]any)
			for _, q := range o.Plan.Params() {
				if o.Method == http.MethodPost && o.Each == nil && q.Required && !q.InPath && q.Name != "apiKey" && !slices.Contains(required, any(q.Name)) {
					t.Errorf("%s: %s is required, and the schema does not say so", o.Name(), q.Name)
				}
			}
		}
	}
}

// A request made as a generated client makes it, with every default of the document, is
// taken: by JSON and by form.
func TestOpenAPI_RequestsWithAllDefaultsAreTaken(t *testing.T) {
	doc := described(t, newFixture(t))
	for _, o := range Operations() {
		if o.Method != http.MethodPost || o.Each != nil {
			continue
		}
		op := at(doc, "paths", openapi.Path(o.Path), "post")
		target, params := exampled(o)
		query := url.Values{"apiKey": {keyEnterprise}}
		for _, p := range at(op, "parameters").([]any) {
			if v := at(p, "schema", "default"); v != nil && at(p, "in") == "query" {
				query.Set(at(p, "name").(string), fmt.Sprint(v))
			}
		}
		properties, _ := at(resolved(doc, at(op, "requestBody", "content", "application/json", "schema")), "properties").(map[string]any)
		body := map[string]any{}
		for name, p := range properties {
			if v := at(p, "default"); v != nil {
				body[name] = v
				params.Set(name, fmt.Sprint(v))
			} else if params.Has(name) {
				body[name] = params.Get(name)
			}
		}
		asJSON, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(asJSON), params.Encode()} {
			if w := newFixture(t).do(o.Method, target+"?"+query.Encode(), text); w.Code != http.StatusOK && w.Code != http.StatusAccepted {
				t.Errorf("%s: %s: %d %s", o.Name(), text, w.Code, w.Body)
			}
		}
	}
}

// The document names the host that it was asked of, as other addresses in answers do.
func TestOpenAPI_ServersFollowTheHost(t *testing.T) {
	h := newFixture(t)
	server := func(host string) any {
		r := httptest.NewRequest(http.MethodGet, "/openapi.json", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.api.ServeHTTP(w, r)
		var doc map[string]any
		h.ok(w, &doc)
		return at(at(doc, "servers").([]any)[0], "url")
	}
	equal(t, "https://api.example", server("other.example"), "with a base address of its own")
	h.api.Config.ByHost = true
	equal(t, "http://other.example:8080", server("other.example:8080"), "by host")
}

// The type of a problem is an address that says what the error means.
func TestProblem_TypeIsAnAddress(t *testing.T) {
	h := newFixture(t)
	for _, code := range problem.Codes() {
		var page struct {
			Type, When   string
			Code, Status int
		}
		h.ok(h.do(http.MethodGet, "/errors/"+problem.Slug(code), ""), &page)
		if page.Type != "/errors/"+problem.Slug(code) || page.Code != int(code) || page.Status != problem.Status(code) || page.When == "" {
			t.Errorf("%d: %+v", code, page)
		}
	}
	h.refused(h.do(http.MethodGet, "/errors/nothing", ""), domain.NotFound, "")
	for _, path := range []string{"/errors/gone%2Fhtml", "/errors/gone/html", "/errors/gone"} {
		if w := h.do(http.MethodGet, path, ""); strings.Contains(w.Body.String(), "<html") {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	// A browser gets a page.
	w := h.do(http.MethodGet, "/errors/wrong-password", "", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if text := w.Body.String(); w.Code != http.StatusOK || !strings.HasPrefix(text, "<!DOCTYPE html>") || !strings.Contains(text, "Error code 18, status 401") ||
		!slices.Contains(w.Header().Values("Vary"), "Accept") || w.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("%v %s", w.Header(), text)
	}
}

// The document names the bands of stats/age as they are answered.
func TestOpenAPI_NamesEveryAgeBand(t *testing.T) {
	doc := described(t, newFixture(t))
	text, _ := at(doc, "components", "schemas", "Age", "properties", "Age", "description").(string)
	if bands := strings.Join(domain.AgeBands[:], ", "); !strings.Contains(text, ": "+bands+", or Unknown") {
		t.Errorf("Age.Age is %q: it does not name the bands %s", text, bands)
	}
}

// The document has each model and each set of words once, under a name: a generated client has one
// type for it, whatever media types and operations it is in.
func TestOpenAPI_ModelsAreNamedOnce(t *testing.T) {
	doc := described(t, newFixture(t))
	sets := map[string]string{}
	var look func(v any, at string)
	look = func(v any, where string) {
		switch v := v.(type) {
		case map[string]any:
			if v["properties"] != nil && strings.Count(where, "/") > 3 {
				t.Errorf("%s is a model without a name", where)
			}
			if words, ok := v["enum"].([]any); ok && !strings.Contains(where, "/components/schemas/") || ok && strings.HasSuffix(where, "Word") {
				if other := sets[fmt.Sprint(words)]; other != "" {
					t.Errorf("%s has the words of %s", where, other)
				}
				sets[fmt.Sprint(words)] = where
			}
			for name, x := range v {
				if name != "example" {
					look(x, where+"/"+name)
				}
			}
		case []any:
			for _, x := range v {
				look(x, where)
			}
		}
	}
	look(doc, "")
	if len(sets) < 10 {
		t.Errorf("%d sets of words", len(sets))
	}
	for _, o := range Operations() {
		content, _ := at(doc, "paths", openapi.Path(o.Path), strings.ToLower(o.Method), "requestBody", "content").(map[string]any)
		form, json := at(content, "application/x-www-form-urlencoded", "schema", "$ref"), at(content, "application/json", "schema", "$ref")
		if content != nil && o.Each == nil && (form == nil || form != json) {
			t.Errorf("%s: a form is %v, JSON is %v", o.Name(), form, json)
		}
	}
}

// Services that an operation refuses are not among its words, and the words that are there are taken.
func TestOpenAPI_ServicesAreThoseTaken(t *testing.T) {
	h := newFixture(t)
	doc := described(t, h)
	for _, c := range []struct {
		target, with string
		refused      []string
	}{
		{"/v1.1/member/register", "uid=u&authtoken=x&service=", []string{"rdio", "beatsmusic", "custom"}},
		{"/v1.1/member/login", "uid=u&authtoken=x&service=", []string{"custom"}},
		{"/v1.1/member/{memberid}/verify", "verified_email=a@b.example&service=", []string{"custom"}},
		{"/v1.1/member/{memberid}/tokens/refresh", "service=", []string{"custom"}},
	} {
		body := resolved(doc, at(doc, "paths", c.target, "post", "requestBody", "content", "application/json", "schema"))
		words := at(resolved(doc, at(body, "properties", "service")), "enum").([]any)
		equal(t, len(bind.ServiceWords())-len(c.refused), len(words), c.target)
		for _, word := range bind.ServiceWords() {
			w := h.post(strings.Replace(c.target, "{memberid}", "8195", 1), c.with+word)
			p, _ := problemOf(w)
			malformed := p.Error.Code == int(domain.InvalidParameter) && p.Parameter == "service"
			if malformed != slices.Contains(c.refused, word) || malformed == slices.Contains(words, any(word)) {
				t.Errorf("%s %s: %d %s", c.target, word, w.Code, w.Body)
			}
		}
	}
}

// That a member is unknown is an error at once, whatever async is, and the document says so.
func TestOpenAPI_UnknownMemberOfARecord(t *testing.T) {
	h := newFixture(t)
	doc := described(t, h)
	for _, async := range []string{"0", "1"} {
		h.refused(h.post("/v1.1/activity/record", "activityid=100&brandid=1&id=999999&async="+async), domain.NotFound, "id")
		w, _ := h.lines("?async="+async, `{"activityid":100,"brandid":1,"id":999999}`)
		equal(t, int(domain.NotFound), w.Items[0].Error.Code, "async="+async)
	}
	for _, path := range []string{"/v1.1/activity/record", "/v1.1/activities/record"} {
		op := at(doc, "paths", path, "post")
		about, later := at(op, "description").(string), at(op, "responses", "202", "description").(string)
		if !strings.Contains(strings.ToLower(about), "unknown member") || !strings.Contains(about, "is error 5") || strings.Contains(later, "unknown") {
			t.Errorf("%s: %q, 202: %q", path, about, later)
		}
	}
}
