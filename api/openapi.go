package api

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/problem"
)

// object is a JSON object of the document.
type object = map[string]any

// Schemer is a type that describes its own JSON form.
type Schemer interface{ Schema() map[string]any }

// Selectable is a shape of whose fields a request may ask for some only: those that
// are always there.
type Selectable interface{ Always() []string }

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
	for path, summary := range map[string]string{"/openapi.json": "This document", "/.well-known/jwks.json": "Keys that member tokens are checked with"} {
		paths[path] = object{"get": object{
			"operationId": "get" + camel(path), "summary": summary, "tags": []string{"Documents"}, "security": []object{},
			"responses": object{"200": object{"description": "OK", "content": object{"application/json": object{"schema": object{"type": "object"}}}}},
		}}
	}
	d.schema(reflect.TypeFor[problem.Problem]())
	return object{
		"openapi": "3.1.0",
		"info":    object{"title": "Ovation", "version": version, "description": "Member, activity and brand analytics."},
		"servers": []object{{"url": base}}, "paths": paths,
		"components": object{
			"schemas":         d.schemas,
			"responses":       object{"Problem": response(errorsAre, problem.ContentType, ref("Problem"))},
			"securitySchemes": object{"apiKey": object{"type": "apiKey", "in": "query", "name": "apiKey"}},
		},
		"security": []object{{"apiKey": []string{}}},
	}
}

// errorsAre says of errors what their codes do not.
const errorsAre = "An error (RFC 9457). Code 11 (503): not now, or not in time; ask again. " +
	"Code 12 (403): a quota is used up, or the question would read more rows than this installation reads for one; its message names how many that is."

var placeholder = regexp.MustCompile(`/:(\w+)`)

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func response(description, kind string, schema object) object {
	return object{"description": description, "content": object{kind: object{"schema": schema}}}
}

// camel is a path in camel case.
func camel(path string) string {
	var b strings.Builder
	for _, s := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/:.-", r) }) {
		if s != "v1" && s != "1" {
			b.WriteString(strings.ToUpper(s[:1]) + s[1:])
		}
	}
	return b.String()
}

// describer collects the schemas that answers are made of.
type describer struct{ schemas object }

func (d *describer) operation(o *Operation) object {
	responses := object{"default": object{"$ref": "#/components/responses/Problem"}}
	for _, out := range o.out {
		responses[strconv.Itoa(out.status)] = response("OK", "application/json", d.schema(out.shape))
	}
	var params []object
	for _, q := range o.plan.Params() {
		if !strings.EqualFold(q.Name, "apiKey") { // the security scheme says it
			params = append(params, d.parameter(q))
		}
	}
	op := object{
		"operationId": strings.ToLower(o.Method) + camel(o.Path), "summary": o.Summary, "tags": []string{o.Group},
		"parameters": params, "responses": responses,
	}
	switch {
	case o.each != nil:
		d.records(op, o)
	case o.Method == "POST":
		d.body(op, params, o)
	}
	if o.Advanced {
		op["x-plan"] = domain.Advanced.String()
	}
	if o.Enterprise != "" {
		op["x-enterprise-parameters"] = o.Enterprise + "<name>, integers"
	}
	return op
}

// body says that a POST takes its parameters in the query or in a body; a required
// one may stand in either, so neither place can demand it.
func (d *describer) body(op object, params []object, o *Operation) {
	for _, p := range params {
		if p["in"] == "query" {
			delete(p, "required")
		}
	}
	body, required := d.members(o.plan, o.Objects)
	schema := object{"type": "object", "properties": body}
	op["requestBody"] = object{"required": false, "content": object{
		"application/json":                  object{"schema": schema},
		"application/x-www-form-urlencoded": object{"schema": schema},
	}}
	if required != nil {
		op["x-required"] = required
	}
}

// records says that a POST takes records in its body and parameters in the query.
func (d *describer) records(op object, o *Operation) {
	properties, required := d.members(o.each, o.Objects)
	record := object{"type": "object", "properties": properties}
	if required != nil {
		record["required"] = required
	}
	op["requestBody"] = object{
		"required":    true,
		"description": "At most 2000 records and 2 MiB, unpacked; Content-Encoding gzip is taken.",
		"content": object{
			"application/json":     object{"schema": object{"type": "array", "maxItems": maxMany, "items": record}},
			"application/x-ndjson": object{"schema": object{"type": "string", "description": "one record a line"}},
		},
	}
}

// members are a plan's parameters as members of a JSON object, and the names of those
// that must be there.
func (d *describer) members(plan *bind.Plan, objects []string) (properties object, required []string) {
	properties = object{}
	for _, q := range plan.Params() {
		if q.InPath || strings.EqualFold(q.Name, "apiKey") {
			continue
		}
		p := d.parameter(q)
		s := object{"description": p["description"]}
		maps.Copy(s, p["schema"].(object))
		if slices.Contains(objects, q.Name) {
			s["type"] = []string{"string", "object"}
		}
		properties[q.Name] = s
		if q.Required {
			required = append(required, q.Name)
		}
	}
	return properties, required
}

// parameter describes one parameter. Its schema is of the text that is sent.
func (d *describer) parameter(q *bind.Param) object {
	p := object{"name": q.Name, "in": "query"}
	if q.InPath {
		p["in"] = "path"
	}
	if q.Required {
		p["required"] = true
	}
	doc := q.Doc
	if q.Later {
		p["x-available"] = false
		doc = strings.TrimPrefix(doc+" (not available yet)", " ")
	}
	if doc != "" {
		p["description"] = doc
	}
	s := object{"type": "string"}
	switch {
	case q.Enum != nil:
		s["enum"] = q.Enum
	case q.Type.Kind() == reflect.Bool:
		s["enum"] = []string{"0", "1"}
	case q.Type == reflect.TypeFor[bind.ID]():
		s = object{"type": "integer", "minimum": 1, "maximum": domain.MaxID}
	case q.Type.Kind() == reflect.Int64:
		s = object{"type": "integer", "minimum": q.Min, "maximum": q.Max}
	}
	if q.Default != "" {
		s["default"] = typed(s, q.Default)
	}
	if q.Eg != "" {
		p["example"] = typed(s, q.Eg)
	}
	p["schema"] = s
	return p
}

// typed is a value as its schema has it.
func typed(schema object, value string) any {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && schema["type"] == "integer" {
		return n
	}
	return value
}

// schema describes a shape of package wire. Structs are kept by name; all their
// fields are there in every answer, but those marked omitempty.
func (d *describer) schema(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := reflect.Zero(t).Interface().(Schemer); ok {
		d.schemas[t.Name()] = s.Schema()
		return ref(t.Name())
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // json.RawMessage: always an object here
			return object{"type": "object"}
		}
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Struct:
		return d.structure(t)
	}
	panic("api: no schema of a " + t.String())
}

func (d *describer) structure(t reflect.Type) object {
	if d.schemas[t.Name()] != nil {
		return ref(t.Name())
	}
	properties, required := object{}, []string{}
	d.schemas[t.Name()] = object{"type": "object", "properties": properties, "additionalProperties": false}
	for f := range t.Fields() {
		if !f.IsExported() {
			continue
		}
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		s := d.schema(f.Type)
		switch {
		case f.Type.Kind() != reflect.Pointer:
		case s["$ref"] != nil:
			s = object{"anyOf": []object{s, {"type": "null"}}}
		default:
			s["type"] = []any{s["type"], "null"}
		}
		properties[name] = s
		if !strings.Contains(opts, "omitempty") {
			required = append(required, name)
		}
	}
	if s, ok := reflect.Zero(t).Interface().(Selectable); ok {
		required = s.Always()
	}
	d.schemas[t.Name()].(object)["required"] = required
	return ref(t.Name())
}
