package audience

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// taste chooses what members like: what is famous, what is of their genres, what is
// from where they live.
type taste struct {
	brands []Brand
	can    map[offer]weights
}

// maxFavourites is the largest number of favourites.
const maxFavourites = 14

// choose gives favourites, the dearest first. There is at least one.
func (t taste) choose(r *rand.Rand, m *Member) []favourite {
	like := [2]string{oneOf(r, genres), oneOf(r, genres)}
	n := min(2+int(r.ExpFloat64()*4), maxFavourites)
	type keyed struct {
		brand int
		key   float64
	}
	found, hears := make([]keyed, 0, len(t.brands)), t.hears(m)
	for i := range t.brands {
		b := &t.brands[i]
		weight := float64(b.fame)
		switch {
		case b.Type == podcast && !hears:
			continue
		case b.Type == podcast: // of no genre
		case b.Genre == like[0]:
			weight *= 5
		case b.Genre == like[1]:
			weight *= 3
		}
		if b.Country == m.Home().Country {
			weight *= 2.5
		}
		// The smallest of exponential waiting times: a draw without putting back.
		found = append(found, keyed{i, r.ExpFloat64() / weight})
	}
	if len(found) == 0 { // nothing but podcasts, and no network that has them
		found = append(found, keyed{brand: 0})
	}
	slices.SortFunc(found, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	found = found[:min(n, len(found))]
	out := make([]favourite, len(found))
	for i, f := range found {
		out[i] = favourite{f.brand, uint64(between(r, 700, 1300) / (i + 1))}
	}
	return out
}

// hears reports that the member has a network on which podcasts are.
func (t taste) hears(m *Member) bool {
	return slices.ContainsFunc(m.Accounts, func(acc Account) bool { return t.can[offer{acc.Service, podcast}].sum() > 0 })
}
