package main

import (
	"go/token"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// base is the file name of a node or an object.
func base(p *packages.Package, at interface{ Pos() token.Pos }) string {
	return filepath.Base(p.Fset.Position(at.Pos()).Filename)
}

// circlesOf are the largest sets of files of which each uses each other, directly or through others.
func circlesOf(uses map[string][]string) (circles [][]string) {
	reached := map[string]map[string]bool{}
	for file := range uses {
		reached[file] = map[string]bool{}
		reach(uses, file, reached[file])
	}
	in := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		if in[file] || !reached[file][file] {
			continue
		}
		var circle []string
		for other := range reached[file] {
			if reached[other][file] {
				circle = append(circle, other)
				in[other] = true
			}
		}
		slices.Sort(circle)
		circles = append(circles, circle)
	}
	return circles
}

// reach puts into seen what a file uses, directly or through others.
func reach(uses map[string][]string, file string, seen map[string]bool) {
	for _, to := range uses[file] {
		if !seen[to] {
			seen[to] = true
			reach(uses, to, seen)
		}
	}
}
