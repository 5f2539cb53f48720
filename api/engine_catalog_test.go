package api

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// snapshot is one state of the script's catalog.
type snapshot struct {
	next   int64
	keys   map[domain.KeyHash]*domain.Key
	apps   map[domain.ApplicationID]*domain.Application
	brands []*domain.Brand
	defs   []*domain.Definition
	segs   []*domain.Segment
}

func (c *snapshot) Next() int64 { return c.next }

func (c *snapshot) Changed(domain.AccountID) int64 { return c.next }

func (c *snapshot) Key(h domain.KeyHash) (*domain.Key, bool) {
	k, ok := c.keys[h]
	return k, ok
}

func (c *snapshot) Account(id domain.AccountID) (*domain.Account, bool) {
	return &domain.Account{ID: id}, true
}

func (c *snapshot) Application(id domain.ApplicationID) (*domain.Application, bool) {
	a, ok := c.apps[id]
	return a, ok
}

func (c *snapshot) Brand(account domain.AccountID, id domain.BrandID) (*domain.Brand, bool) {
	for _, b := range c.brands {
		if b.Account == account && b.ID == id && !b.Deleted {
			return b, true
		}
	}
	return nil, false
}

func (c *snapshot) Definition(account domain.AccountID, id domain.DefinitionID) (*domain.Definition, bool) {
	for _, d := range c.defs {
		if d.Account == account && d.ID == id && !d.Deleted {
			return d, true
		}
	}
	return nil, false
}

func (c *snapshot) Segment(account domain.AccountID, id domain.SegmentID) (*domain.Segment, bool) {
	for _, g := range c.segs {
		if g.Account == account && g.ID == id && !g.Deleted {
			return g, true
		}
	}
	return nil, false
}

func (c *snapshot) Segments(account domain.AccountID) []*domain.Segment {
	out := slices.DeleteFunc(slices.Clone(c.segs), func(g *domain.Segment) bool { return g.Account != account })
	slices.SortFunc(out, func(a, b *domain.Segment) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (c *snapshot) AnyBrand(account domain.AccountID, id domain.BrandID) (*domain.Brand, bool) {
	i := slices.IndexFunc(c.brands, func(b *domain.Brand) bool { return b.Account == account && b.ID == id })
	if i < 0 {
		return nil, false
	}
	return c.brands[i], true
}

func (c *snapshot) AnyDefinition(account domain.AccountID, id domain.DefinitionID) (*domain.Definition, bool) {
	i := slices.IndexFunc(c.defs, func(d *domain.Definition) bool { return d.Account == account && d.ID == id })
	if i < 0 {
		return nil, false
	}
	return c.defs[i], true
}

func (c *snapshot) Brands(account domain.AccountID) []*domain.Brand {
	out := slices.DeleteFunc(slices.Clone(c.brands), func(b *domain.Brand) bool { return b.Account != account })
	slices.SortFunc(out, func(a, b *domain.Brand) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (c *snapshot) Definitions(account domain.AccountID) []*domain.Definition {
	out := slices.DeleteFunc(slices.Clone(c.defs), func(d *domain.Definition) bool { return d.Account != account })
	slices.SortFunc(out, func(a, b *domain.Definition) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
