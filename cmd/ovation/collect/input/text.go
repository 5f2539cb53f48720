package input

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Text is a value of a mapping: a text in which {column} (with a path into JSON, see fieldPath), {lookup.column},
// {= expression}, {@file}, {@line} and {@member} are filled in from the row, or a list of such texts, of which the first
// whose parts all have a value counts. {{ and }} are braces.
type Text struct{ forms []form }

// form is one text, cut into literals and columns.
type form []part

// part is a literal, or what is filled in: what a name or an expression says.
type part struct {
	literal  string
	name     string // of an expression, the expression
	computed bool
	at       ref         // where the value of the name is; found by compile
	by       *expression // likewise
}

// given reports that the mapping has the text.
func (t Text) given() bool { return len(t.forms) > 0 }

// UnmarshalYAML reads one text or a list of them, each as it was written: as a
// number, 1.10 would come out as 1.1.
func (t *Text) UnmarshalYAML(n ast.Node) error {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	for _, n := range nodes {
		s, err := scalar(n)
		if err != nil {
			return err
		}
		f, err := parseForm(s)
		if err != nil {
			return fmt.Errorf("%q: %w", s, err)
		}
		t.forms = append(t.forms, f)
	}
	return nil
}

// scalar is a plain value as it was written.
func scalar(n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	case *ast.NullNode:
		return "", nil
	}
	return "", errors.New("neither a text nor a list of texts")
}

func literal(s string) Text { return Text{forms: []form{{{literal: s}}}} }

// parseForm cuts a text at its braces.
func parseForm(s string) (form, error) {
	var f form
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			f = append(f, part{literal: plain.String()})
			plain.Reset()
		}
	}
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "{{"), strings.HasPrefix(s[i:], "}}"):
			plain.WriteByte(s[i])
			i += 2
		case s[i] == '}':
			return nil, errors.New("a } without its {; a brace is written }}")
		case s[i] == '{':
			inside, computed := strings.CutPrefix(s[i+1:], "=")
			end := strings.IndexAny(inside, "{}")
			if computed {
				end = closingBrace(inside)
			}
			if end < 0 || inside[end] != '}' {
				return nil, errors.New("a { without its }; a brace is written {{")
			}
			name := inside[:end]
			if computed {
				name, i = strings.TrimSpace(name), i+1
			}
			if name == "" {
				return nil, errors.New("{} names no column")
			}
			flush()
			f = append(f, part{name: name, computed: computed})
			i += end + 2
		default:
			plain.WriteByte(s[i])
			i++
		}
	}
	flush()
	if f == nil {
		f = form{{}}
	}
	return f, nil
}

// closingBrace is where an expression ends, which may have braces and quoted texts in it; -1: nowhere.
func closingBrace(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// value is the text of a row; where it has none, why.
func (t Text) value(r *row) (string, error) {
	var missing error
	for _, f := range t.forms {
		s, err := f.value(r)
		switch {
		case err == nil:
			return s, nil
		case !errors.Is(err, errNoValue):
			return "", err
		case missing == nil:
			missing = err
		}
	}
	return "", missing
}

// optional is the value, or nothing where the row has none.
func (t Text) optional(r *row) (string, error) {
	if !t.given() {
		return "", nil
	}
	s, err := t.value(r)
	if errors.Is(err, errNoValue) {
		return "", nil
	}
	return s, err
}

// errNoValue says that a row has nothing to fill in. The text around it names the
// column, never what another one holds.
var errNoValue = errors.New("no value")

func (f form) value(r *row) (string, error) {
	if len(f) == 1 {
		return f[0].value(r)
	}
	var b strings.Builder
	for i := range f {
		s, err := f[i].value(r)
		if err != nil {
			return "", err
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

func (p *part) value(r *row) (string, error) {
	if p.name == "" {
		return p.literal, nil
	}
	c, err := p.cell(r)
	switch {
	case err != nil:
		return "", err
	case c.raw != nil && !c.plain:
		return "", fmt.Errorf("%s is an object or a list", p.name)
	case c.text == "":
		return "", fmt.Errorf("%w for %s", errNoValue, p.name)
	}
	return c.text, nil
}

// cell is what is filled in.
func (p *part) cell(r *row) (cell, error) {
	if p.computed {
		return p.by.cell(r)
	}
	return r.cell(p.at), nil
}

// alone is the only part of a text that is no literal; nil: it has more, or none.
func (t Text) alone() *part {
	if len(t.forms) == 1 && len(t.forms[0]) == 1 && t.forms[0][0].name != "" {
		return &t.forms[0][0]
	}
	return nil
}
