package extended

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Path leads from the node to a field: the names on the way.
type Path []string

// prefix may stand before a path.
const prefix = "extended."

// operators are the bytes that operators are made of.
const operators = "=!<>~"

// blanks are the bytes between words.
const blanks = " \t\r\n"

var errPath = errors.New("must be a path into the Extended node, as primaryAddress.city: names with dots between them")

// maxPath bounds a path that is a parameter, in characters.
const maxPath = 255

// ParseParam reads a path.
func (p *Path) ParseParam(s string) (err error) {
	if utf8.RuneCountInString(s) > maxPath {
		return fmt.Errorf("must be at most %d characters long", maxPath)
	}
	*p, err = ParsePath(s)
	return err
}

// ParsePath reads a path.
func ParsePath(s string) (Path, error) {
	s = strings.Trim(s, blanks)
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		s = s[len(prefix):]
	}
	if s == "" || strings.ContainsAny(s, operators+blanks+"'") {
		return nil, errPath
	}
	p := Path(strings.Split(s, "."))
	if slices.Contains(p, "") {
		return nil, errPath
	}
	return p, nil
}

// String is the path with dots.
func (p Path) String() string { return strings.Join(p, ".") }

// Head is the first name, in lower case.
func (p Path) Head() string { return strings.ToLower(p[0]) }

// each calls f with all that the path leads to until f reports true: scalars, objects, and nil
// where there is nothing. each reports whether f did.
func (p Path) each(n *Node, f func(any) bool) bool {
	v, _ := n.field(p[0])
	return walk(v, p[1:], f)
}

func walk(v any, rest Path, f func(any) bool) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if walk(e, rest, f) {
				return true
			}
		}
		return len(v) == 0 && f(nil)
	case map[string]any:
		if len(rest) == 0 {
			return f(v)
		}
		child, _ := member(v, rest[0])
		return walk(child, rest[1:], f)
	}
	if len(rest) > 0 {
		v = nil
	}
	return f(v)
}

// In reports that the path leads to a value that is neither null nor empty.
func (p Path) In(n *Node) bool {
	return p.each(n, func(v any) bool {
		switch v := v.(type) {
		case nil:
			return false
		case map[string]any:
			return len(v) > 0
		case string:
			return v != ""
		}
		return true
	})
}

// textOf is a scalar as text; false: it is none.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	}
	return "", false
}
