package extendedtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Condition is a condition as a query has it.
type Condition struct {
	Path      string // with dots
	Op, Value string
}

// Document reads a node.
func Document(node string) (out map[string]any) {
	d := json.NewDecoder(strings.NewReader(node))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		panic(err)
	}
	return out
}

// reach is all values at the end of a path, nil where there is none.
func reach(v any, names []string) (out []any) {
	if list, ok := v.([]any); ok {
		for _, e := range list {
			out = append(out, reach(e, names)...)
		}
		if len(list) == 0 {
			out = []any{nil}
		}
		return out
	}
	if len(names) == 0 {
		return []any{v}
	}
	object, _ := v.(map[string]any)
	exact, folded := any(nil), ""
	for name := range object {
		if strings.EqualFold(name, names[0]) && (folded == "" || name < folded) {
			folded = name
		}
	}
	exact, ok := object[names[0]]
	if !ok && folded != "" {
		exact = object[folded]
	}
	return reach(exact, names[1:])
}

// values are the values that a path leads to.
func values(node map[string]any, path string) []any {
	names := strings.Split(path, ".")
	if len(names) > 1 && strings.EqualFold(names[0], "Extended") {
		names = names[1:]
	}
	return reach(node, names)
}

// rational is a number; nil: the text is none.
func rational(text string) *big.Rat {
	if strings.Trim(text, "0123456789.eE+-") != "" || strings.HasPrefix(text, "+") || strings.HasPrefix(text, ".") {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}

// Meets reports that a node meets a condition.
func Meets(node map[string]any, c Condition) bool {
	return slices.ContainsFunc(values(node, c.Path), func(v any) bool {
		if _, object := v.(map[string]any); object || v == nil {
			return c.Op == "!="
		}
		text := fmt.Sprint(v)
		order := cmp.Compare(text, c.Value)
		if n, ok := v.(json.Number); ok && rational(c.Value) != nil {
			order = rational(n.String()).Cmp(rational(c.Value))
		}
		return map[string]bool{
			"=": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0,
			"~": strings.Contains(strings.ToLower(text), strings.ToLower(c.Value)),
		}[c.Op]
	})
}

// Has reports that a path leads to a value that is neither null nor empty.
func Has(node map[string]any, path string) bool {
	return slices.ContainsFunc(values(node, path), func(v any) bool {
		object, is := v.(map[string]any)
		return v != nil && v != "" && (!is || len(object) > 0)
	})
}

// Compare orders two nodes by what a path leads to in each.
func Compare(a, b map[string]any, path string, down bool) int {
	x, y := first(a, path, down), first(b, path, down)
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return 1
	case y == nil:
		return -1
	}
	return directed(x, y, down)
}

// first is the value that comes first of those that a path leads to; nil: none.
func first(node map[string]any, path string, down bool) (least any) {
	for _, v := range values(node, path) {
		if _, object := v.(map[string]any); object || v == nil {
			continue
		}
		if least == nil || directed(v, least, down) < 0 {
			least = v
		}
	}
	return least
}

func directed(x, y any, down bool) int {
	if down {
		x, y = y, x
	}
	n, numberX := x.(json.Number)
	m, numberY := y.(json.Number)
	switch {
	case numberX && numberY:
		return rational(n.String()).Cmp(rational(m.String()))
	case numberX:
		return -1
	case numberY:
		return 1
	}
	return cmp.Compare(fmt.Sprint(x), fmt.Sprint(y))
}
