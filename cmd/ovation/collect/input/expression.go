package input

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// expression computes a value from those of a row, in the language of github.com/expr-lang/expr. A name is
// a column of CSV, as text, or a member of the row's object, as what it is there; $env["a name"] is one
// whose name is no word; a lookup's name is what the lookup found. A value that is missing is nil. It depends
// on nothing but the row.
type expression struct {
	source  string
	program *vm.Program
	names   []named
	env     map[string]any // used by one row after the other, as is what runs it
	machine vm.VM
}

// named is a value that an expression names: of the row, or a column of a lookup.
type named struct {
	name   string
	column string // of a lookup of that name; else empty
	at     ref
}

// hashing is the function of ours: hash(a, b, …) is 16 hex digits that differ where one of the values does. It
// makes ids of what a row says.
const hashing = "hash"

func hashOf(values ...any) (any, error) {
	text, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

// notOfTheRow are functions whose result depends on more than the row.
var notOfTheRow = []string{"now"}

// compileExpression reads an expression and finds the names in it, of which lookups are some.
func compileExpression(source string, lookups []*lookup) (*expression, error) {
	tree, err := parser.Parse(source)
	if err != nil {
		return nil, firstLine(err)
	}
	found := &names{lookups: lookups}
	ast.Walk(&tree.Node, found)
	if found.unknown != "" {
		return nil, fmt.Errorf("there is no function %s", found.unknown)
	}
	options := []expr.Option{expr.Function(hashing, hashOf), expr.Env(map[string]any{}), expr.AllowUndefinedVariables(), expr.Patch(ofTheRow(found.declared))}
	for _, name := range notOfTheRow {
		options = append(options, expr.DisableBuiltin(name))
	}
	program, err := expr.Compile(source, options...)
	if err != nil {
		return nil, firstLine(err)
	}
	return &expression{source: source, program: program, names: found.list(), env: map[string]any{}}, nil
}

// firstLine is an error without the picture of the place below it.
func firstLine(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(text)
}

// ofTheRow are names that let declares: any other is one of the row, though a function has the same name, as
// type, date and count.
type ofTheRow []string

// Visit makes a name one of the row.
func (declared ofTheRow) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.IdentifierNode); ok && n.Value != "$env" && n.Value != hashing && !slices.Contains(declared, n.Value) {
		ast.Patch(node, &ast.MemberNode{Node: &ast.IdentifierNode{Value: "$env"}, Property: &ast.StringNode{Value: n.Value}})
	}
}

// names collects what an expression names.
type names struct {
	lookups  []*lookup
	read     []named
	declared []string // by let
	unknown  string   // a function that there is not
}

// Visit looks at one node, after those below it.
func (v *names) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value != "$env" && n.Value != hashing {
			v.add(named{name: n.Value})
		}
	case *ast.MemberNode:
		of, ok := n.Node.(*ast.IdentifierNode)
		property, text := n.Property.(*ast.StringNode)
		switch {
		case !ok || !text:
		case of.Value == "$env":
			v.add(named{name: property.Value})
		case slices.ContainsFunc(v.lookups, func(l *lookup) bool { return l.name == of.Value }):
			v.add(named{name: of.Value, column: property.Value})
		}
	case *ast.CallNode:
		if f, ok := n.Callee.(*ast.IdentifierNode); ok {
			if _, there := builtin.Index[f.Value]; !there && f.Value != hashing {
				v.unknown = f.Value
			}
		}
	case *ast.BuiltinNode:
		if slices.Contains(notOfTheRow, n.Name) {
			v.unknown = n.Name
		}
	case *ast.VariableDeclaratorNode:
		v.declared = append(v.declared, n.Name)
	}
}

func (v *names) add(n named) {
	if !slices.Contains(v.read, n) {
		v.read = append(v.read, n)
	}
}

// list is what the row or a lookup has to give.
func (v *names) list() []named {
	return slices.DeleteFunc(v.read, func(n named) bool {
		lookup := slices.ContainsFunc(v.lookups, func(l *lookup) bool { return l.name == n.name })
		return slices.Contains(v.declared, n.name) || lookup && n.column == ""
	})
}

// place finds where its values are.
func (e *expression) place(c *mapper) {
	for i := range e.names {
		n := &e.names[i]
		if n.column == "" {
			n.at = c.find(n.name, false)
			continue
		}
		n.at = c.find(n.name+"."+n.column, true)
	}
}

// errFailed says that an expression has no value for a row. What the row holds is not in it.
type errFailed struct{ source string }

func (e errFailed) Error() string {
	return fmt.Sprintf("%s: its values do not fit this (a column of CSV is text: compare numbers by int(column) or float(column))", e.source)
}

// run computes the value of a row.
func (e *expression) run(r *row) (any, error) {
	for i := range e.names {
		n := &e.names[i]
		v, err := valueOf(r.cell(n.at))
		if err != nil {
			return nil, err
		}
		if n.column == "" {
			e.env[n.name] = v
			continue
		}
		of, ok := e.env[n.name].(map[string]any)
		if !ok {
			of = map[string]any{}
			e.env[n.name] = of
		}
		of[n.column] = v
	}
	v, err := e.machine.Run(e.program, e.env)
	if err != nil { // its text may have values
		return nil, errFailed{e.source}
	}
	return v, nil
}

// holds is the answer of a condition.
func (e *expression) holds(r *row) (bool, error) {
	v, err := e.run(r)
	if err != nil {
		return false, err
	}
	yes, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("%s: neither true nor false", e.source)
	}
	return yes, nil
}

// cell is the value of a row as a cell.
func (e *expression) cell(r *row) (cell, error) {
	v, err := e.run(r)
	if err != nil {
		return cell{}, err
	}
	switch v := v.(type) {
	case nil:
		return cell{}, nil
	case string:
		return cell{text: v}, nil
	case time.Time:
		return cell{text: v.UTC().Format(time.RFC3339Nano)}, nil
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		return cell{text: text, raw: json.RawMessage(text), plain: true}, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return cell{}, errFailed{e.source}
	}
	return jsonCell(raw)
}

// valueOf is a cell as an expression sees it; nil: it has no value.
func valueOf(c cell) (any, error) {
	switch {
	case c.raw == nil && c.text == "":
		return nil, nil
	case c.raw == nil || c.plain && c.raw[0] == '"':
		return c.text, nil
	}
	d := json.NewDecoder(bytes.NewReader(c.raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, errNotJSON
	}
	return inNumbers(v), nil
}

// inNumbers has the numbers of a value as whole ones where they are, and as text where no number holds them.
func inNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil || !strings.ContainsAny(v.String(), ".eE") {
			return v.String() // more digits than a number holds
		}
		return f
	case []any:
		for i := range v {
			v[i] = inNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = inNumbers(v[k])
		}
	}
	return v
}
