package peers

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/deploy/bench/population"
)

// Days is how far the rows reach back from a Scene's End.
const Days = 180

const (
	day      = 86400
	services = 4 // that definitions are of
	// Definitions is the number of definitions.
	Definitions = 20
)

// Sizes are the sizes of a Scene.
type Sizes struct {
	Rows, Members, Brands int
	Seed                  uint64
}

// Scene is an account with all that was ever done in it. The first brand has 18 % of the
// rows, the others share what is left by a Zipf distribution.
type Scene struct {
	Sizes Sizes
	End   domain.Second // of the ranges asked about: no row is at it or later
	*population.Population
	Rows    []Row    // in order of arrival
	rank    []uint32 // of a member's id among the ids
	byID    []uint32 // indexes of members in order of their ids
	ordered []domain.BrandID
}

// Row is an action. Member, Brand and Definition are indexes.
type Row struct {
	Time       domain.Second
	Member     uint32
	Brand      uint32
	Song       uint16
	Definition uint8
}

// NewScene draws a scene whose rows end before end. Once its population is entered into a node,
// Index is called.
func NewScene(s Sizes, end domain.Second) *Scene {
	of := [services]domain.Service{domain.Spotify, domain.LastFM, domain.YouTube, domain.Deezer}
	definitions := make([]population.Definition, Definitions)
	for i := range definitions {
		definitions[i] = population.Definition{
			Name: fmt.Sprintf("did %d with {brand}", i), Kind: "Listened", Service: of[i%services], Points: 1 + i*i%17,
		}
	}
	r := rand.New(rand.NewPCG(s.Seed, 0x5ce))
	c := &Scene{Sizes: s, End: end, Population: population.New(r, s.Members, s.Brands, definitions)}
	c.draw(r)
	return c
}

// draw makes the rows: in order of time but for one in 20, up to an hour late, and one in
// 1,000, up to five days.
func (c *Scene) draw(r *rand.Rand) {
	c.Rows = make([]Row, c.Sizes.Rows)
	zipf := population.Zipf
	member, definition, song := zipf(c.Sizes.Members, 0.7, 1), zipf(Definitions, 0.9, 1), zipf(Songs, 0.8, 1)
	other := zipf(max(c.Sizes.Brands-1, 1), 1, 1)
	place := r.Perm(c.Sizes.Members)
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
		c.Rows[i] = Row{
			Time: max(at, start), Member: uint32(place[member(r)]), Brand: uint32(b),
			Definition: uint8(definition(r)), Song: uint16(song(r)),
		}
	}
}

// Index orders members and brands by the ids that Enter gave them.
func (c *Scene) Index() {
	c.byID = make([]uint32, len(c.Members))
	c.rank = make([]uint32, len(c.Members))
	for i := range c.byID {
		c.byID[i] = uint32(i)
	}
	slices.SortFunc(c.byID, func(a, b uint32) int { return cmp.Compare(c.Members[a].ID, c.Members[b].ID) })
	for n, i := range c.byID {
		c.rank[i] = uint32(n)
	}
	c.ordered = slices.Sorted(slices.Values(c.Brands))
}

// Activity is the i-th row as an activity to publish.
func (c *Scene) Activity(i int) population.Activity {
	r := &c.Rows[i]
	return population.Activity{
		Member: int(r.Member), Brand: int(r.Brand), Definition: int(r.Definition), At: time.Unix(int64(r.Time),
			0), Track: titles[r.Song], Song: int(r.Song),
	}
}

// Number is a member's place in the order of ids: the peers' id of it; -1: it is not in the
// scene.
func (c *Scene) Number(id domain.MemberID) int64 {
	at, ok := slices.BinarySearchFunc(c.byID, id, func(i uint32,
		id domain.MemberID,
	) int {
		return cmp.Compare(c.Members[i].ID, id)
	})
	if !ok {
		return -1
	}
	return int64(at)
}

// dense is the number of each brand in its account.
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
		slot := c.Members[c.Rows[i].Member].ID.Slot()
		shard := slot.Shard(shards)
		next[shard]++
		if err := f(&c.Rows[i], shard, domain.ActionIDOf(next[shard], slot)); err != nil {
			return err
		}
	}
	return nil
}
