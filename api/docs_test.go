package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/openapi"
	"github.com/ovation-analytics/ovation/api/serve"
)

// pageDocument is the document that /docs loads.
func (h *fixture) pageDocument() map[string]any {
	h.t.Helper()
	var doc map[string]any
	h.ok(h.do(http.MethodGet, "/docs/openapi.json", ""), &doc)
	return doc
}

// A page fills in what is an example or a default. In the document of /docs only parameters of an
// operation's first request have one, and none has a default; what is filled in is in the texts of others.
func TestDocs_OptionalParametersAreEmpty(t *testing.T) {
	doc := newFixture(t).pageDocument()
	filled, empty := 0, 0
	for _, o := range Operations() {
		op := at(doc, "paths", openapi.Path(o.Path), strings.ToLower(o.Method))
		for _, p := range at(op, "parameters").([]any) {
			schema := resolved(doc, at(p, "schema"))
			first := paramOf(o, at(p, "name"))
			wanted := first != nil && openapi.InFirst(o, first)
			example := at(p, "example")
			if wanted != (example != nil) || at(p, "required") == true && example == nil {
				t.Errorf("%s: %s begins with %v", o.Name(), at(p, "name"), example)
			}
			for _, name := range []string{"default", "example", "examples"} {
				if at(schema, name) != nil || name != "example" && at(p, name) != nil {
					t.Errorf("%s: %s has %s: a page fills it in", o.Name(), at(p, "name"), name)
				}
			}
			if text, _ := at(p, "description").(string); !wanted && first != nil && !strings.Contains(text, first.Eg) {
				t.Errorf("%s: the text of %s does not say %q", o.Name(), first.Name, first.Eg)
			}
			if wanted {
				filled++
			} else {
				empty++
			}
		}
	}
	if filled < 40 || empty < 500 {
		t.Errorf("%d parameters are filled in and %d are empty: the test shows nothing", filled, empty)
	}
}

// paramOf is a parameter by its name; nil: it is a header that each operation has.
func paramOf(o *serve.Operation, name any) *bind.Param {
	for _, q := range o.Plan.Params() {
		if q.Name == name {
			return q
		}
	}
	return nil
}

// tried is what /docs sends first for an operation, by the media type of its body.
func tried(t *testing.T, doc any, o *serve.Operation) (target string, bodies map[string]string) {
	t.Helper()
	op := at(doc, "paths", openapi.Path(o.Path), strings.ToLower(o.Method))
	target, query := openapi.Path(o.Path), url.Values{"strict": {"1"}}
	for _, p := range at(op, "parameters").([]any) {
		value := at(p, "example")
		switch {
		case value == nil:
		case at(p, "in") == "path":
			target = strings.Replace(target, fmt.Sprintf("{%s}", at(p, "name")), fmt.Sprint(value), 1)
		default:
			query.Set(at(p, "name").(string), fmt.Sprint(value))
		}
	}
	content, _ := at(op, "requestBody", "content").(map[string]any)
	bodies = map[string]string{}
	for kind := range content {
		example := at(content, kind, "example")
		text, lines := example.(string)
		if !lines {
			b, err := json.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		bodies[kind] = text
	}
	if o.Method == http.MethodGet {
		bodies[""] = ""
	}
	return target + "?" + query.Encode(), bodies
}

// What /docs begins with is a request that each operation answers; its bodies fit the document and have
// what such a request needs, and no more.
func TestDocs_FirstRequestsAreAnswered(t *testing.T) {
	doc := newFixture(t).pageDocument()
	c := schemas(t, doc)
	for _, o := range Operations() {
		target, bodies := tried(t, doc, o)
		if len(bodies) == 0 || o.Each != nil && len(bodies) != 2 {
			t.Errorf("%s: %d bodies", o.Name(), len(bodies))
		}
		for kind, body := range bodies {
			w := newFixture(t).do(o.Method, keyed(target, keyEnterprise), body, "Content-Type", kind)
			if w.Code != http.StatusOK && w.Code != http.StatusAccepted || w.Header().Values("Warning") != nil {
				t.Errorf("%s %s with %s: %d %s, Warning %q", o.Method, target, body, w.Code, w.Body, w.Header().Values("Warning"))
			}
			var v any = body
			if kind == "application/json" {
				if err := json.Unmarshal([]byte(body), &v); err != nil {
					t.Fatal(err)
				}
			}
			if kind == "" {
				continue
			}
			place := []string{"paths", openapi.Path(o.Path), "post", "requestBody", "content", kind, "schema"}
			if err := conforms(c, v, place...); err != nil {
				t.Errorf("%s: %s: %v", o.Name(), body, err)
			}
		}
	}
}

// The page sends its requests to the server that it comes from, whatever name that has.
func TestDocs_TriesItsOwnServer(t *testing.T) {
	doc := newFixture(t).pageDocument()
	if servers := at(doc, "servers").([]any); len(servers) != 1 || at(servers[0], "url") != "/" {
		t.Errorf("%v", servers)
	}
}

// Only the page of a demo looks for a key in its address. No file has one, and no other origin may read them.
func TestDocs_KeyOfADemo(t *testing.T) {
	h := newFixture(t)
	script := h.do(http.MethodGet, "/docs/page.js", "").Body.String()
	for _, want := range []string{`"demo" in document.body.dataset &&`, "location.hash", `history.replaceState(null, "", location.pathname)`, "persistAuthorization: false"} {
		if !strings.Contains(script, want) {
			t.Errorf("the script lacks %s", want)
		}
	}
	for _, demo := range []bool{false, true} {
		h.renew(func(c *Config) { c.Demo = demo })
		w := h.do(http.MethodGet, "/docs", "", "Origin", "https://elsewhere.example")
		if got := strings.Contains(w.Body.String(), "<body data-demo>"); got != demo {
			t.Errorf("demo %v: %s", demo, w.Body)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("demo %v: %v", demo, w.Header())
		}
	}
}
