package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// fieldPath says where in a row a value is: in a column or a member of the row's object, and from there by
// steps into the JSON that it holds.
//
//	subtitles[0].name                      the first of a list; [-1] is the last
//	event_params[key=page].value.string    the first object of a list whose member key is page
//	context.data[0].id                     of a column whose text is JSON
//
// A column or member whose name is the whole path comes first, at every step.
type fieldPath struct {
	name   string // as the mapping has it
	column string // where it begins
	steps  []step
}

// step leads from a value of JSON to one within it.
type step struct {
	rest   string // this step and those after it, written as a name
	member string // of an object
	list   bool   // else it is within a list: the element at an index, or, with a key, the one that has it
	index  int
	key    string
	value  string
}

var errSteps = errors.New("a path is names with dots between them, and in brackets an index or key=value")

// parsePath reads a path. With an error it still is the name of a column.
func parsePath(name string) (fieldPath, error) {
	p := fieldPath{name: name, column: name}
	at := strings.IndexAny(name, ".[")
	if at < 0 {
		return p, nil
	}
	var steps []step
	for rest := name[at:]; rest != ""; {
		s := step{rest: strings.TrimPrefix(rest, ".")}
		if rest[0] == '.' {
			rest = rest[1:]
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			s.member, rest = rest[:end], rest[end:]
			if s.member == "" {
				return p, errSteps
			}
		} else {
			inside, after, closed := strings.Cut(rest[1:], "]")
			if !closed || after != "" && after[0] != '.' && after[0] != '[' {
				return p, errSteps
			}
			s.list = true
			var keyed bool
			if s.key, s.value, keyed = strings.Cut(inside, "="); !keyed {
				var err error
				if s.index, err = strconv.Atoi(inside); err != nil {
					return p, errSteps
				}
				s.key = ""
			} else if s.key == "" {
				return p, errSteps
			}
			rest = after
		}
		steps = append(steps, s)
	}
	p.column, p.steps = name[:at], steps
	return p, nil
}

// inObject is the value in a row of JSON.
func (p *fieldPath) inObject(object map[string]json.RawMessage) (cell, error) {
	if raw, ok := object[p.name]; ok || p.steps == nil {
		return jsonCell(raw)
	}
	return p.within(object[p.column])
}

// inText is the value in a column whose text is JSON.
func (p *fieldPath) inText(text string) (cell, error) {
	if strings.TrimSpace(text) == "" {
		return cell{}, nil
	}
	if !json.Valid([]byte(text)) {
		return cell{}, errNotJSON
	}
	return p.within(json.RawMessage(text))
}

var errNotJSON = errors.New("not JSON, of which a part is asked for")

// within goes the steps. What is not there is no value.
func (p *fieldPath) within(raw json.RawMessage) (cell, error) {
	for _, s := range p.steps {
		var err error
		if raw, err = unwrapped(raw); err != nil || raw == nil {
			return cell{}, err
		}
		if raw[0] == '[' {
			raw = s.element(raw)
			continue
		}
		object, err := members(raw)
		if err != nil {
			return cell{}, nil // a number or the like
		}
		if whole, ok := object[s.rest]; ok {
			return jsonCell(whole)
		}
		if raw = nil; !s.list {
			raw = object[s.member]
		}
	}
	return jsonCell(raw)
}

// unwrapped is a value, or what a text says that is a list or an object of JSON; nil: neither.
func unwrapped(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] != '"' {
		return raw, nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, errNotObject
	}
	if text = strings.TrimSpace(text); text == "" || text[0] != '{' && text[0] != '[' {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, errNotJSON
	}
	return json.RawMessage(text), nil
}

// element is the element of a list that the step names; nil: there is none.
func (s *step) element(list json.RawMessage) json.RawMessage {
	var elements []json.RawMessage
	if !s.list || json.Unmarshal(list, &elements) != nil {
		return nil
	}
	if s.key == "" {
		i := s.index
		if i < 0 {
			i += len(elements)
		}
		if i < 0 || i >= len(elements) {
			return nil
		}
		return elements[i]
	}
	i := slices.IndexFunc(elements, func(e json.RawMessage) bool {
		object, err := members(e)
		if err != nil {
			return false
		}
		c, err := jsonCell(object[s.key])
		return err == nil && (c.raw == nil || c.plain) && c.text == s.value
	})
	if i < 0 {
		return nil
	}
	return elements[i]
}
