package main

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// What a type and a package may have at most: what needs more is several ideas.
const (
	mostFields   = 15
	mostMethods  = 25
	mostFiles    = 25
	mostExported = 20
)

// large are the types that may be larger, each with its reason; a package covers all of its
// types.
var large = map[string]string{
	"actors/domain":     "records of the vocabulary: values without behaviour",
	"api/wire":          "documents of the contract",
	"api/client.Client": "a method an operation",
}

// wide are the packages that may have more files or more exported types, each with its
// reason.
var wide = map[string]string{
	"actors/domain": "the vocabulary of all rooms",
	"api/bind":      "a type a kind of parameter",
	"api/wire":      "the documents of the contract",
	"cmd/ovation":   "the commands: kong reads exported types",
}

// typeSizes counts fields and methods of each type, wherever its methods are.
func typeSizes(t *tree) (bad []string) {
	fields, methods := map[string]int{}, map[string]int{}
	t.code(func(s *source) {
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					methods[s.dir()+"."+receiverName(d.Recv.List[0].Type)]++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if name, n := structFields(spec); n > 0 {
						fields[s.dir()+"."+name] = n
					}
				}
			}
		}
	})
	names := maps.Clone(fields)
	maps.Copy(names, methods)
	found := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if fields[name] <= mostFields && methods[name] <= mostMethods {
			continue
		}
		dir := name[:strings.LastIndexByte(name, '.')]
		found[name], found[dir] = true, true
		if large[name] == "" && large[dir] == "" {
			bad = append(bad, fmt.Sprintf("%s: %d fields and %d methods, at most %d and %d: split it by idea", name, fields[name], methods[name], mostFields, mostMethods))
		}
	}
	return append(bad, unneeded(t, large, found)...)
}

// receiverName is the type that a method belongs to.
func receiverName(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// structFields is how many fields a struct type has; an embedded one counts once.
func structFields(spec ast.Spec) (name string, n int) {
	t, ok := spec.(*ast.TypeSpec)
	if !ok {
		return "", 0
	}
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return "", 0
	}
	for _, f := range s.Fields.List {
		n += max(1, len(f.Names))
	}
	return t.Name.Name, n
}

// unneeded are exceptions that nothing needs, in a tree that is a whole project: not in those that
// the rules are tested with.
func unneeded(t *tree, exceptions map[string]string, found map[string]bool) (bad []string) {
	if len(t.sources) < 100 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(exceptions)) {
		if !found[name] {
			bad = append(bad, name+": needs no exception any more: take it from the list")
		}
	}
	return bad
}

// packageSizes counts files and exported types of each package.
func packageSizes(t *tree) (bad []string) {
	files, exported := map[string]int{}, map[string]int{}
	t.code(func(s *source) {
		files[s.dir()]++
		for _, d := range s.file.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				for _, spec := range g.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok && typ.Name.IsExported() {
						exported[s.dir()]++
					}
				}
			}
		}
	})
	found := map[string]bool{}
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		if files[dir] <= mostFiles && exported[dir] <= mostExported {
			continue
		}
		if found[dir] = true; wide[dir] == "" {
			bad = append(bad, fmt.Sprintf("%s: %d files and %d exported types, at most %d and %d: split it by concept", dir, files[dir], exported[dir], mostFiles, mostExported))
		}
	}
	return append(bad, unneeded(t, wide, found)...)
}
