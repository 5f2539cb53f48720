package main

import (
	"go/types"
	"slices"
	"strings"
)

// promotions counts the methods of a type: its own and those of the project's types embedded in it.
type promotions struct {
	name          string
	own, promoted int
	from          []string // types that declare the promoted methods
}

// promotionsOf are the types of a package that have promoted methods.
func promotionsOf(p *types.Package) (out []promotions) {
	for _, n := range p.Scope().Names() {
		t, ok := p.Scope().Lookup(n).(*types.TypeName)
		if !ok || t.IsAlias() || types.IsInterface(t.Type()) {
			continue
		}
		of := promotions{name: p.Path() + "." + n}
		methods := types.NewMethodSet(types.NewPointer(t.Type()))
		for method := range methods.Methods() {
			of.count(method)
		}
		if of.promoted > 0 {
			slices.Sort(of.from)
			out = append(out, of)
		}
	}
	return out
}

func (p *promotions) count(s *types.Selection) {
	method := s.Obj()
	switch {
	case len(s.Index()) == 1:
		p.own++
	case method.Pkg() != nil && strings.HasPrefix(method.Pkg().Path(), module):
		p.promoted++
		receiver := method.(*types.Func).Signature().Recv().Type()
		from := types.TypeString(receiver, func(p *types.Package) string { return p.Name() })
		from = strings.TrimPrefix(from, "*")
		if !slices.Contains(p.from, from) {
			p.from = append(p.from, from)
		}
	}
}
