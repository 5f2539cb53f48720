package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/api/openapi"
	"github.com/ovation-analytics/ovation/api/openapi/openapitest"
	"github.com/ovation-analytics/ovation/api/pages"
)

// contract holds the answers of this package's tests against the document.
var contract = sync.OnceValues(func() (*openapitest.Checker, error) {
	document, err := openapi.Document(Operations())
	if err != nil {
		return nil, err
	}
	return openapitest.New(document("https://api.example"))
})

// documented checks an answer against the document.
func documented(t testing.TB, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	c, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(r, w.Code, w.Header(), w.Body.Bytes()); err != nil {
		t.Error(err)
	}
}

// awaited are the fields of the interface's tables that operations of this version do not have yet.
var awaited = map[string]bool{}

// Every field of the interface's tables is in the document's answer of its operations, with its JSON type,
// and required unless it has to be asked for. Answers are held against the document elsewhere.
func TestContract_FieldsOfTheInterface(t *testing.T) {
	table, err := os.ReadFile("testdata/interface.tsv")
	if err != nil {
		t.Fatal(err)
	}
	doc := described(t, newFixture(t))
	served := map[string]string{} // by method and path
	for _, o := range Operations() {
		served[strings.ToLower(o.Name())] = o.Name()
	}
	checked, absent := 0, map[string]bool{}
	for n, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 4 {
			t.Fatalf("line %d has %d columns", n+1, len(columns))
		}
		for name := range strings.SplitSeq(columns[0], "; ") {
			if served[strings.ToLower(name)] == "" {
				absent[name] = true
				continue
			}
			method, path, _ := strings.Cut(served[strings.ToLower(name)], " ")
			schema := at(doc, "paths", openapi.Path(path), strings.ToLower(method), "responses", "200", "content", "application/json", "schema")
			for field := range strings.SplitSeq(columns[2], " ") {
				what := fmt.Sprintf("%s %s.%s", name, columns[1], field)
				if fault := typed(doc, schema, columns[1], field, columns[3]); fault != "" {
					if awaited[what] {
						t.Logf("awaited: %s %s", what, fault)
						continue
					}
					t.Errorf("line %d: %s %s", n+1, what, fault)
				}
				checked++
			}
		}
	}
	if checked < 300 {
		t.Errorf("%d fields were looked for", checked)
	}
	if len(absent) > 0 {
		t.Logf("no operations yet: %v", absent)
	}
}

// typed says what is wrong with a field at a place of an answer's schema; empty: nothing.
func typed(doc, schema any, place, field, types string) string {
	if place != "." {
		for step := range strings.SplitSeq(place, ".") {
			for name := range strings.SplitSeq(strings.ReplaceAll(step, "[]", "\x00[]"), "\x00") {
				schema = into(doc, schema, name)
			}
		}
	}
	object := resolved(doc, schema)
	found := at(object, "properties", field)
	if found == nil {
		return "is not in the answer"
	}
	types, optional := strings.CutSuffix(types, "?")
	want, maybeNull := strings.CutSuffix(types, "~null")
	got := jsonTypes(doc, found)
	if maybeNull {
		got = slices.DeleteFunc(got, func(s string) bool { return s == "null" })
	}
	if have := strings.Join(got, "|"); have != want {
		return fmt.Sprintf("is %s, not %s", have, want)
	}
	required, _ := at(object, "required").([]any)
	if !optional && !slices.Contains(required, any(field)) {
		return "is not required"
	}
	return ""
}

// into is the schema of a member of an object, or of an element of an array.
func into(doc, schema any, name string) any {
	schema = resolved(doc, schema)
	switch name {
	case "":
		return schema
	case "[]":
		return at(schema, "items")
	}
	return at(schema, "properties", name)
}

// resolved is a schema without references, and the part that is not null of one that may be.
func resolved(doc, schema any) any {
	if ref, ok := at(schema, "$ref").(string); ok {
		return resolved(doc, at(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
	}
	if of, ok := at(schema, "anyOf").([]any); ok {
		for _, s := range of {
			if at(s, "type") != "null" {
				return resolved(doc, s)
			}
		}
	}
	return schema
}

// jsonTypes are the types that a schema allows, null last.
func jsonTypes(doc, schema any) (types []string) {
	if of, ok := at(schema, "anyOf").([]any); ok {
		for _, s := range of {
			types = append(types, jsonTypes(doc, s)...)
		}
		return types
	}
	switch kind := at(resolved(doc, schema), "type").(type) {
	case string:
		return []string{kind}
	case []any:
		for _, k := range kind {
			types = append(types, k.(string))
		}
	}
	return types
}

// The document has each route and no other, and each operation is one of the interface.
func TestContract_RoutesAndDocument(t *testing.T) {
	routes, documented := map[string]bool{}, map[string]bool{}
	for _, p := range pages.All {
		if p.ID != "" {
			routes["get "+openapi.Path(p.Path)] = true
		}
	}
	served := map[string]bool{}
	for _, o := range Operations() {
		routes[strings.ToLower(o.Method)+" "+openapi.Path(o.Path)] = true
		served[unnamed(o.Name())] = true
	}
	for path, methods := range at(described(t, newFixture(t)), "paths").(map[string]any) {
		for method := range methods.(map[string]any) {
			documented[method+" "+path] = true
		}
	}
	equal(t, routes, documented, "routes, and those of the document")
	list, err := os.ReadFile("testdata/operations.txt")
	if err != nil {
		t.Fatal(err)
	}
	known, absent := map[string]bool{}, 0
	for line := range strings.Lines(string(list)) {
		name := unnamed(strings.TrimSpace(line))
		if strings.HasPrefix(name, "#") {
			continue
		}
		if known[name] = true; !served[name] {
			absent++
			t.Logf("not served yet: %s", name)
		}
	}
	for name := range served {
		if !known[name] {
			t.Errorf("%s is no operation of the interface", name)
		}
	}
	t.Logf("%d of %d operations are served", len(known)-absent, len(known))
}

// unnamed is a method and path without the names of parameters, which are not told apart.
func unnamed(name string) string { return regexp.MustCompile(`:\w+`).ReplaceAllString(name, ":") }
