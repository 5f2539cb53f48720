package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestArchitecture_RulesHold holds the shape of the project: who imports whom, what is
// documented. It reads the sources itself, so that its
// result depends on them alone and the test cache knows them.
func TestArchitecture_RulesHold(t *testing.T) {
	if underRace {
		t.Skip("one goroutine reads the sources: run without -race")
	}
	tree, err := readTree(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.sources) < 20 {
		t.Fatalf("only %d Go files found: this is not the project's root", len(tree.sources))
	}
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			for _, violation := range rule.check(tree) {
				t.Error(violation)
			}
		})
	}
}

const module = "github.com/ovation-analytics/ovation"

// tree is a checkout without what git ignores at its top.
type tree struct {
	top     []string          // names at the top
	texts   map[string]string // text files by path, vendored ones left out
	sources []*source         // Go files outside testdata, by path
}

// source is one Go file, parsed.
type source struct {
	path      string
	fset      *token.FileSet
	file      *ast.File
	test      bool
	generated bool
}

// dir is the folder, "." at the top.
func (s *source) dir() string { return path.Dir(s.path) }

// room is the first part of the path.
func (s *source) room() string {
	room, _, _ := strings.Cut(s.path, "/")
	return room
}

// at is a place in the file.
func (s *source) at(p token.Pos) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(p).Line)
}

// imports are the imported paths and where.
func (s *source) imports(f func(path string, at string)) {
	for _, i := range s.file.Imports {
		f(strings.Trim(i.Path.Value, "`\""), s.at(i.Pos()))
	}
}

// code are the sources that a person wrote and that are no tests.
func (t *tree) code(f func(*source)) {
	for _, s := range t.sources {
		if !s.test && !s.generated {
			f(s)
		}
	}
}

// maxText bounds what is read as text: beyond it, a file is data.
const maxText = 1 << 20

func readTree(root fs.FS) (*tree, error) {
	t := &tree{texts: map[string]string{}}
	ignored := ignoredAtTop(root)
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !slices.Contains(ignored, e.Name()) {
			t.top = append(t.top, e.Name())
		}
	}
	err = fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (p == ".git" || slices.Contains(ignored, p) || d.Name() == "vendor"):
			return fs.SkipDir
		case !d.Type().IsRegular() || p == ".git": // a file in a second work tree
			return nil
		}
		return t.read(root, p)
	})
	return t, err
}

// ignoredAtTop are the names that .gitignore has as /name or /name/.
func ignoredAtTop(root fs.FS) []string {
	text, err := fs.ReadFile(root, ".gitignore")
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "/"); ok {
			names = append(names, strings.TrimSuffix(name, "/"))
		}
	}
	return names
}

func (t *tree) read(root fs.FS, p string) error {
	text, err := fs.ReadFile(root, p)
	if err != nil {
		return err
	}
	if len(text) <= maxText && !bytes.ContainsRune(text, 0) {
		t.texts[p] = string(text)
	}
	if !strings.HasSuffix(p, ".go") || slices.Contains(strings.Split(p, "/"), "testdata") {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.sources = append(t.sources, &source{
		path: p, fset: fset, file: file,
		test:      strings.HasSuffix(p, "_test.go"),
		generated: ast.IsGenerated(file),
	})
	return nil
}
