package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain/composed"
	"github.com/ovation-analytics/ovation/actors/domain/jsonvalue"
)

// row is one row of the input as the mapping sees it.
type row struct {
	line  int64
	file  string
	given string   // the member that is given beside the mapping
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
	ofMember
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
	case ofMember:
		return cell{text: r.given}
	case ofLine:
		return cell{text: strconv.FormatInt(r.line, 10)}
	}
	return r.cells[at.column]
}

// textCells are the cells of a row of texts, whose columns are at these positions.
func (s *shape) textCells(dst []cell, fields []string, at []int, want []fieldPath) (_ []cell, err error) {
	dst = dst[:0]
	for i := range want {
		if at[i] < 0 { // a column that this file does not have
			dst = append(dst, cell{})
			continue
		}
		c := cell{text: fields[at[i]]}
		if p := &want[i]; p.steps != nil {
			if c, err = p.inText(c.text); err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
		}
		c.text = composed.Text(c.text)
		if c.raw != nil {
			c.raw = jsonvalue.Compose(c.raw)
		}
		dst = append(dst, s.valued(c))
	}
	return dst, nil
}

// errNotObject says what a row of JSON is not.
var errNotObject = errors.New("not a JSON object")

// jsonCells are the cells of a row of JSON.
func (s *shape) jsonCells(dst []cell, row []byte, want []fieldPath) ([]cell, error) {
	object, err := members(jsonvalue.Compose(row))
	if err != nil {
		return nil, errNotObject
	}
	dst = dst[:0]
	for i := range want {
		c, err := want[i].inObject(object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", want[i].name, err)
		}
		dst = append(dst, s.valued(c))
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
