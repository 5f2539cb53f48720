package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// retiredFiles are names of files that said nothing to a reader who knows the field; in tests
// also those of retiredTestFiles.
var (
	retiredFiles = strings.Fields(`slice approach verdict follow pour lane ticket offer round pump routed stamps stands
		ends turns trouble room roomy ahead watched desk workbench whocounts choice anybody fewmembers bound deep diver sounding
		recent resident heat meet did deeds doers gist sums nears line picker best smalls every until fate dead kill fold
		says said words seen facts lands has roll crowd recall recollection turning admit who whom door threads
		together jointly wish aboard`)
	retiredTestFiles = strings.Fields("world rig house folk")
)

func retiredFileNames(t *tree) (bad []string) {
	for _, s := range t.sources {
		name := strings.TrimSuffix(path.Base(s.path), ".go")
		retired := retiredFiles
		if s.test {
			retired = slices.Concat(retiredFiles, retiredTestFiles)
		}
		for part := range strings.SplitSeq(strings.TrimSuffix(name, "_test"), "_") {
			if slices.Contains(retired, part) {
				bad = append(bad, fmt.Sprintf("%s: %q is no word of the field: see the glossary in actors/doc.go", s.path, part))
			}
		}
	}
	slices.SortFunc(bad, cmp.Compare)
	return bad
}

// retiredIdentifiers are words that no name of the code has: each has a term of the field in its
// place, by the glossary in actors/doc.go.
var retiredIdentifiers = strings.Fields(`aboard approach crowd deed deeds desk diver doer doers fate folk gist gists
	house lands lane nears pump pour recollection rig roll shelf smalls sounding verdict whocounts wish
	workbench world`)

var (
	identifierWord = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`) // of a name in mixed caps
	clickHouse     = regexp.MustCompile(`[cC]lickHouse`)             // a product's name
)

// retiredNames checks every name that a file writes, but for what it selects of something else.
func retiredNames(t *tree) (bad []string) {
	for _, s := range t.sources {
		if s.generated {
			continue
		}
		selected := map[*ast.Ident]bool{}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok {
				selected[x.Sel] = true
			}
			id, ok := n.(*ast.Ident)
			if !ok || selected[id] {
				return true
			}
			for _, word := range identifierWord.FindAllString(clickHouse.ReplaceAllString(id.Name, ""), -1) {
				if slices.Contains(retiredIdentifiers, strings.ToLower(word)) {
					bad = append(bad, fmt.Sprintf("%s: %s: %q is no word of the field: see the glossary in actors/doc.go", s.at(id.Pos()), id.Name, word))
				}
			}
			return true
		})
	}
	return bad
}
