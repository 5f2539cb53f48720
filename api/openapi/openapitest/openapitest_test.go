package openapitest

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const document = `{
  "openapi": "3.1.0", "info": {"title": "t", "version": "1"},
  "paths": {"/things/{id}": {"get": {
    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
    "responses": {
      "200": {"description": "OK", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
      "default": {"$ref": "#/components/responses/Problem"}
    }
  }}},
  "components": {
    "schemas": {
      "Thing": {"type": "object", "required": ["ID", "Name", "Part"], "additionalProperties": false, "patternProperties": {"^custom_": {"type": "integer"}},
        "properties": {"ID": {"type": "string", "pattern": "^[0-9]+$"}, "Name": {"type": ["string", "null"]},
          "Part": {"anyOf": [{"$ref": "#/components/schemas/Part"}, {"type": "null"}]}}},
      "Part": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}, "additionalProperties": false}
    },
    "responses": {"Problem": {"description": "p", "content": {"application/problem+json": {"schema":
      {"type": "object", "required": ["status"], "properties": {"status": {"type": "integer"}}}}}}}
  }
}`

// What differs from the document in status, media type or any value is found; what does not is taken.
func TestChecker_FindsWhatDiffers(t *testing.T) {
	c, err := New([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	const json, problem = "application/json", "application/problem+json"
	for _, x := range []struct {
		method, path string
		status       int
		kind, body   string
		good         bool
	}{
		{"GET", "/things/7", 200, json, `{"ID":"7","Name":null,"Part":null}`, true},
		{"GET", "/things/7", 200, json, `{"ID":"7","Name":"x","Part":{"n":1},"custom_a":3}`, true},
		{"GET", "/things/7", 200, json, `{"ID":7,"Name":"x","Part":null}`, false},
		{"GET", "/things/7", 200, json, `{"ID":"x","Name":"x","Part":null}`, false},
		{"GET", "/things/7", 200, json, `{"ID":"7","Part":null}`, false},
		{"GET", "/things/7", 200, json, `{"ID":"7","Name":"x","Part":{"n":"1"}}`, false},
		{"GET", "/things/7", 200, json, `{"ID":"7","Name":"x","Part":null,"More":"x"}`, false},
		{"GET", "/things/7", 200, json, `{"ID":"7","Name":"x","Part":null,"custom_a":"x"}`, false},
		{"GET", "/things/7", 200, "text/html", `{"ID":"7","Name":null,"Part":null}`, false},
		{"GET", "/things/7", 200, json, `{`, false},
		{"GET", "/things/7", 202, json, `{"ID":"7","Name":null,"Part":null}`, false},
		{"GET", "/things/7", 404, problem, `{"status":404}`, true},
		{"GET", "/things/7", 404, problem, `{"status":"404"}`, false},
		{"GET", "/things/7", 404, json, `{"status":404}`, false},
		{"GET", "/other", 404, problem, `{"status":404}`, true},
		{"GET", "/other", 404, "text/plain", `not found`, false},
		{"GET", "/other", 200, json, `{}`, false},
		{"POST", "/things/7", 405, problem, `{"status":405}`, true},
		{"GET", "/Things/7", 301, "", "", true},
		{"HEAD", "/things/7", 200, json, "", true},
		{"HEAD", "/things/7", 200, json, "x", false},
	} {
		r := httptest.NewRequest(x.method, "http://any.example"+x.path, nil)
		err := c.Check(r, x.status, http.Header{"Content-Type": {x.kind}}, []byte(x.body))
		if (err == nil) != x.good {
			t.Errorf("%s %s %d %s %s: %v", x.method, x.path, x.status, x.kind, x.body, err)
		}
	}
}

// A body in a coding of the contract is checked as what it holds; one in another, or that cannot be
// decoded, differs.
func TestChecker_Codings(t *testing.T) {
	c, err := New([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	for body, good := range map[string]bool{`{"ID":"7","Name":null,"Part":null}`: true, `{"ID":7}`: false} {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, _ = z.Write([]byte(body))
		z.Close()
		e, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		for coding, packed := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": e.EncodeAll([]byte(body), nil), "br": []byte(body), "": []byte(body)} {
			header := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {coding}}
			err := c.Check(httptest.NewRequest("GET", "/things/7", nil), 200, header, packed)
			if want := good && coding != "br"; (err == nil) != want {
				t.Errorf("%q of %s: %v", coding, body, err)
			}
		}
		header := http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}
		if c.Check(httptest.NewRequest("GET", "/things/7", nil), 200, header, []byte(body)) == nil {
			t.Error("a body that is no gzip is taken")
		}
		e.Close()
	}
}

// A transport gives the answer on, and what is wrong with it to the test.
func TestTransport_ChecksAndGivesOn(t *testing.T) {
	c, err := New([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ID":"` + strings.TrimPrefix(r.URL.Path, "/things/") + `","Name":null,"Part":null}`))
	}))
	defer s.Close()
	var failed []error
	h := http.Client{Transport: c.Transport(http.DefaultTransport, func(err error) { failed = append(failed, err) })}
	for path, faults := range map[string]int{"/things/7": 0, "/things/x": 1} {
		failed = nil
		answer, err := h.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 512)
		n, _ := answer.Body.Read(body)
		answer.Body.Close()
		if !strings.HasPrefix(string(body[:n]), `{"ID":"`) || len(failed) != faults {
			t.Errorf("%s: %s %v", path, body[:n], failed)
		}
	}
}
