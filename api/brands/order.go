package brands

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/port"
)

// sortedBrands keeps each account's brands in the order of their names, as of the
// catalog that was last asked: names are folded and sorted once a change, not once
// a request. It is a cache of the catalog. The mutex is held for the
// look-up only; two requests may sort the same list, and one of them wins.
type sortedBrands struct {
	mu       sync.Mutex
	accounts map[domain.AccountID]namedBrands
}

// namedBrands are an account's living brands by folded name, then ID.
type namedBrands struct {
	at     int64 // offset of the catalog
	brands []namedBrand
}

type namedBrand struct {
	folded string
	brand  *domain.Brand
}

// list is the brands that match, by name; ties by ID ascending in both directions.
func (s *sortedBrands) list(catalog port.Catalog, account domain.AccountID, brandType, keyword string, down bool) []*domain.Brand {
	all := s.of(catalog, account)
	keyword = strings.ToLower(keyword)
	var out []*domain.Brand
	for i := range all {
		b := &all[i]
		if (brandType == "" || strings.EqualFold(b.brand.Fields["Type"], brandType)) && strings.Contains(b.folded, keyword) {
			out = append(out, b.brand)
		}
	}
	if down {
		slices.SortStableFunc(out, func(a, b *domain.Brand) int {
			return cmp.Compare(strings.ToLower(b.Name()), strings.ToLower(a.Name()))
		})
	}
	return out
}

func (s *sortedBrands) of(catalog port.Catalog, account domain.AccountID) []namedBrand {
	at := catalog.Next()
	s.mu.Lock()
	kept, ok := s.accounts[account]
	s.mu.Unlock()
	if ok && kept.at == at {
		return kept.brands
	}
	fresh := namedBrands{at: at}
	for _, b := range catalog.Brands(account) {
		if !b.Deleted {
			fresh.brands = append(fresh.brands, namedBrand{strings.ToLower(b.Name()), b})
		}
	}
	slices.SortFunc(fresh.brands, func(a, b namedBrand) int {
		return cmp.Or(cmp.Compare(a.folded, b.folded), cmp.Compare(a.brand.ID, b.brand.ID))
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts == nil {
		s.accounts = map[domain.AccountID]namedBrands{}
	}
	s.accounts[account] = fresh
	return fresh.brands
}
