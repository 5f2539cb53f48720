package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/ovation-analytics/ovation"

func main() {
	patterns := os.Args[1:]
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	loaded, err := load(patterns)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	report(os.Stdout, loaded)
}

// load reads and type-checks the packages of the patterns, without their tests.
func load(patterns []string) ([]*packages.Package, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, p.Errors[0])
		}
	}
	return loaded, nil
}

func report(w io.Writer, loaded []*packages.Package) {
	var promoting []promotions
	circles, inCircles := 0, 0
	for _, p := range loaded {
		promoting = append(promoting, promotionsOf(p.Types)...)
	}
	slices.SortStableFunc(promoting, func(a, b promotions) int { return cmp.Compare(b.promoted, a.promoted) })
	fmt.Fprintln(w, "Types with promoted methods: own, promoted, embedded types")
	for _, t := range promoting {
		fmt.Fprintf(w, "%5d %5d  %s: %s\n", t.own, t.promoted, name(t.name), strings.Join(t.from, ", "))
	}
	fmt.Fprintln(w, "\nFiles of a package that use each other in a circle")
	for _, p := range loaded {
		for _, c := range circlesOf(usesOf(p)) {
			circles, inCircles = circles+1, inCircles+len(c)
			fmt.Fprintf(w, "%5d  %s: %s\n", len(c), name(p.PkgPath), strings.Join(c, " "))
		}
	}
	fmt.Fprintf(w, "\n%d types promote methods; %d files are in %d circles\n", len(promoting), inCircles, circles)
}

// name is a path within the project.
func name(path string) string { return strings.TrimPrefix(path, module+"/") }

// usesOf are the files of a package, each with those that declare what it uses.
func usesOf(p *packages.Package) map[string][]string {
	uses := map[string][]string{}
	for id, object := range p.TypesInfo.Uses {
		if object.Pkg() != p.Types || !object.Pos().IsValid() {
			continue
		}
		from, to := base(p, id), base(p, object)
		if from != to && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}
