package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/activity"
)

// Choice says which of the mapping's activities a row is: the one that a text names,
// or that a text's value is a case of; or what makes the activity is in the row.
type Choice struct {
	By        Text              `yaml:"by"`
	Cases     map[string]string `yaml:"cases"`     // value → name of an activity
	Otherwise string            `yaml:"otherwise"` // for any other value, and for none
	Create    map[string]Text   `yaml:"create"`    // parameters of activity/create: name, type, service and so on
}

// UnmarshalYAML reads the name alone, or by, cases and otherwise, or create.
func (c *Choice) UnmarshalYAML(n ast.Node) error {
	if _, mapping := n.(ast.MapNode); !mapping {
		return c.By.UnmarshalYAML(n)
	}
	type plain Choice
	return yaml.NodeToValue(n, (*plain)(c), yaml.Strict())
}

// name is the activity of a row.
func (c *Choice) name(r *row) (string, error) {
	s, err := c.By.value(r)
	switch {
	case errors.Is(err, errNoValue) && c.Otherwise != "":
		return c.Otherwise, nil
	case err != nil:
		return "", err
	case c.Cases == nil:
		return s, nil
	}
	if name, ok := c.Cases[s]; ok {
		return name, nil
	}
	if c.Otherwise == "" {
		return "", errors.New("a value that is none of the cases")
	}
	return c.Otherwise, nil
}

// made is the activity of a row that has what makes it.
func (c *Choice) made(r *row) (t EntityRef, err error) {
	if t.Create, err = filled(c.Create, r); err != nil {
		return t, err
	}
	for _, name := range []string{"name", "type", "service"} {
		if t.Create[name] == "" {
			return t, fault(name, errNoValue)
		}
	}
	service, ok := domain.ParseService(t.Create["service"])
	if !ok {
		return t, errors.New("service: no such service")
	}
	t.Create["service"] = service.String()
	t.Name = definitionName(t.Create)
	return t, nil
}

// definitionName is the name under which a definition is remembered: no two have one, whatever their
// texts hold.
func definitionName(create Params) string {
	how := "repeated"
	if create["onetime"] == "1" {
		how = "onetime"
	}
	return strings.Join([]string{create["service"], how, url.PathEscape(create["type"]), create["name"]}, "/")
}

// check is what is wrong with a choice of rows that have what makes the activity.
func (c *Choice) check(activities int) error {
	switch {
	case activities > 0 || c.By.given() || c.Cases != nil || c.Otherwise != "":
		return errors.New("activity: create needs no activities, by, cases and otherwise")
	case !c.Create["name"].given() || !c.Create["type"].given() || !c.Create["service"].given():
		return errors.New("activity: create needs name, type and service")
	}
	return nil
}

// Content is what the action says beside all else: an object of texts, or one value of
// the row as it is, such as an object of a row of JSON.
type Content struct {
	Whole  Text
	Fields map[string]Text

	names []string // of Fields, in order
}

// UnmarshalYAML reads one text, or texts by name.
func (c *Content) UnmarshalYAML(n ast.Node) error {
	if _, mapping := n.(ast.MapNode); !mapping {
		return c.Whole.UnmarshalYAML(n)
	}
	if err := yaml.NodeToValue(n, &c.Fields, yaml.Strict()); err != nil {
		return err
	}
	c.names = slices.Sorted(maps.Keys(c.Fields))
	return nil
}

// value is the JSON text of a row's content; nil: it has none.
func (c *Content) value(r *row) (json.RawMessage, error) {
	out, err := c.json(r)
	if err == nil && size(out) > activity.MaxContent {
		err = fmt.Errorf("over %d bytes", activity.MaxContent)
	}
	return out, err
}

// size is what the topic measures: the bytes of an object, or of a text without its escapes.
func size(content json.RawMessage) int {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return len(s)
	}
	return len(content)
}

func (c *Content) json(r *row) (json.RawMessage, error) {
	if c.Whole.given() {
		out, err := c.Whole.json(r)
		if err == nil && out != nil && out[0] != '{' && out[0] != '"' {
			err = errors.New("neither an object nor a text")
		}
		return out, err
	}
	var out bytes.Buffer
	for _, name := range c.names {
		v, err := c.Fields[name].json(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if v == nil {
			continue
		}
		if out.Len() == 0 {
			out.WriteByte('{')
		} else {
			out.WriteByte(',')
		}
		out.Write(quoted(name))
		out.WriteByte(':')
		out.Write(v)
	}
	if out.Len() == 0 {
		return nil, nil
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// json is the value as JSON: a value of a row of JSON as it is, else a text; nil: the
// row has none.
func (t Text) json(r *row) (json.RawMessage, error) {
	if p := t.alone(); p != nil {
		c, err := p.cell(r)
		if err != nil || c.raw != nil {
			return c.raw, err
		}
	}
	s, err := t.optional(r)
	if err != nil || s == "" {
		return nil, err
	}
	return quoted(s), nil
}

// quoted is a text as JSON. Most need no escapes.
func quoted(s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			b, _ := json.Marshal(s) // of a string: cannot fail
			return b
		}
	}
	b := make([]byte, 0, len(s)+2)
	return append(append(append(b, '"'), s...), '"')
}
