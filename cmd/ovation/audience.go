package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// audience is a small seeded population: the same seed gives the same fans, and the
// same actions beside their distance from now.
type audience struct {
	rnd     *rand.Rand
	seed    uint64
	fans    []fan
	artists []string
	deeds   []deed
}

// fan is a member as its collector knows it.
type fan struct {
	service domain.Service
	uid     string
	gender  string
	country string
	born    string
}

// deed is something that can be done.
type deed struct {
	name    string
	kind    string
	service domain.Service
	value   int
	oneTime bool
	weight  int // how often, beside the others
}

// action is one thing that a fan did.
type action struct {
	id       string
	fan      int
	artist   int
	deed     int
	at       time.Time
	songName string
}

var (
	demoArtists = []string{
		"The Lanterns", "Mira Vale", "North Harbour", "Kid Static", "Ana Lopes", "Glass Atlas", "Old Rivers", "Teo Marin",
	}
	demoDeeds = []deed{
		{"played a track by {brand}", "Listened", domain.Spotify, 1, false, 60},
		{"scrobbled {brand}", "Listened", domain.LastFM, 1, false, 25},
		{"watched a video by {brand}", "Watched", domain.YouTube, 2, false, 10},
		{"follows {brand}", "Social", domain.Spotify, 10, true, 5},
	}
	demoCountries = []string{"US", "US", "US", "GB", "GB", "DE", "FR", "BR", "SE", ""}
	demoGenders   = []string{"F", "M", "F", "M", "Other", ""}
	demoServices  = []domain.Service{domain.Spotify, domain.LastFM, domain.YouTube}
)

func newAudience(seed uint64, members int) *audience {
	a := &audience{rnd: rand.New(rand.NewPCG(seed, 0x0a11ce)), seed: seed, artists: demoArtists, deeds: demoDeeds}
	for i := range members {
		born := time.Date(1955, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, a.rnd.IntN(55*365))
		a.fans = append(a.fans, fan{
			service: pick(a.rnd, demoServices), uid: fmt.Sprintf("fan-%d-%d", seed, i), gender: pick(a.rnd, demoGenders),
			country: pick(a.rnd, demoCountries), born: born.Format("02-01-2006"),
		})
	}
	return a
}

func pick[T any](rnd *rand.Rand, of []T) T { return of[rnd.IntN(len(of))] }

// act is something that somebody did at that time. A few fans do most, and a few
// artists get most.
func (a *audience) act(at time.Time) action {
	return action{
		id: fmt.Sprintf("%d-%d", a.seed, a.rnd.Uint64()), fan: a.skewed(len(a.fans)), artist: a.skewed(len(a.artists)),
		deed: a.deed(), at: at.Truncate(time.Second), songName: fmt.Sprintf("Track %d", 1+a.rnd.IntN(12)),
	}
}

// skewed is a number below n, the small ones more often.
func (a *audience) skewed(n int) int {
	f := a.rnd.Float64()
	return int(f * f * float64(n))
}

func (a *audience) deed() int {
	sum := 0
	for _, d := range a.deeds {
		sum += d.weight
	}
	at := a.rnd.IntN(sum)
	for i, d := range a.deeds {
		if at -= d.weight; at < 0 {
			return i
		}
	}
	return 0
}

// history is n actions spread over the days before now, oldest first.
func (a *audience) history(now time.Time, days, n int) []action {
	out := make([]action, n)
	step := time.Duration(days) * 24 * time.Hour / time.Duration(max(n, 1))
	for i := range out {
		out[i] = a.act(now.Add(-step * time.Duration(n-i)))
	}
	return out
}
