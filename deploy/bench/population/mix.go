package population

import (
	"math"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Mix draws a load: the same seed gives the same one.
type Mix struct {
	*Population
	rnd     *rand.Rand
	brand   func(*rand.Rand) int
	weights []int // of definitions
}

// NewMix makes a population of so many members and brands, not yet entered, and its load.
func NewMix(members, brands int, seed uint64) *Mix {
	r := rand.New(rand.NewPCG(seed, 0xfa7))
	p := New(r, members, brands, []Definition{
		{Name: "played {brand}", Kind: "Listened", Service: domain.Spotify, Points: 1},
		{Name: "scrobbled {brand}", Kind: "Listened", Service: domain.LastFM, Points: 1},
		{Name: "watched {brand}", Kind: "Watched", Service: domain.YouTube, Points: 2},
		{Name: "follows {brand}", Kind: "Social", Service: domain.Spotify, Points: 10, OneTime: true},
	})
	return &Mix{Population: p, rnd: r, brand: ByFame(brands), weights: []int{60, 25, 10, 5}}
}

// New makes a population that is not yet entered: its members live in few countries mostly, and 15 of
// 100 pay.
func New(r *rand.Rand, members, brands int, definitions []Definition) *Population {
	p := &Population{Members: make([]Member, members), Brands: make([]domain.BrandID, brands), Definitions: definitions}
	country := Zipf(len(countries), 1, 1)
	for i := range p.Members {
		p.Members[i] = Member{Country: countries[country(r)], Paid: r.IntN(100) < 15}
	}
	return p
}

// countries are drawn from, the most frequent first.
var countries = strings.Fields("US GB DE FR BR SE JP MX ES IT NL CA AU PL AR CL CO PE NO DK FI IE PT BE CH AT CZ HU " +
	"RO GR TR IN ID PH TH VN KR TW HK SG MY NZ ZA NG KE EG MA IL SA AE UA RS HR BG SK SI EE LV LT IS")

// ByFame draws brands: of a thousand the first gets 6 %.
func ByFame(brands int) func(*rand.Rand) int { return Zipf(brands, 1.1, 4) }

// Zipf draws from 0 to n-1: k with a weight of (v+k)^-s.
func Zipf(n int, s, v float64) func(*rand.Rand) int {
	sums, sum := make([]float64, n), 0.0
	for k := range sums {
		sum += math.Pow(v+float64(k), -s)
		sums[k] = sum
	}
	return func(r *rand.Rand) int { return min(sort.SearchFloat64s(sums, r.Float64()*sum), n-1) }
}

// WarmUp is the i-th activity of a round in which each member has one.
func (m *Mix) WarmUp(i int, at time.Time) Activity { return m.of(i%len(m.Members), 0, at) }

// Any is the next activity. Members are drawn with a density that falls with the square root:
// a tenth of them do a third.
func (m *Mix) Any(at time.Time) Activity {
	f := m.rnd.Float64()
	return m.of(int(f*f*float64(len(m.Members))), m.definition(), at)
}

func (m *Mix) of(member, definition int, at time.Time) Activity {
	brand := m.brand(m.rnd)
	return Activity{
		Member: member, Brand: brand, Definition: definition, At: at,
		Track: "Track " + strconv.Itoa(1+m.rnd.IntN(40)), Song: brand * 40,
	}
}

func (m *Mix) definition() int {
	at := m.rnd.IntN(100)
	for i, w := range m.weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return 0
}
