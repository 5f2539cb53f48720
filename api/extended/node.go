package extended

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Node is an Extended node: derived fields, and beside them what updates merged. Values are those
// that encoding/json gives of a document: nil, bool, json.Number, string, []any, map[string]any.
// A field is converted when it is first asked for.
type Node struct {
	derived reflect.Value // a struct with JSON names
	text    string
	merged  map[string]any // of text; nil: not read yet
}

// NewNode is the node of a struct with JSON names and of a JSON object; empty: of none.
func NewNode(derived any, merged string) *Node {
	return &Node{derived: reflect.Indirect(reflect.ValueOf(derived)), text: merged}
}

// field is the value of a field by its name in any case. A derived one hides those merged.
func (n *Node) field(name string) (any, bool) {
	if i, ok := indexOf(n.derived.Type())[strings.ToLower(name)]; ok {
		return plain(n.derived.Field(i)), true
	}
	if n.merged == nil {
		n.merged = map[string]any{}
		d := json.NewDecoder(strings.NewReader(n.text))
		d.UseNumber()
		if d.Decode(&n.merged) != nil { // it was an object when it was merged
			n.merged = map[string]any{}
		}
	}
	return member(n.merged, name)
}

// member is a member of an object, by its very name, else by the first in any case.
func member(object map[string]any, name string) (any, bool) {
	if v, ok := object[name]; ok {
		return v, true
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if strings.EqualFold(key, name) {
			return object[key], true
		}
	}
	return nil, false
}

// indexes are the fields of structs by their JSON names in lower case.
var indexes sync.Map

func indexOf(t reflect.Type) map[string]int {
	if known, ok := indexes.Load(t); ok {
		return known.(map[string]int)
	}
	index := map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			index[strings.ToLower(name)] = i
		}
	}
	indexes.Store(t, index)
	return index
}

// plain is a value of Go as encoding/json would give it back.
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plain(v.Index(i))
		}
		return out
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
				out[name] = plain(v.Field(i))
			}
		}
		return out
	}
	return number(v.Interface())
}

// number is a number as encoding/json writes it.
func number(v any) any {
	b, err := json.Marshal(v)
	if err != nil { // no field of a node is of such a kind
		return nil
	}
	return json.Number(bytes.TrimSpace(b))
}
