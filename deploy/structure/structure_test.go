package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files that use each other are one circle, files that are only used are in none.
func TestCirclesOf_ListsFilesThatUseEachOther(t *testing.T) {
	got := circlesOf(map[string][]string{
		"a": {"b"}, "b": {"c"}, "c": {"a", "leaf"}, // one circle over three files
		"d": {"e"}, "e": {"d"}, // and one of two
		"top": {"a", "d"},
	})
	if diff := cmp.Diff([][]string{{"a", "b", "c"}, {"d", "e"}}, got); diff != "" {
		t.Error(diff)
	}
}

// Promoted methods are those of the project's embedded types, at any depth.
func TestPromotionsOf_CountsMethodsOfEmbeddedTypes(t *testing.T) {
	const source = `package p
type low struct{}
func (low) A() {}
func (*low) B() {}
type Mid struct{ low }
func (Mid) A() {}
type High struct { *Mid; err error }
type apart struct{ low low }
func (apart) C() {}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check(module+"/p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []promotions{
		{module + "/p.High", 0, 2, []string{"p.Mid", "p.low"}},
		{module + "/p.Mid", 1, 1, []string{"p.low"}},
	}
	if diff := cmp.Diff(want, promotionsOf(p), cmp.AllowUnexported(promotions{})); diff != "" {
		t.Error(diff)
	}
}

// The packages of the project load and are reported.
func TestReport_OfThisPackage(t *testing.T) {
	loaded, err := load([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	uses := usesOf(loaded[0])
	if diff := cmp.Diff([]string(nil), uses["circles.go"]); diff != "" {
		t.Error(diff)
	}
	if len(uses["main.go"]) != 2 {
		t.Errorf("main.go uses %v", uses["main.go"])
	}
}
