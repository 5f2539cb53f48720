package input

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/parser"
)

// functions are the names of what an example calls.
type functions map[string]bool

func (f functions) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BuiltinNode:
		f[n.Name] = true
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
			f[callee.Value] = true
		}
	}
}

// contentOf is what an expression gives of a row.
func contentOf(t *testing.T, expression, row string) string {
	t.Helper()
	m, err := ParseMapping([]byte("source: s\ntime: \"2026-01-02T03:04:05Z\"\nmember: {id: 1}\nactivities: {play: {id: 100}}\ninput: {format: ndjson}\n" +
		"content:\n  V: >-\n    {= " + expression + " }\n"))
	if err != nil {
		return err.Error()
	}
	s, err := OpenFile(m, write(t, t.TempDir(), row+"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Next()
	if err != nil || r.Err != nil {
		return fmt.Sprint(err, r.Err)
	}
	var content struct{ V json.RawMessage }
	var text string
	if err := json.Unmarshal(r.Action.Content, &content); err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal(content.V, &text) == nil {
		return text
	}
	return string(content.V)
}

// The page of mappings has every function, and each of its examples gives what is beside it.
func TestReference_EveryFunction(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../mapping.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(string(page), "```row\n")
	row, table, _ := strings.Cut(row, "\n```\n")
	shown := functions{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "` | `")
		if len(cells) != 2 {
			continue
		}
		example, gives := strings.TrimPrefix(cells[0], "| `"), strings.TrimSuffix(strings.TrimSpace(cells[1]), "` |")
		tree, err := parser.Parse(example)
		if err != nil {
			t.Errorf("%s: %v", example, err)
			continue
		}
		ast.Walk(&tree.Node, shown)
		got := contentOf(t, example, row)
		if got != gives {
			t.Errorf("%s: %s, the page says %s", example, got, gives)
		}
	}
	for _, f := range builtin.Builtins {
		if !shown[f.Name] && !slices.Contains(notOfTheRow, f.Name) {
			t.Errorf("the page has no example of %s", f.Name)
		}
	}
	if !shown[hashing] {
		t.Error("the page has no example of hash")
	}
}
