package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ovation-analytics/ovation/api/openapi"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// described is /openapi.json as served.
func described(t *testing.T, h *fixture) map[string]any {
	t.Helper()
	w := h.do(http.MethodGet, "/openapi.json", "")
	var doc map[string]any
	h.ok(w, &doc)
	return doc
}

// at follows keys through objects.
func at(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

// Every route is documented, and every documented path is served.
func TestOpenAPI_EachRoute(t *testing.T) {
	h := newFixture(t)
	doc := described(t, h)
	documented := map[string]bool{}
	for path, methods := range at(doc, "paths").(map[string]any) {
		for method := range methods.(map[string]any) {
			documented[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, o := range Operations() {
		name := o.Method + " " + openapi.Path(o.Path)
		if !documented[name] {
			t.Errorf("%s is served and not documented", name)
		}
	}
	for name := range documented {
		method, path, _ := strings.Cut(name, " ")
		path = strings.NewReplacer("{slug}", "gone", "{file}", "page.js").Replace(path)
		path = regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "1")
		w := h.do(method, path, "")
		if w.Code == http.StatusNotFound || w.Code == http.StatusMethodNotAllowed {
			t.Errorf("%s is documented and answers %d", name, w.Code)
		}
		other := map[string]string{"GET": "POST", "POST": "GET"}[method]
		if w := h.do(other, path, ""); !documented[other+" "+strings.TrimPrefix(name, method+" ")] && w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s %s is not documented and answers %d", other, path, w.Code)
		}
	}
}

// Operation ids are unique, path parameters agree with paths, and references lead somewhere.
func TestOpenAPI_References(t *testing.T) {
	h := newFixture(t)
	doc := described(t, h)
	if doc["openapi"] != "3.1.0" || at(doc, "info", "version") != "1.1" {
		t.Error("not OpenAPI 3.1 of 1.1")
	}
	ids := map[string]bool{}
	for path, methods := range at(doc, "paths").(map[string]any) {
		for method, op := range methods.(map[string]any) {
			id := at(op, "operationId").(string)
			if ids[id] {
				t.Errorf("two operations are called %s", id)
			}
			ids[id] = true
			names := map[string]bool{}
			inPath := 0
			parameters, _ := at(op, "parameters").([]any)
			for _, p := range parameters {
				name, in := at(p, "name").(string), at(p, "in").(string)
				if names[strings.ToLower(name)] {
					t.Errorf("%s %s has two parameters named %s", method, path, name)
				}
				names[strings.ToLower(name)] = true
				if in == "path" {
					inPath++
					if !strings.Contains(path, "{"+name+"}") && !strings.Contains(strings.ToLower(path), "{"+strings.ToLower(name)+"}") {
						t.Errorf("%s: path parameter %s is not in the path", path, name)
					}
				}
			}
			equal(t, strings.Count(path, "{"), inPath, path)
		}
	}
	var refs func(v any)
	refs = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if r, ok := v["$ref"].(string); ok && at(doc, strings.Split(strings.TrimPrefix(r, "#/"), "/")...) == nil {
				t.Errorf("%s leads nowhere", r)
			}
			for _, x := range v {
				refs(x)
			}
		case []any:
			for _, x := range v {
				refs(x)
			}
		}
	}
	refs(doc)
}

// schemas compiles the document's schemas.
func schemas(t *testing.T, doc any) *jsonschema.Compiler {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("https://api.example/openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return c
}

// conforms checks a value against the schema at a place of the document.
func conforms(c *jsonschema.Compiler, v any, place ...string) error {
	var at strings.Builder
	at.WriteString("https://api.example/openapi.json#")
	for _, p := range place {
		at.WriteString("/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(p)))
	}
	schema, err := c.Compile(at.String())
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

// schemasOf are the places of all schemas of the document.
func schemasOf(doc any) (places [][]string) {
	var find func(v any, at []string)
	find = func(v any, at []string) {
		object, _ := v.(map[string]any)
		for name, x := range object {
			here := append(slices.Clone(at), name)
			switch {
			case name == "schema" || len(at) == 2 && at[0] == "components" && at[1] == "schemas":
				places = append(places, here)
			case name == "parameters":
				for i, p := range x.([]any) {
					places = append(places, append(slices.Clone(here), strconv.Itoa(i), "schema"))
					_ = p
				}
			case name != "example":
				find(x, here)
			}
		}
	}
	find(doc, nil)
	return places
}

// Every schema of the document is valid JSON Schema 2020-12: a generator that looks into
// them meets no surprise.
func TestOpenAPI_SchemasAreValid(t *testing.T) {
	doc := described(t, newFixture(t))
	c := jsonschema.NewCompiler()
	meta, err := c.Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	places := schemasOf(doc)
	if len(places) < 500 {
		t.Fatalf("%d schemas: the test shows nothing", len(places))
	}
	for _, place := range places {
		var schema any = doc
		for _, p := range place {
			if list, ok := schema.([]any); ok {
				i, _ := strconv.Atoi(p)
				schema = list[i]
				continue
			}
			schema = schema.(map[string]any)[p]
		}
		if err := meta.Validate(schema); err != nil {
			t.Errorf("%v: %v", place, err)
		}
	}
}

// exampled is a request made of an operation's documented examples: the parameters of a first one
// and those named.
func exampled(o *serve.Operation, also ...string) (target string, body url.Values) {
	target, body = o.Path, url.Values{}
	for _, q := range o.Plan.Params() {
		switch {
		case q.Name == "apiKey" || q.Later || q.Eg == "":
		case q.InPath:
			target = strings.Replace(strings.ToLower(target), ":"+strings.ToLower(q.Name), q.Eg, 1)
		case openapi.InFirst(o, q) || slices.Contains(also, q.Name):
			body.Set(q.Name, q.Eg)
		}
	}
	return target, body
}

// beside are parameters that one cannot stand without.
var beside = map[string]string{"region": "country", "optedin": "segment", "threshold": "showbrands", "strict_sso": "domain", "limit": "showactions"}

// requested is a request of an operation.
type requested struct{ target, body string }

// requestsOf are requests made of an operation's documented examples: with what it needs, with each
// of the other parameters, and with all.
func requestsOf(o *serve.Operation) (out []requested) {
	sets := [][]string{nil}
	var all []string
	for _, q := range o.Plan.Params() {
		if q.Eg != "" && !q.Later && !q.InPath {
			sets, all = append(sets, []string{q.Name, beside[q.Name]}), append(all, q.Name)
		}
	}
	for _, set := range append(sets, all) {
		target, params := exampled(o, set...)
		body := params.Encode()
		switch {
		case o.Method == http.MethodGet:
			target, body = target+"?"+body, ""
		case o.Each != nil:
			target, body = target+"?"+body, exampleRecord(o)
		}
		out = append(out, requested{target, body})
	}
	return out
}

// Every documented example is answered in the documented shape.
func TestOpenAPI_ExamplesAreServed(t *testing.T) {
	c := schemas(t, described(t, newFixture(t)))
	for _, o := range Operations() {
		for _, r := range requestsOf(o) {
			h := newFixture(t)
			w := h.do(o.Method, keyed(r.target, keyEnterprise), r.body)
			if w.Code != http.StatusOK && w.Code != http.StatusAccepted {
				t.Errorf("%s %s with %s: %d %s", o.Method, r.target, r.body, w.Code, w.Body)
				continue
			}
			if w.Header().Get("Content-Type") != wire.ContentType { // held against the document by the fixture
				continue
			}
			path := openapi.Path(o.Path)
			var v any
			if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
				t.Fatalf("%s: %v", o.Name(), err)
			}
			if err := conforms(c, v, "paths", path, strings.ToLower(o.Method), "responses", fmt.Sprint(w.Code), "content", "application/json", "schema"); err != nil {
				t.Errorf("%s: %v", o.Name(), err)
			}
		}
	}
}

// Problems have the documented shape.
func TestOpenAPI_Problems(t *testing.T) {
	h := newFixture(t)
	c := schemas(t, described(t, h))
	for _, target := range []string{"/nothing", "/v1.1/brands", "/v1.1/brands?apiKey=" + keyAdvanced + "&limit=x"} {
		var v any
		w := h.do(http.MethodGet, target, "")
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if err := conforms(c, v, "components", "responses", "Problem", "content", problem.ContentType, "schema"); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
}
