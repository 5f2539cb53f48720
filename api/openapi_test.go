package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/problem"
)

// document is /openapi.json as served.
func document(t *testing.T, h *house) map[string]any {
	t.Helper()
	w := h.do(http.MethodGet, "/openapi.json", "")
	var doc map[string]any
	h.ok(w, &doc)
	return doc
}

// walk follows keys through objects.
func walk(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func TestEveryRouteIsDocumentedAndEveryDocumentedPathIsServed(t *testing.T) {
	h := newHouse(t)
	doc := document(t, h)
	documented := map[string]bool{}
	for path, methods := range walk(doc, "paths").(map[string]any) {
		for method := range methods.(map[string]any) {
			documented[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, o := range Operations() {
		name := o.Method + " " + placeholder.ReplaceAllString(o.Path, "/{$1}")
		if !documented[name] {
			t.Errorf("%s is served and not documented", name)
		}
	}
	for name := range documented {
		method, path, _ := strings.Cut(name, " ")
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

func TestDocumentHoldsTogether(t *testing.T) {
	h := newHouse(t)
	doc := document(t, h)
	if doc["openapi"] != "3.1.0" || walk(doc, "info", "version") != "1.1" {
		t.Error("not OpenAPI 3.1 of 1.1")
	}
	ids := map[string]bool{}
	for path, methods := range walk(doc, "paths").(map[string]any) {
		for method, op := range methods.(map[string]any) {
			id := walk(op, "operationId").(string)
			if ids[id] {
				t.Errorf("two operations are called %s", id)
			}
			ids[id] = true
			names := map[string]bool{}
			inPath := 0
			parameters, _ := walk(op, "parameters").([]any)
			for _, p := range parameters {
				name, in := walk(p, "name").(string), walk(p, "in").(string)
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
			if inPath != strings.Count(path, "{") {
				t.Errorf("%s has %d path parameters", path, inPath)
			}
		}
	}
	var refs func(v any)
	refs = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if r, ok := v["$ref"].(string); ok && walk(doc, strings.Split(strings.TrimPrefix(r, "#/"), "/")...) == nil {
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

// conforms checks a value against a schema of the document.
func conforms(doc any, schema, v any, at string) error {
	s := schema.(map[string]any)
	if r, ok := s["$ref"].(string); ok {
		return conforms(doc, walk(doc, strings.Split(strings.TrimPrefix(r, "#/"), "/")...), v, at)
	}
	if choices, ok := s["anyOf"].([]any); ok {
		var err error
		for _, c := range choices {
			if err = conforms(doc, c, v, at); err == nil {
				break
			}
		}
		return err
	}
	types, _ := s["type"].([]any)
	if one, ok := s["type"].(string); ok {
		types = []any{one}
	}
	if !slices.Contains(types, any(typeOf(v))) {
		return fmt.Errorf("%s is %s, not %v", at, typeOf(v), types)
	}
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			if err := conforms(doc, s["items"], x, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		return conformsObject(doc, s, v, at)
	}
	return nil
}

func conformsObject(doc any, s, v map[string]any, at string) error {
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			return fmt.Errorf("%s has no %s", at, name)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for name, x := range v {
		sub, ok := properties[name]
		for pattern, p := range patterns {
			if !ok && regexp.MustCompile(pattern).MatchString(name) {
				sub, ok = p, true
			}
		}
		if !ok && s["additionalProperties"] == false {
			return fmt.Errorf("%s has %s, which is not documented", at, name)
		}
		if ok {
			if err := conforms(doc, sub, x, at+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// exampled is a request made of an operation's documented examples: the required
// parameters and those named.
func exampled(o *Operation, also ...string) (target string, body url.Values) {
	target, body = o.Path, url.Values{}
	for _, q := range o.plan.Params() {
		switch {
		case q.Name == "apiKey" || q.Later || q.Eg == "":
		case q.InPath:
			target = strings.Replace(strings.ToLower(target), ":"+strings.ToLower(q.Name), q.Eg, 1)
		case q.Required || slices.Contains(also, q.Name):
			body.Set(q.Name, q.Eg)
		}
	}
	return target, body
}

// sufficient are optional parameters without which an operation cannot answer.
var sufficient = map[string][]string{
	"POST /v1.1/activity/record":           {"id", "brandid"},
	"POST /v1.1/member/register":           {"uid", "authtoken"},
	"POST /v1.1/member/:memberid/register": {"uid", "authtoken"},
	"GET /v1.1/member":                     {"email"},
	"POST /v1.1/optin":                     {"id"},
	"POST /v1.1/optout":                    {"id"},
	"POST /v1.1/brand/:brandid/optin":      {"id"},
	"POST /v1.1/brand/:brandid/optout":     {"id"},
	"POST /v1.1/segment/:segmentid/optin":  {"id"},
	"POST /v1.1/segment/:segmentid/optout": {"id"},
}

// beside are parameters that one cannot stand without.
var beside = map[string]string{"region": "country", "optedin": "segment", "threshold": "showbrands", "limit": "showactions"}

func TestEveryDocumentedExampleIsServedInTheDocumentedShape(t *testing.T) {
	doc := document(t, newHouse(t))
	for _, o := range Operations() {
		sets := [][]string{nil}
		var all []string
		for _, q := range o.plan.Params() {
			if q.Eg != "" && !q.Later && !q.InPath {
				sets, all = append(sets, []string{q.Name, beside[q.Name]}), append(all, q.Name)
			}
		}
		for _, set := range append(sets, all) {
			h := newHouse(t)
			target, params := exampled(o, append(set, sufficient[o.name()]...)...)
			body := params.Encode()
			switch {
			case o.Method == http.MethodGet:
				target, body = target+"?"+body, ""
			case o.each != nil:
				target, body = target+"?"+body, exampleRecord(o)
			}
			w := h.do(o.Method, keyed(target, keyEnterprise), body)
			if w.Code != http.StatusOK && w.Code != http.StatusAccepted {
				t.Errorf("%s with %v: %d %s", o.name(), params, w.Code, w.Body)
				continue
			}
			path := placeholder.ReplaceAllString(o.Path, "/{$1}")
			schema := walk(doc, "paths", path, strings.ToLower(o.Method), "responses", fmt.Sprint(w.Code), "content", "application/json", "schema")
			var v any
			if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || schema == nil {
				t.Fatalf("%s: %v, schema %v", o.name(), err, schema)
			}
			if err := conforms(doc, schema, v, "body"); err != nil {
				t.Errorf("%s: %v", o.name(), err)
			}
		}
	}
}

func TestProblemsHaveTheDocumentedShape(t *testing.T) {
	h := newHouse(t)
	doc := document(t, h)
	for _, target := range []string{"/nothing", "/v1.1/brands", "/v1.1/brands?apiKey=" + keyAdvanced + "&limit=x"} {
		var v any
		w := h.do(http.MethodGet, target, "")
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		schema := walk(doc, "components", "responses", "Problem", "content", problem.ContentType, "schema")
		if err := conforms(doc, schema, v, "body"); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
}
