package wire

import (
	"bytes"
	"encoding/json"
	"strings"
)

// NodeFields are fields of an Extended node, and of the objects in it. A nil value means every field.
type NodeFields struct {
	all    bool
	fields map[string]*NodeFields // by name in lower case
}

const nodePrefix = "extended."

// add adds what a name means: Extended, or a path into it; false: it is no such name.
func (f *NodeFields) add(name string) bool {
	name = strings.ToLower(name)
	if name+"." == nodePrefix {
		f.all = true
		return true
	}
	path, ok := strings.CutPrefix(name, nodePrefix)
	if !ok || strings.Trim(path, ".") == "" {
		return false
	}
	for step := range strings.SplitSeq(path, ".") {
		if f.fields == nil {
			f.fields = map[string]*NodeFields{}
		}
		if f.fields[step] == nil {
			f.fields[step] = &NodeFields{}
		}
		f = f.fields[step]
	}
	f.all = true
	return true
}

// empty reports that nothing is asked for.
func (f *NodeFields) empty() bool { return f == nil || !f.all && f.fields == nil }

// Has reports that a field of the node, or something in it, is asked for.
func (f *NodeFields) Has(name string) bool {
	return f == nil || f.all || f.fields[strings.ToLower(name)] != nil
}

// project leaves of a JSON value what is asked for, of an array of each element. What has no
// fields is left out where some are asked for.
func (f *NodeFields) project(value json.RawMessage) (json.RawMessage, error) {
	value = bytes.TrimSpace(value)
	switch {
	case f.all:
		return value, nil
	case len(value) > 0 && value[0] == '[':
		return f.elements(value)
	case len(value) == 0 || value[0] != '{':
		return nil, nil
	}
	out := []byte{'{'}
	err := eachMember(value, func(name string, value json.RawMessage) error {
		of := f.fields[strings.ToLower(name)]
		if of == nil {
			return nil
		}
		rest, err := of.project(value)
		if rest == nil || err != nil {
			return err
		}
		return appendMember(&out, name, rest)
	})
	return append(out, '}'), err
}

// elements projects each element of an array.
func (f *NodeFields) elements(array json.RawMessage) (json.RawMessage, error) {
	var all []json.RawMessage
	if err := json.Unmarshal(array, &all); err != nil {
		return nil, err
	}
	out := []byte{'['}
	for _, e := range all {
		rest, err := f.project(e)
		if err != nil {
			return nil, err
		}
		if rest == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, rest...)
	}
	return append(out, ']'), nil
}
