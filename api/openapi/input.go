package openapi

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
)

// body describes what a POST takes in its body: its parameters, or records.
func (d *describer) body(op object, o *serve.Operation) {
	if o.Each != nil {
		op["requestBody"] = d.records(o)
		return
	}
	schema := d.members(o.Plan, o)
	op["requestBody"] = object{"required": schema["required"] != nil, "content": object{
		"application/json":                  object{"schema": schema},
		"application/x-www-form-urlencoded": object{"schema": schema},
	}}
}

// records describes a body of many records.
func (d *describer) records(o *serve.Operation) object {
	return object{
		"required":    true,
		"description": "From 1 to 2000 records in at most 2 MiB, unpacked; Content-Encoding gzip is taken. The key is in a header or in the query.",
		"content": object{
			"application/json":     object{"schema": object{"type": "array", "minItems": 1, "maxItems": serve.MaxRecords, "items": d.members(o.Each, o)}},
			"application/x-ndjson": object{"schema": object{"type": "string", "description": "one record a line"}},
		},
	}
}

// members are a plan's parameters as members of a JSON object.
func (d *describer) members(plan *bind.Plan, o *serve.Operation) object {
	properties, required := object{}, []string(nil)
	for _, q := range plan.Params() {
		if plan == o.Plan && (q.InPath || inQuery(o, q)) || strings.EqualFold(q.Name, "apiKey") {
			continue
		}
		p := d.parameter(q)
		s := maps.Clone(p["schema"].(object))
		if text := p["description"]; text != nil {
			s["description"] = text
		}
		if slices.Contains(o.Objects, q.Name) {
			delete(s, "type") // alternatives, not a list of types: generators know them
			s["anyOf"] = []object{{"type": "object"}, {"type": "string"}}
		}
		properties[q.Name] = s
		if q.Required {
			required = append(required, q.Name)
		}
	}
	out := object{"type": "object", "properties": properties}
	if required != nil {
		out["required"] = required
	}
	if o.Enterprise != "" {
		out["patternProperties"] = object{"^" + o.Enterprise + "[a-z0-9_]{1,32}$": object{
			"type": "integer", "format": "int64", "description": "a field of the customer's own, shown in the Brand object under this name; needs the enterprise plan (else error 9)",
		}}
	}
	return out
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
	s := object{"type": "string"}
	switch {
	case q.Enum != nil:
		s["enum"] = q.Enum
	case q.Type.Kind() == reflect.Bool:
		s["enum"] = []string{"0", "1"}
	case q.Type == reflect.TypeFor[bind.ID]():
		s = object{"type": "integer", "format": "int64", "minimum": 1, "maximum": domain.MaxID}
	case q.Type.Kind() == reflect.Int64:
		s = object{"type": "integer", "format": "int64", "minimum": q.Min, "maximum": q.Max}
	case q.Type == reflect.TypeFor[bind.Service]():
		s["enum"] = bind.ServiceWords()
	case q.Type == reflect.TypeFor[bind.Services]():
		doc += "; a comma list of " + strings.Join(bind.ServiceWords(), ", ")
	case q.Type == reflect.TypeFor[bind.Time]():
		doc += "; UTC, as YYYY-MM-DD HH:MM:SS or RFC 3339"
	case q.Type == reflect.TypeFor[bind.Start](), q.Type == reflect.TypeFor[bind.End]():
		doc += "; UTC, as YYYY-MM-DD HH:MM:SS, RFC 3339 or YYYY-MM-DD"
	}
	if doc != "" {
		p["description"] = doc
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

// ifNoneMatch and idempotencyKey are parameters in the header of each GET and each POST.
var (
	ifNoneMatch = object{
		"name": "If-None-Match", "in": "header", "schema": object{"type": "string"},
		"description": "the ETag of an answer that the client has: 304 without a body while it is the same",
	}
	idempotencyKey = object{
		"name": "Idempotency-Key", "in": "header", "schema": object{"type": "string", "maxLength": 128},
		"description": "the request's name within the application, for 24 hours: a repeat under it changes nothing and gets the first outcome, " +
			"with Idempotent-Replayed; another path, parameter or body under it is error 7. After 503, or without an answer, repeat with the same key.",
	}
)
