package openapi

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// body describes what a POST takes in its body: its parameters, or records.
func (d *describer) body(op object, o *serve.Operation) {
	if o.Each != nil {
		op["requestBody"] = d.records(o)
		return
	}
	schema, first := d.members(o.Plan, o)
	name := title(o.ID) + "Body"
	d.schemas[name] = schema // once, whatever media type it has
	body := object{"schema": ref(name), "example": first}
	content := object{"application/json": body}
	if !d.forPage { // it would fill the fields of a form with made-up values
		content["application/x-www-form-urlencoded"] = body
	}
	op["requestBody"] = object{"required": schema["required"] != nil, "content": content}
}

// records describes a body of many records.
func (d *describer) records(o *serve.Operation) object {
	name := title(o.ID) + "Record"
	schema, first := d.members(o.Each, o)
	d.schemas[name] = schema
	line, err := json.Marshal(first)
	if err != nil {
		panic(err) // texts and numbers have a JSON form
	}
	return object{
		"required":    true,
		"description": "From 1 to 2000 records in at most 2 MiB, unpacked; Content-Encoding gzip is taken. The key is in a header or in the query.",
		"content": object{
			"application/json": object{
				"schema":  object{"type": "array", "minItems": 1, "maxItems": serve.MaxRecords, "items": ref(name)},
				"example": []object{first},
			},
			"application/x-ndjson": object{
				"schema":  object{"type": "string", "description": "one record a line", "minLength": 1},
				"example": string(line) + "\n",
			},
		},
	}
}

// title is a name with a capital letter in front.
func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// members are a plan's parameters as members of a JSON object, with those of a first request.
func (d *describer) members(plan *bind.Plan, o *serve.Operation) (schema, first object) {
	properties, required := object{}, []string(nil)
	first = object{}
	for _, q := range plan.Params() {
		if plan == o.Plan && (q.InPath || inQuery(o, q)) || strings.EqualFold(q.Name, "apiKey") {
			continue
		}
		p := d.parameter(o, q)
		s := maps.Clone(p["schema"].(object))
		if text := p["description"]; text != nil {
			s["description"] = text
		}
		if InFirst(o, q) {
			first[q.Name] = p["example"]
		}
		if q.Required && s["type"] == "string" && s["minLength"] == nil {
			s["minLength"] = 1
		}
		if slices.Contains(o.Objects, q.Name) {
			delete(s, "type") // alternatives, not a list of types: generators know them
			delete(s, "maxLength")
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
			"type": "integer", "format": "int64", "minimum": -domain.MaxID, "maximum": domain.MaxID, "description": "a field of the customer's own, shown in the Brand object under this name; needs the enterprise plan (else error 9)",
		}}
	}
	return out, first
}

// parameter describes one parameter. Its schema is of the text that is sent.
func (d *describer) parameter(o *serve.Operation, q *bind.Param) object {
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
		s = d.words(title(q.Name), q.Enum)
	case q.Type.Kind() == reflect.Bool:
		s = d.words("Switch", []string{"1", "0", "true", "false"})
	case q.Type == reflect.TypeFor[bind.ID]():
		s = object{"type": "integer", "format": "int64", "minimum": 1, "maximum": domain.MaxID}
	case q.Type.Kind() == reflect.Int64:
		s = object{"type": "integer", "format": "int64", "minimum": q.Min, "maximum": q.Max}
	case q.Type == reflect.TypeFor[bind.Service]():
		s = d.words(serviceNames[strings.Join(q.Not, ",")], q.Services())
	case q.Type == reflect.TypeFor[string]() && q.Max < bind.ByteLimit:
		s["maxLength"] = q.Max
		if q.Min > 0 {
			s["minLength"] = q.Min
		}
	default:
		f := inputForms[q.Type]
		if own, ok := reflect.New(q.Type).Interface().(interface{ Pattern() string }); ok {
			f.pattern = own.Pattern()
		}
		if f.pattern != "" {
			s["pattern"] = f.pattern
		}
		doc += f.doc
	}
	if q.Name == "cursor" {
		s["pattern"] = cursorPattern
	}
	if q.Default != "" {
		if s["$ref"] == nil && !d.forPage {
			s["default"] = typed(s, q.Default)
		} else {
			doc += "; default " + q.Default
		}
	}
	if q.Eg != "" {
		if d.forPage && !InFirst(o, q) {
			doc += "; such as " + q.Eg
		} else {
			p["example"] = typed(s, q.Eg)
		}
	}
	if doc != "" {
		p["description"] = strings.TrimPrefix(doc, "; ")
	}
	p["schema"] = s
	return p
}

// serviceNames name the sets of services by those that are not in them.
var serviceNames = map[string]string{"": "AnyService", "custom": "Service", "custom,rdio,beatsmusic": "RegistrationService"}

// words are the words of a fixed set, which the document has once: Sort and so on. Sets that differ
// have names that differ.
func (d *describer) words(name string, words []string) object {
	for n := 1; ; n++ {
		unique := name + "Word"
		if n > 1 {
			unique += strconv.Itoa(n)
		}
		known, ok := d.schemas[unique].(object)
		if !ok {
			d.schemas[unique] = object{"type": "string", "enum": words}
			return ref(unique)
		}
		if slices.Equal(known["enum"].([]string), words) {
			return ref(unique)
		}
	}
}

// cursorPattern is the form of a cursor; empty: the first page.
const cursorPattern = `^([A-Za-z0-9_-]{22,})?$`

// inputForm is the form of a type's values, and what a description adds.
type inputForm struct{ pattern, doc string }

// inputForms are those that a pattern can say: which days a month has it cannot.
var inputForms = map[reflect.Type]inputForm{
	reflect.TypeFor[bind.Time]():      {`^` + dayPattern + timePattern + `$`, "; UTC, as YYYY-MM-DD HH:MM:SS or RFC 3339"},
	reflect.TypeFor[bind.Start]():     {`^` + dayPattern + `(` + timePattern + `)?$`, boundText},
	reflect.TypeFor[bind.End]():       {`^` + dayPattern + `(` + timePattern + `)?$`, boundText},
	reflect.TypeFor[bind.Period]():    {`^[1-9][0-9]{0,3} +([Hh]our|[Dd]ay|[Ww]eek|[Mm]onth|[Yy]ear)s?$`, ""},
	reflect.TypeFor[bind.Page]():      {`^((100000|[0-9]{1,5}) *, *)?[0-9]{1,18}$`, ""},
	reflect.TypeFor[bind.IDs]():       {listOf(idPattern), ""},
	reflect.TypeFor[bind.Performed](): {listOf(`(` + idPattern + `-)?` + idPattern), ""},
	reflect.TypeFor[bind.Country]():   {`^[A-Za-z]{2}$`, ""},
	reflect.TypeFor[bind.Countries](): {listOf(`[A-Za-z]{2}`), ""},
	reflect.TypeFor[bind.Birthdate](): {`^(0[1-9]|[12][0-9]|3[01])-(0[1-9]|1[0-2])-(19|20)[0-9]{2}$`, ""},
	reflect.TypeFor[bind.URL]():       {`^[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9].*$`, ""},
	reflect.TypeFor[bind.Email]():     {`^` + emailPattern + `$`, ""},
	reflect.TypeFor[bind.Emails]():    {listOf(emailPattern), ""},
	reflect.TypeFor[bind.Services]():  {listOf(`(` + strings.Join(bind.ServiceWords(), "|") + `)`), "; a comma list of " + strings.Join(bind.ServiceWords(), ", ")},
	reflect.TypeFor[wire.Position]():  {`^[A-Za-z0-9_-]+$`, ""},
}

const (
	dayPattern   = `[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])`
	timePattern  = `( ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]|T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))`
	boundText    = "; UTC, as YYYY-MM-DD HH:MM:SS, RFC 3339 or YYYY-MM-DD"
	idPattern    = `([1-9][0-9]{0,14}|[1-8][0-9]{15}|900[0-6][0-9]{12})`
	emailPattern = `[^ ,@\s]+@[^ ,@\s]+`
)

// listOf is the pattern of a comma-separated list.
func listOf(entry string) string { return `^ *` + entry + `( *, *` + entry + `)* *$` }

// typed is a value as its schema has it.
func typed(schema object, value string) any {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && schema["type"] == "integer" {
		return n
	}
	return value
}

// headerPattern is what a header may hold (RFC 9110).
const headerPattern = `^[ -~]*$`

// ifNoneMatch and idempotencyKey are parameters in the header of each GET and each POST.
var (
	ifNoneMatch = object{
		"name": "If-None-Match", "in": "header", "schema": object{"type": "string", "pattern": headerPattern},
		"description": "the ETag of an answer that the client has: 304 without a body while it is the same",
	}
	lastEventID = object{
		"name": "Last-Event-ID", "in": "header", "schema": object{"type": "string", "maxLength": 4096, "pattern": headerPattern},
		"description": "the id of the last event that the client has: the stream goes on after it. It goes before the parameter cursor",
	}
	idempotencyKey = object{
		"name": "Idempotency-Key", "in": "header", "schema": object{"type": "string", "maxLength": 128, "pattern": headerPattern},
		"description": "the request's name within the application, for 24 hours: a repeat under it changes nothing and gets the first outcome, " +
			"with Idempotent-Replayed; another path, parameter or body under it is error 7. After 503, or without an answer, repeat with the same key.",
	}
)
