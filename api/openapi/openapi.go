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
	"github.com/ovation-analytics/ovation/api/pages"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// object is a JSON object of the document.
type object = map[string]any

// version of the interface, not of the program.
const version = "1.1"

// Document is the document of the operations as JSON, by the base address of the service.
func Document(operations []*serve.Operation) (func(base string) []byte, error) {
	const base = "http://base.invalid"
	whole, err := json.Marshal(describe(base, operations, false))
	before, after, _ := bytes.Cut(whole, []byte(base))
	return func(base string) []byte { return bytes.Join([][]byte{before, after}, []byte(base)) }, err
}

// PageDocument is the document for a page that sends requests to the server it comes from. Such a page
// fills in what is an example or a default: here the parameters of a first request alone have one, and
// the texts of the others say theirs. Bodies are JSON alone.
func PageDocument(operations []*serve.Operation) ([]byte, error) {
	return json.Marshal(describe("/", operations, true))
}

// describe gives the OpenAPI 3.1 document of the operations: parameters from their
// input structs, answers from the shapes of package wire.
func describe(base string, operations []*serve.Operation, forPage bool) object {
	d := &describer{object{}, forPage}
	paths := object{}
	for _, o := range operations {
		path := Path(o.Path)
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path].(object)[strings.ToLower(o.Method)] = d.operation(o)
	}
	for _, p := range pages.All {
		if p.ID != "" {
			paths[Path(p.Path)] = object{"get": d.page(p)}
		}
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
				"Problem":     answered(problemText(), problem.ContentType, ref("Problem"), append([]string{"X-Request-Id", "Retry-After", "Warning"}, rateHeaders...)...),
				"NotModified": object{"description": "The client has this answer: a tag of If-None-Match is its ETag. There is no body.", "headers": refs(append([]string{"ETag", "X-Position", "X-Lag-Ms", "X-Request-Id"}, rateHeaders...)...)},
			},
			"securitySchemes": object{
				"key":       object{"type": "apiKey", "in": "header", "name": "X-API-Key", "description": keyText},
				"keyBearer": object{"type": "http", "scheme": "bearer", "description": keyBearerText},
				"keyQuery":  object{"type": "apiKey", "in": "query", "name": "apiKey", "description": keyQueryText},
				"member":    object{"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": bearerText},
			},
		},
		"security": security(false),
	}
}

// security are the ways to give the key, the best first; with a member's token beside it, where an
// operation takes one.
func security(member bool) []object {
	none := []string{}
	out := []object{{"key": none}, {"keyBearer": none}, {"keyQuery": none}}
	if member {
		out = append(out, object{"key": none, "member": none}, object{"keyQuery": none, "member": none})
	}
	return out
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
type describer struct {
	schemas object
	forPage bool
}

func (d *describer) operation(o *serve.Operation) object {
	read := o.Method == http.MethodGet
	responses := object{"default": object{"$ref": "#/components/responses/Problem"}}
	for _, out := range o.Outcomes {
		kind, schema := d.media(out.Shape)
		if out.Events {
			schema = d.events(out.Shape)
		}
		r := answered(outcomeText(o, out.Status), kind, schema, headersOf(o)...)
		if example := example(o.ID, out.Status, kind); example != nil {
			r["content"].(object)[kind].(object)["example"] = example
		}
		responses[strconv.Itoa(out.Status)] = r
	}
	op := object{"operationId": o.ID, "summary": o.Summary, "tags": []string{o.Group}, "responses": responses}
	var params []object
	for _, q := range o.Plan.Params() {
		if inQuery(o, q) {
			params = append(params, d.parameter(o, q))
		}
	}
	switch {
	case read && o.Outcomes[0].Events:
		params = append(params, lastEventID)
	case read && o.Outcomes[0].Streamed: // it has no ETag
	case read:
		responses["304"] = object{"$ref": "#/components/responses/NotModified"}
		params = append(params, ifNoneMatch)
	default:
		params = append(params, idempotencyKey)
		d.body(op, o)
	}
	op["parameters"] = params
	if o.Access.TakesBearer {
		op["security"] = security(true)
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

// lines is an answer of lines of JSON.
type lines interface {
	serve.Stream
	LineShapes() []reflect.Type
}

// events is the schema of server-sent events: a text, and beside it what the data of each event is, by its name.
func (d *describer) events(shape reflect.Type) object {
	of := object{"problem": ref("Problem")}
	for name, data := range reflect.Zero(shape).Interface().(interface {
		EventShapes() map[string]reflect.Type
	}).EventShapes() {
		of[name] = d.schema(data)
	}
	return object{
		"type": "string", "x-events": of,
		"description": "server-sent events: x-events has the schema of their data by the name of the event, which is JSON in one line",
	}
}

// media is the media type of a shape and its schema; one that is no JSON is a text, lines of JSON are
// an array of which a line is an element.
func (d *describer) media(shape reflect.Type) (kind string, schema object) {
	if m, ok := reflect.Zero(shape).Interface().(lines); ok {
		var of []object
		for _, line := range m.LineShapes() {
			of = append(of, d.schema(line))
		}
		return m.MediaType(), object{
			"type": "array", "items": object{"anyOf": of},
			"description": "one JSON object a line: type says which",
		}
	}
	if m, ok := reflect.Zero(shape).Interface().(interface{ MediaType() string }); ok {
		return m.MediaType(), object{"type": "string"}
	}
	return wire.ContentType, d.schema(shape)
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
	return q.Name == "wait_for" || q.Name == "timeout_ms" || q.Name == bind.Strict
}

// rateHeaders are what every answer to a valid key has.
var rateHeaders = []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}

// headersOf are those of the operation's answers.
func headersOf(o *serve.Operation) []string {
	names := append([]string{"X-Position", "X-Request-Id", "Warning"}, rateHeaders...)
	if o.Method != http.MethodGet {
		return append(names, "Idempotent-Replayed")
	}
	names = append(names, "X-Lag-Ms")
	if !o.Outcomes[0].Streamed {
		names = append(names, "ETag")
	}
	if o.Outcomes[0].Events {
		return append(names, "Cache-Control")
	}
	if o.Plan.Has("start_date") {
		names = append(names, "X-Range")
	}
	if o.Plan.Has("cursor") {
		names = append(names, "Link")
	}
	return names
}

// page describes a document that needs no key.
func (d *describer) page(p pages.Page) object {
	schema := object{"type": "string"}
	switch {
	case strings.HasSuffix(p.Kind, "json"):
		schema["type"] = "object"
	case p.Kind == "*/*": // JSON, too
		delete(schema, "type")
	}
	op := object{
		"operationId": p.ID, "summary": p.Summary, "tags": []string{"Documents"}, "security": []object{},
		"responses": object{
			"200":     object{"description": "OK", "headers": refs("Cache-Control", "ETag"), "content": object{p.Kind: object{"schema": schema}}},
			"304":     object{"$ref": "#/components/responses/NotModified"},
			"default": object{"$ref": "#/components/responses/Problem"},
		},
	}
	if p.ID == "getError" { // a browser asks for it
		op["responses"].(object)["200"].(object)["content"].(object)["text/html"] = object{"schema": object{"type": "string"}}
	}
	params := []object{ifNoneMatch}
	if own := pageParameter(p.ID); own != nil {
		params = append(params, own)
	}
	op["parameters"] = params
	return op
}

// pageParameter is the parameter in the path of a document that needs no key; nil: it has none.
func pageParameter(id string) object {
	in := func(name, text string, schema object) object {
		return object{"name": name, "in": "path", "required": true, "description": text, "schema": schema}
	}
	switch id {
	case "getError":
		return in("slug", "the last part of a problem's type", object{"type": "string", "enum": slugs()})
	case "getDocsFile":
		return in("file", "name of the file", object{"type": "string"})
	case "getAvatar":
		return in("memberid", "any number that a member may have; that there is a picture does not say that there is a member",
			object{"type": "integer", "format": "int64", "minimum": 1, "maximum": domain.MaxID})
	}
	return nil
}
