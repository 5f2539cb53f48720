package openapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/serve"
)

// object is a JSON object of the document.
type object = map[string]any

// version of the interface, not of the program.
const version = "1.1"

// Document is the document of the operations as JSON, by the base address of the service.
func Document(operations []*serve.Operation) (func(base string) []byte, error) {
	const base = "http://base.invalid"
	whole, err := json.Marshal(describe(base, operations))
	before, after, _ := bytes.Cut(whole, []byte(base))
	return func(base string) []byte { return bytes.Join([][]byte{before, after}, []byte(base)) }, err
}

// describe gives the OpenAPI 3.1 document of the operations: parameters from their
// input structs, answers from the shapes of package wire.
func describe(base string, operations []*serve.Operation) object {
	d := &describer{schemas: object{}}
	paths := object{}
	for _, o := range operations {
		path := Path(o.Path)
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path].(object)[strings.ToLower(o.Method)] = d.operation(o)
	}
	for _, p := range serve.Pages {
		paths[Path(p.Path)] = object{"get": d.page(p)}
	}
	d.schema(reflect.TypeFor[problem.Problem]())
	d.schemas["Problem"].(object)["example"] = problem.Of(domain.Bad(domain.MissingParameter, "name", "name is required"))
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "Ovation", "version": version, "description": manual},
		"servers": []object{{"url": base}}, "tags": tags, "paths": paths,
		"components": object{
			"schemas": d.schemas,
			"headers": headers,
			"responses": object{
				"Problem":     answered(problemText(), problem.ContentType, ref("Problem"), "X-Request-Id", "Retry-After", "Warning"),
				"NotModified": object{"description": "The client has this answer: a tag of If-None-Match is its ETag. There is no body.", "headers": refs("ETag", "X-Position", "X-Lag-Ms", "X-Request-Id")},
			},
			"securitySchemes": object{
				"apiKey": object{"type": "apiKey", "in": "query", "name": "apiKey", "description": keyText},
				"bearer": object{"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": bearerText},
			},
		},
		"security": []object{{"apiKey": []string{}}},
	}
}

// Path is an operation's path as the document has it.
func Path(path string) string { return placeholder.ReplaceAllString(path, "/{$1}") }

var placeholder = regexp.MustCompile(`/:(\w+)`)

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// refs are headers of a response by name.
func refs(names ...string) object {
	out := object{}
	for _, n := range names {
		out[n] = object{"$ref": "#/components/headers/" + n}
	}
	return out
}

// answered is a response with a body and headers.
func answered(description, kind string, schema object, names ...string) object {
	return object{"description": description, "headers": refs(names...), "content": object{kind: object{"schema": schema}}}
}

// describer collects the schemas that answers are made of.
type describer struct{ schemas object }

func (d *describer) operation(o *serve.Operation) object {
	read := o.Method == http.MethodGet
	responses := object{"default": object{"$ref": "#/components/responses/Problem"}}
	for _, out := range o.Outcomes {
		r := answered(outcomeText(o, out.Status), "application/json", d.schema(out.Shape), headersOf(o)...)
		if example := example(o.ID, out.Status); example != nil {
			r["content"].(object)["application/json"].(object)["example"] = example
		}
		responses[strconv.Itoa(out.Status)] = r
	}
	op := object{"operationId": o.ID, "summary": o.Summary, "tags": []string{o.Group}, "responses": responses}
	var params []object
	for _, q := range o.Plan.Params() {
		if inQuery(o, q) {
			params = append(params, d.parameter(q))
		}
	}
	if read {
		responses["304"] = object{"$ref": "#/components/responses/NotModified"}
		params = append(params, ifNoneMatch)
	} else {
		params = append(params, idempotencyKey)
		d.body(op, o)
	}
	op["parameters"] = params
	if o.TakesBearer {
		op["security"] = []object{{"apiKey": []string{}}, {"apiKey": []string{}, "bearer": []string{}}}
	}
	text := textOf(o)
	if o.Advanced {
		op["x-plan"] = domain.Advanced.String()
		text = append(text, "Needs the advanced plan (else error 9).")
	}
	if len(text) > 0 {
		op["description"] = strings.Join(text, " ")
	}
	return op
}

// inQuery reports that the document has the parameter beside the body. A parameter is
// described once: a client that sends the defaults of what is described would else send it
// twice. The security scheme describes the key.
func inQuery(o *serve.Operation, q *bind.Param) bool {
	switch {
	case strings.EqualFold(q.Name, "apiKey"):
		return false
	case q.InPath, o.Method == http.MethodGet, o.Each != nil:
		return true
	}
	return q.Name == "wait_for" || q.Name == "timeout_ms"
}

// headersOf are those of the operation's answers.
func headersOf(o *serve.Operation) []string {
	names := []string{"X-Position", "X-Request-Id", "Warning"}
	if o.Method != http.MethodGet {
		return append(names, "Idempotent-Replayed")
	}
	names = append(names, "ETag", "X-Lag-Ms")
	if o.Plan.Has("start_date") {
		names = append(names, "X-Range")
	}
	if o.Plan.Has("cursor") {
		names = append(names, "Link")
	}
	return names
}

// page describes a document that needs no key.
func (d *describer) page(p serve.Page) object {
	op := object{
		"operationId": p.ID, "summary": p.Summary, "tags": []string{"Documents"}, "security": []object{},
		"responses": object{"200": object{"description": "OK", "content": object{p.Kind: object{"schema": object{"type": "object"}}}}},
	}
	if strings.Contains(p.Path, ":") {
		op["parameters"] = []object{{"name": "slug", "in": "path", "required": true, "description": "the last part of a problem's type", "schema": object{"type": "string", "enum": slugs()}}}
		op["responses"].(object)["default"] = object{"$ref": "#/components/responses/Problem"}
	}
	return op
}
