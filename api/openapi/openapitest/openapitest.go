package openapitest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/klauspost/compress/zstd"
)

// events is the media type of server-sent events.
const events = "text/event-stream"

func init() {
	text := func(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
		b, err := io.ReadAll(body)
		return string(b), err
	}
	for _, kind := range []string{"application/rss+xml", events, "image/svg+xml", "text/html", "text/css", "text/javascript"} {
		openapi3filter.RegisterBodyDecoder(kind, text)
	}
	openapi3filter.RegisterBodyDecoder("application/jwk-set+json", openapi3filter.JSONBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", decodeLines)
}

// decodeLines reads lines of JSON: each is an element of an array.
func decodeLines(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
	d := json.NewDecoder(body)
	out := []any{}
	for {
		var line any
		if err := d.Decode(&line); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, line)
	}
}

// Checker compares answers with a document.
type Checker struct {
	router  routers.Router
	problem *routers.Route // of a path that is no operation's
}

// New reads a document, which has to be valid, its examples too.
func New(document []byte) (*Checker, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, err
	}
	// As a document of 3.1 each answer would have its schema compiled again: as one of 3.0 it is
	// visited as it is. What the visitor does not know is patternProperties.
	doc.OpenAPI, doc.Servers = "3.0.3", nil
	for _, s := range doc.Components.Schemas {
		for _, pattern := range s.Value.PatternProperties {
			s.Value.AdditionalProperties = openapi3.AdditionalProperties{Schema: pattern}
		}
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	problem := doc.Components.Responses["Problem"]
	if problem == nil {
		return nil, errors.New("the document has no response Problem")
	}
	responses := openapi3.NewResponsesWithCapacity(1)
	responses.Set("default", problem)
	return &Checker{router, &routers.Route{Spec: doc, Operation: &openapi3.Operation{Responses: responses}}}, nil
}

// Check compares an answer to a request with the document.
func (c *Checker) Check(r *http.Request, status int, header http.Header, body []byte) error {
	switch {
	case r.Method == http.MethodHead:
		if len(body) > 0 {
			return fmt.Errorf("%s %s has a body", r.Method, r.URL.Path)
		}
		return nil
	case status == http.StatusNotModified || status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect:
		if len(body) > 0 {
			return fmt.Errorf("%s %s: %d has a body", r.Method, r.URL.Path, status)
		}
	case r.Method == http.MethodOptions && status < http.StatusBadRequest: // a browser's question, no operation's
		return nil
	}
	route, _, err := c.router.FindRoute(r)
	if err != nil {
		if status < http.StatusBadRequest && status != http.StatusMovedPermanently && status != http.StatusTemporaryRedirect {
			return fmt.Errorf("%s %s: %d, and the document has no such operation: %w", r.Method, r.URL.Path, status, err)
		}
		route = c.problem
	}
	if err := c.documented(route, r, status); err != nil {
		return err
	}
	if body, err = decoded(header.Get("Content-Encoding"), body); err != nil {
		return fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, err)
	}
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	header = header.Clone()
	header.Set("Content-Type", kind)
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route},
		Status:                 status,
		Header:                 header,
	}
	input.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(r.Context(), input); err != nil {
		return fmt.Errorf("%s %s: %d: %w", r.Method, r.URL.Path, status, err)
	}
	return nil
}

// decoded is a body without its coding.
func decoded(coding string, body []byte) ([]byte, error) {
	switch coding {
	case "":
		return body, nil
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case "zstd":
		z, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return z.DecodeAll(body, nil)
	}
	return nil, fmt.Errorf("the coding %q is none of the contract's", coding)
}

// documented refuses a success that the operation does not name: default is for errors.
func (c *Checker) documented(route *routers.Route, r *http.Request, status int) error {
	redirected := status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect
	if status >= http.StatusBadRequest || redirected || route.Operation.Responses.Status(status) != nil {
		return nil
	}
	return fmt.Errorf("%s %s: the document does not name the status %d", r.Method, r.URL.Path, status)
}

// Transport checks the answers that next brings; failed gets what is wrong.
func (c *Checker) Transport(next http.RoundTripper, failed func(error)) http.RoundTripper {
	return &transport{c, next, failed}
}

type transport struct {
	checker *Checker
	next    http.RoundTripper
	failed  func(error)
}

// RoundTrip sends the request and gives the answer, checked. An answer of events has no end: its header alone is checked.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if answer.Header.Get("Content-Type") == events {
		header := answer.Header.Clone()
		header.Del("Content-Encoding") // of nothing
		if err := t.checker.Check(r, answer.StatusCode, header, nil); err != nil {
			t.failed(err)
		}
		return answer, nil
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
		return answer, nil
	}
	if err := t.checker.Check(r, answer.StatusCode, answer.Header, body); err != nil {
		t.failed(err)
	}
	return answer, nil
}

// failing is the end of a body that could not be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
