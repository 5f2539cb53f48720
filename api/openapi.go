package api

import (
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/problem"
)

// object is a JSON object of the document.
type object = map[string]any

// version of the interface, not of the program.
const version = "1.1"

// describe gives the OpenAPI 3.1 document of the operations: parameters from their
// input structs, answers from the shapes of package wire.
func describe(base string, operations []*Operation) object {
	d := &describer{schemas: object{}}
	paths := object{}
	for _, o := range operations {
		path := placeholder.ReplaceAllString(o.Path, "/{$1}")
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path].(object)[strings.ToLower(o.Method)] = d.operation(o)
	}
	for _, p := range pages {
		paths[placeholder.ReplaceAllString(p.path, "/{$1}")] = object{"get": d.page(p)}
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
			"securitySchemes": object{"apiKey": object{"type": "apiKey", "in": "query", "name": "apiKey", "description": keyText}},
		},
		"security": []object{{"apiKey": []string{}}},
	}
}

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

func (d *describer) operation(o *Operation) object {
	read := o.Method == http.MethodGet
	responses := object{"default": object{"$ref": "#/components/responses/Problem"}}
	for _, out := range o.out {
		r := answered(outcomeText(o, out.status), "application/json", d.schema(out.shape), o.headers()...)
		if example := example(o.ID, out.status); example != nil {
			r["content"].(object)["application/json"].(object)["example"] = example
		}
		responses[strconv.Itoa(out.status)] = r
	}
	op := object{"operationId": o.ID, "summary": o.Summary, "tags": []string{o.Group}, "responses": responses}
	var params []object
	for _, q := range o.plan.Params() {
		if o.inQuery(q) {
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
	text := o.text()
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
func (o *Operation) inQuery(q *bind.Param) bool {
	switch {
	case strings.EqualFold(q.Name, "apiKey"):
		return false
	case q.InPath, o.Method == http.MethodGet, o.each != nil:
		return true
	}
	return q.Name == "wait_for" || q.Name == "timeout_ms"
}

// headers are those of the operation's answers.
func (o *Operation) headers() []string {
	names := []string{"X-Position", "X-Request-Id", "Warning"}
	if o.Method != http.MethodGet {
		return append(names, "Idempotent-Replayed")
	}
	names = append(names, "ETag", "X-Lag-Ms")
	if o.plan.Has("start_date") {
		names = append(names, "X-Range")
	}
	if o.plan.Has("cursor") {
		names = append(names, "Link")
	}
	return names
}

// page describes a document that needs no key.
func (d *describer) page(p fixedPage) object {
	op := object{
		"operationId": p.id, "summary": p.summary, "tags": []string{"Documents"}, "security": []object{},
		"responses": object{"200": object{"description": "OK", "content": object{p.kind: object{"schema": object{"type": "object"}}}}},
	}
	if strings.Contains(p.path, ":") {
		op["parameters"] = []object{{"name": "slug", "in": "path", "required": true, "description": "the last part of a problem's type", "schema": object{"type": "string", "enum": slugs()}}}
		op["responses"].(object)["default"] = object{"$ref": "#/components/responses/Problem"}
	}
	return op
}
