package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// row is one row of the input as the mapping sees it.
type row struct {
	line  int64
	file  string
	cells []cell   // of the columns that the mapping names, in its order
	found [][]cell // of each lookup the row it led to; nil: none
}

// cell is a value. An empty text is none.
type cell struct {
	text  string
	raw   json.RawMessage // of a row of JSON
	plain bool            // raw is a text, a number or a boolean
}

// ref says where a row has a value.
type ref struct {
	kind   refKind
	lookup int
	column int
}

type refKind uint8

const (
	ofInput refKind = iota
	ofLookup
	ofFile
	ofLine
)

func (r *row) cell(at ref) cell {
	switch at.kind {
	case ofLookup:
		if r.found[at.lookup] == nil {
			return cell{}
		}
		return r.found[at.lookup][at.column]
	case ofFile:
		return cell{text: r.file}
	case ofLine:
		return cell{text: strconv.FormatInt(r.line, 10)}
	}
	return r.cells[at.column]
}

// csvCells are the cells of a CSV row at these positions; −1 has no such column.
func csvCells(dst []cell, fields []string, at []int) []cell {
	dst = dst[:0]
	for _, i := range at {
		if i < 0 {
			dst = append(dst, cell{})
			continue
		}
		dst = append(dst, cell{text: fields[i]})
	}
	return dst
}

// errNotObject says what a line of NDJSON is not.
var errNotObject = errors.New("not a JSON object")

// jsonCells are the cells of a line of JSON under these names. a.b is the member b of the
// object a, unless the object has a member a.b.
func jsonCells(dst []cell, line []byte, names []string) ([]cell, error) {
	object, err := members(line)
	if err != nil {
		return nil, errNotObject
	}
	dst = dst[:0]
	for _, name := range names {
		c, err := jsonCell(find(object, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		dst = append(dst, c)
	}
	return dst, nil
}

func members(text []byte) (map[string]json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errNotObject
	}
	return object, nil
}

func find(object map[string]json.RawMessage, name string) json.RawMessage {
	for {
		if raw, ok := object[name]; ok {
			return raw
		}
		first, rest, nested := strings.Cut(name, ".")
		if !nested {
			return nil
		}
		inner, err := members(object[first])
		if err != nil {
			return nil
		}
		object, name = inner, rest
	}
}

func jsonCell(raw json.RawMessage) (cell, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return cell{}, nil
	case raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return cell{}, errNotObject
		}
		return cell{text: s, raw: raw, plain: true}, nil
	case raw[0] == '{', raw[0] == '[':
		return cell{raw: raw}, nil
	}
	return cell{text: string(raw), raw: raw, plain: true}, nil
}
