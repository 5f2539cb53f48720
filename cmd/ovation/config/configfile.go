package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/ovation-analytics/ovation/cmd/ovation/size"
)

// File is the --config flag: a YAML file of flag names and values.
type File string

const maxConfigFile = 1 << 20

// BeforeResolve makes the file a source of values, once the command line and the
// environment are known.
func (f File) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	path, _ := ctx.FlagValue(trace.Flag).(File)
	if path == "" {
		return nil
	}
	values, err := readConfigFile(string(path))
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	known := configFlags(ctx.Model)
	for name := range values {
		if !known[name] {
			return fmt.Errorf("--config: %s: unknown key %q", path, name)
		}
	}
	ctx.AddResolver(fileValues{path: string(path), values: values})
	return nil
}

// configFlags are the names that the file may have: the flags of serve and demo.
func configFlags(app *kong.Application) map[string]bool {
	names := map[string]bool{}
	for _, command := range app.Children {
		if command.Name != "serve" && command.Name != "demo" {
			continue
		}
		for _, flag := range command.Flags {
			names[flag.Name] = true
		}
	}
	return names
}

// fileValues gives flags the values of the file.
type fileValues struct {
	path   string
	values map[string]string
}

// Validate has nothing to add: unknown keys were refused when the file was read.
func (fileValues) Validate(*kong.Application) error { return nil }

// Resolve is the file's value, unless the environment has one: kong asks only for
// flags that the command line leaves out, but a resolver's answer would outrank
// the environment. A flag that no variable sets comes from the command line alone. The value is decoded here once for nothing, so that the error
// names the file.
func (f fileValues) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, ok := f.values[flag.Name]
	if !ok || len(flag.Tag.Envs) == 0 {
		return nil, nil
	}
	for _, name := range flag.Tag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	scratch := reflect.New(flag.Target.Type()).Elem()
	scan := kong.Scan().PushTyped(value, kong.FlagValueToken)
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, scratch); err != nil {
		return nil, fmt.Errorf("%w (from %s)", err, f.path)
	}
	return value, nil
}

// NoValues is a resolver without values. With a resolver present kong reports a
// bad variable of the environment only if nothing outranks it.
var NoValues = kong.ResolverFunc(func(*kong.Context, *kong.Path, *kong.Flag) (any, error) { return nil, nil })

// readConfigFile reads one flat mapping; lists become comma-separated, as on the
// command line.
func readConfigFile(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfigFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxConfigFile {
		return nil, fmt.Errorf("%s: longer than %v", path, size.Bytes(maxConfigFile))
	}
	values, err := parseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return values, nil
}

// parseConfig reads the file by its syntax tree, so that every value keeps the text it was
// written with: as a number, a prefix of 1.10 would come out as 1.1.
func parseConfig(text []byte) (map[string]string, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		// The library's own text shows the lines around, which may hold a key.
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			return nil, fmt.Errorf("line %d: %s", at.GetToken().Position.Line, at.GetMessage())
		}
		return nil, errNotFlat
	}
	values := map[string]string{}
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType || doc.Body.Type() == ast.CommentType {
			continue
		}
		mapping, ok := doc.Body.(ast.MapNode)
		if !ok {
			return nil, errNotFlat
		}
		for entries := mapping.MapRange(); entries.Next(); {
			name := entries.Key().GetToken().Value
			s, err := configText(entries.Value())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if entries.Value().Type() != ast.NullType {
				values[name] = s
			}
		}
	}
	return values, nil
}

var errNotFlat = errors.New("not a YAML mapping of flag names to values")

// configText is a value as the command line has it.
func configText(n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	case *ast.NullNode:
		return "", nil
	case *ast.SequenceNode:
		parts := make([]string, len(n.Values))
		for i, v := range n.Values {
			if _, nested := v.(*ast.SequenceNode); nested {
				return "", errors.New("a list within a list")
			}
			s, err := configText(v)
			if err != nil {
				return "", err
			}
			parts[i] = s
		}
		return strings.Join(parts, ","), nil
	default:
		return "", errors.New("neither a plain value nor a list of them")
	}
}
