package population

import (
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Mix draws a load: the same seed gives the same one.
type Mix struct {
	*Population
	rnd     *rand.Rand
	zipf    *rand.Zipf
	weights []int // of definitions
}

// NewMix makes a population of so many members and brands, not yet entered, and its load.
func NewMix(members, brands int, seed uint64) *Mix {
	p := &Population{
		Members: make([]Member, members), Brands: make([]domain.BrandID, brands),
		Definitions: []Definition{
			{Name: "played {brand}", Kind: "Listened", Service: domain.Spotify, Points: 1},
			{Name: "scrobbled {brand}", Kind: "Listened", Service: domain.LastFM, Points: 1},
			{Name: "watched {brand}", Kind: "Watched", Service: domain.YouTube, Points: 2},
			{Name: "follows {brand}", Kind: "Social", Service: domain.Spotify, Points: 10, OneTime: true},
		},
	}
	for i := range p.Members {
		p.Members[i].Country = countries[i%len(countries)]
	}
	r := rand.New(rand.NewPCG(seed, 0xfa7))
	return &Mix{Population: p, rnd: r, zipf: Zipf(r, brands), weights: []int{60, 25, 10, 5}}
}

var countries = []string{"US", "US", "US", "GB", "GB", "DE", "FR", "BR", "SE", "JP"}

// Zipf draws brands: of a thousand the first gets 6 %.
func Zipf(r *rand.Rand, brands int) *rand.Zipf { return rand.NewZipf(r, 1.1, 4, uint64(brands-1)) }

// WarmUp is the i-th activity of a round in which each member has one.
func (m *Mix) WarmUp(i int, at time.Time) Activity { return m.of(i%len(m.Members), 0, at) }

// Any is the next activity. Members are drawn with a density that falls with the square root:
// a tenth of them do a third.
func (m *Mix) Any(at time.Time) Activity {
	f := m.rnd.Float64()
	return m.of(int(f*f*float64(len(m.Members))), m.definition(), at)
}

func (m *Mix) of(member, definition int, at time.Time) Activity {
	brand := int(m.zipf.Uint64())
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
