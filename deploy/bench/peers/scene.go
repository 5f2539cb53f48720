package peers

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Days is how far the rows reach back from a Scene's End.
const Days = 180

const (
	day      = 86400
	services = 4 // that kinds are of
	// Kinds is the number of definitions.
	Kinds = 20
)

// Sizes are the sizes of a Scene.
type Sizes struct {
	Rows, Members, Brands int
	Seed                  uint64
}

// Scene is an account with all that was ever done in it. The first brand has 18 % of the
// rows, the others share what is left by a Zipf distribution.
type Scene struct {
	Sizes
	End     domain.Second // of the ranges asked about: no row is at it or later
	People  []Person      // by their place; ids ascend only where Invent gave them
	Brands  []domain.BrandID
	Kinds   [Kinds]Kind
	Rows    []Row // in order of arrival
	rank    []uint32
	byID    []uint32 // places of people in order of their ids
	ordered []domain.BrandID
}

// Person is a member.
type Person struct {
	ID      domain.MemberID
	Country uint16 // domain.CountryCode
	Paid    bool
}

// Kind is a definition.
type Kind struct {
	ID      domain.DefinitionID
	Service domain.Service
	Points  uint16
}

// Row is an action. Person and Brand are places in the Scene's lists.
type Row struct {
	Time   domain.Second
	Person uint32
	Brand  uint32
	Song   uint16
	Kind   uint8
}

// NewScene draws a scene whose rows end before end. Its people and brands have no ids yet:
// Invent gives them some, or a node.
func NewScene(s Sizes, end domain.Second) *Scene {
	c := &Scene{Sizes: s, End: end, People: make([]Person, s.Members), Brands: make([]domain.BrandID, s.Brands)}
	r := rand.New(rand.NewPCG(s.Seed, 0x5ce))
	land := zipf(len(lands), 1)
	for i := range c.People {
		c.People[i] = Person{Country: domain.CountryCode(lands[land(r)]), Paid: r.IntN(100) < 15}
	}
	of := [services]domain.Service{domain.Spotify, domain.LastFM, domain.YouTube, domain.Deezer}
	for i := range c.Kinds {
		c.Kinds[i] = Kind{Service: of[i%services], Points: uint16(1 + i*i%17)}
	}
	c.draw(r)
	return c
}

// draw makes the rows: in order of time but for one in 20, up to an hour late, and one in
// 1,000, up to five days.
func (c *Scene) draw(r *rand.Rand) {
	c.Rows = make([]Row, c.Sizes.Rows)
	who, kind, song := zipf(c.Members, 0.7), zipf(Kinds, 0.9), zipf(Songs, 0.8)
	other := zipf(max(c.Sizes.Brands-1, 1), 1)
	place := r.Perm(c.Members)
	start := c.End - Days*day
	for i := range c.Rows {
		at := start + domain.Second(uint64(i)*Days*day/uint64(len(c.Rows)))
		if u := r.IntN(1000); u < 1 {
			at -= domain.Second(r.IntN(5 * day))
		} else if u < 50 {
			at -= domain.Second(r.IntN(3600))
		}
		b := 0
		if r.IntN(100) >= 18 && c.Sizes.Brands > 1 {
			b = 1 + other(r)
		}
		c.Rows[i] = Row{Time: max(at, start), Person: uint32(place[who(r)]), Brand: uint32(b), Kind: uint8(kind(r)), Song: uint16(song(r))}
	}
}

// zipf draws from 0 to n-1: k with a weight of (k+1)^-s.
func zipf(n int, s float64) func(*rand.Rand) int {
	sums, sum := make([]float64, n), 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -s)
		sums[i] = sum
	}
	return func(r *rand.Rand) int { return min(sort.SearchFloat64s(sums, r.Float64()*sum), n-1) }
}

// lands are the countries, the most frequent first.
var lands = strings.Fields("US GB DE FR BR SE JP MX ES IT NL CA AU PL AR CL CO PE NO DK FI IE PT BE CH AT CZ HU RO GR " +
	"TR IN ID PH TH VN KR TW HK SG MY NZ ZA NG KE EG MA IL SA AE UA RS HR BG SK SI EE LV LT IS")

// Name gives people, brands and kinds their ids, all different, in the scene's order of
// them.
func (c *Scene) Name(people []domain.MemberID, brands []domain.BrandID, kinds []domain.DefinitionID) {
	for i := range c.People {
		c.People[i].ID = people[i]
	}
	copy(c.Brands, brands)
	for i := range c.Kinds {
		c.Kinds[i].ID = kinds[i]
	}
	c.byID, c.rank = make([]uint32, len(c.People)), make([]uint32, len(c.People))
	for i := range c.byID {
		c.byID[i] = uint32(i)
	}
	slices.SortFunc(c.byID, func(a, b uint32) int { return cmp.Compare(c.People[a].ID, c.People[b].ID) })
	for n, i := range c.byID {
		c.rank[i] = uint32(n)
	}
	c.ordered = slices.Sorted(slices.Values(c.Brands))
}

// Invent gives ids as a node could have given them.
func (c *Scene) Invent() {
	people, brands, kinds := make([]domain.MemberID, len(c.People)), make([]domain.BrandID, len(c.Brands)), make([]domain.DefinitionID, Kinds)
	for i := range people {
		people[i] = domain.MemberIDOf(uint64(1+i/domain.Slots), domain.Slot(i*2654435761%domain.Slots))
	}
	for i := range brands {
		brands[i] = domain.BrandID(1 + i)
	}
	for i := range kinds {
		kinds[i] = domain.FirstDefinition + domain.DefinitionID(i)
	}
	c.Name(people, brands, kinds)
}

// Tenth is the scene with one in ten of its rows.
func (c *Scene) Tenth() *Scene {
	d := *c
	d.Rows = make([]Row, 0, len(c.Rows)/10+1)
	for i := 0; i < len(c.Rows); i += 10 {
		d.Rows = append(d.Rows, c.Rows[i])
	}
	d.Sizes.Rows = len(d.Rows)
	return &d
}

// Number is a member's place in the order of ids: what peers know it by. Of one that is
// not of the scene it is -1.
func (c *Scene) Number(id domain.MemberID) int64 {
	at, ok := slices.BinarySearchFunc(c.byID, id, func(i uint32, id domain.MemberID) int { return cmp.Compare(c.People[i].ID, id) })
	if !ok {
		return -1
	}
	return int64(at)
}

// dense is a brand's number in its account, by its place.
func (c *Scene) dense() []uint32 {
	out := make([]uint32, len(c.Brands))
	for i, id := range c.Brands {
		at, _ := slices.BinarySearch(c.ordered, id)
		out[i] = uint32(at + 1)
	}
	return out
}

// arrivals calls f with each row, its member's shard of so many, and its action's id: in
// each shard sequences count from 1.
func (c *Scene) arrivals(shards int, f func(r *Row, shard int, id domain.ActionID) error) error {
	next := make([]uint64, shards)
	for i := range c.Rows {
		slot := c.People[c.Rows[i].Person].ID.Slot()
		shard := slot.Shard(shards)
		next[shard]++
		if err := f(&c.Rows[i], shard, domain.ActionIDOf(next[shard], slot)); err != nil {
			return err
		}
	}
	return nil
}

// CountryName is the person's country, as ISO 3166 codes it.
func (p *Person) CountryName() string { return string([]byte{byte(p.Country >> 8), byte(p.Country)}) }
