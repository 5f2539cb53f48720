package member

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// TestI7_CountriesAreFilteredWhileTheyChange lets many filter an index by country at once
// while the audience commits new countries: no reader sees another commit's.
func TestI7_CountriesAreFilteredWhileTheyChange(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 3))
	const fans = 2<<pageBits + 100
	a, now := NewAudience(), make([]uint16, fans)
	for o := range domain.Ordinal(fans) {
		a.Add(domain.MemberIDOf(uint64(o)+1, 0))
		a.Put(&domain.Bit{Ord: o, Attribute: domain.AttrMember, On: true})
	}
	var readers sync.WaitGroup
	for range 30 {
		for range 200 {
			o := rnd.IntN(fans)
			now[o] = uint16(rnd.ExpFloat64() * 20) // of the low ones many, of the others few
			a.PutColumn(&domain.Column{Ord: domain.Ordinal(o), Attribute: domain.AttrCountry, Value: now[o]})
		}
		index := a.Commit()
		wanted := map[uint16]bool{uint16(1 + rnd.IntN(20)): true, uint16(1 + rnd.IntN(200)): true}
		f, want := domain.Filter{}, make([]uint64, fans/64+1)
		for land := range wanted {
			f.Countries = append(f.Countries, land)
		}
		for o, land := range now {
			if wanted[land] {
				want[o>>6] |= 1 << (o & 63)
			}
		}
		look := func() {
			if got := index.Select(nil, &f, nil); !slices.Equal(got, want) {
				t.Errorf("seed %d: countries %v: %x, want %x", seed, f.Countries, got, want)
			}
		}
		readers.Go(look)
		readers.Go(look)
		if rnd.IntN(3) > 0 { // the next commit changes pages of which much is known
			look()
		}
	}
	readers.Wait()
}
