package openapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Schemer is a type that describes its own JSON form.
type Schemer interface{ Schema() map[string]any }

// Selectable is a shape of whose fields a request may ask for some only: those that
// are always there.
type Selectable interface{ Always() []string }

// Extensible is a shape that may have fields beside those it names.
type Extensible interface{ Extensible() }

// schema describes a shape of package wire. Structs are kept by name; all their
// fields are there in every answer, but those marked omitempty, which are never null.
func (d *describer) schema(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := reflect.Zero(t).Interface().(Schemer); ok {
		if d.schemas[t.Name()] == nil {
			schema := s.Schema()
			describeFields(t.Name(), schema["properties"].(object))
			d.schemas[t.Name()] = schema
		}
		return ref(t.Name())
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "format": "int64"} // without it generators take 32 bits, and ids have 53
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // json.RawMessage: always an object here
			return object{"type": "object"}
		}
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Array:
		return object{"type": "array", "items": d.schema(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
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
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		s, optional := d.schema(f.Type), strings.Contains(opts, "omitempty")
		switch {
		case f.Type.Kind() != reflect.Pointer || optional:
		case s["$ref"] != nil:
			s = object{"anyOf": []object{s, {"type": "null"}}}
		default:
			s["type"] = []any{s["type"], "null"}
		}
		properties[name] = s
		if !optional {
			required = append(required, name)
		}
	}
	if s, ok := reflect.Zero(t).Interface().(Selectable); ok {
		required = s.Always()
	}
	if _, ok := reflect.Zero(t).Interface().(Extensible); ok {
		d.schemas[t.Name()].(object)["additionalProperties"] = true
	}
	describeFields(t.Name(), properties)
	d.schemas[t.Name()].(object)["required"] = required
	return ref(t.Name())
}

//go:embed fields.tsv
var fieldsTable string

// fieldText describes a field of a shape and its form.
type fieldText struct{ form, text string }

// Fields are all, by shape.field, and by *.field for the shapes that have none.
var Fields = func() map[string]fieldText {
	out := map[string]fieldText{}
	for line := range strings.Lines(fieldsTable) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(parts) < 3 {
			continue
		}
		for name := range strings.SplitSeq(parts[0], " ") {
			out[name] = fieldText{parts[1], parts[2]}
		}
	}
	return out
}()

// forms are the values of the second column of the table in the words of JSON Schema.
var forms = map[string]object{
	"-":     nil,
	"time":  {"pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`},
	"date":  {"format": "date"},
	"url":   {"pattern": `^[Hh][Tt][Tt][Pp][Ss]?://`}, // as given: letters beyond ASCII are in no URI
	"count": {"pattern": `^[0-9]+$`},
	"flag":  {"enum": []string{"0", "1"}},
}

// describeFields adds the texts of a shape's fields to its properties.
func describeFields(shape string, properties object) {
	for name, p := range properties {
		about, ok := Fields[shape+"."+name]
		if !ok {
			about, ok = Fields["*."+name]
		}
		if !ok {
			continue
		}
		s := maps.Clone(p.(object))
		form, known := forms[about.form]
		if !known {
			panic(fmt.Sprintf("api: fields.tsv: %s.%s has the form %q", shape, name, about.form))
		}
		maps.Copy(s, form)
		s["description"] = about.text
		properties[name] = s
	}
}

//go:embed examples/*.json examples/*.xml examples/*.ndjson examples/*.txt
var examples embed.FS

// example is an answer of the operation; nil: there is none.
func example(id string, status int, kind string) any {
	if kind == linesType {
		return linesExample(fmt.Sprintf("examples/%s.%d.ndjson", id, status))
	}
	if kind != wire.ContentType {
		ending := "xml"
		if kind == serve.EventsType {
			ending = "txt"
		}
		b, err := examples.ReadFile(fmt.Sprintf("examples/%s.%d.%s", id, status, ending))
		if err != nil {
			return nil
		}
		return string(b)
	}
	b, err := examples.ReadFile(fmt.Sprintf("examples/%s.%d.json", id, status))
	if err != nil {
		return nil
	}
	return json.RawMessage(b)
}

// linesType is the media type of lines of JSON.
const linesType = "application/x-ndjson"

// linesExample is an example of lines: an element each; nil: there is none.
func linesExample(file string) any {
	b, err := examples.ReadFile(file)
	if err != nil {
		return nil
	}
	var out []json.RawMessage
	for line := range strings.Lines(string(b)) {
		out = append(out, json.RawMessage(line))
	}
	return out
}
