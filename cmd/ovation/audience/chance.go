package audience

import (
	"math"
	"math/rand/v2"
	"slices"
)

// trait names a stream of chance. Its number is part of every draw: new ones are
// added at the end.
type trait uint64

const (
	ofBrand trait = iota + 1
	ofReleases
	ofTour
	ofPlace
	ofAge
	ofGender
	ofName
	ofAccounts
	ofTaste
	ofActivity
	ofYears
	ofContact
	ofTold
	ofOptIns
	ofRhythm
	ofFollows
	ofConcerts
	ofDay
	ofSecond
	ofTwice
)

// chance is where all draws come from.
type chance uint64

// stream is the chance of one trait of the n-th of its kind.
func (c chance) stream(t trait, n int) *rand.Rand {
	h := mix(mix(uint64(c)^mix(uint64(t))) + uint64(n))
	return rand.New(rand.NewPCG(h, mix(h)))
}

// mix spreads a number's bits over the whole word (SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// weights are running sums of whole numbers: what decides is never a float, whose last
// bit may differ between machines.
type weights []uint64

// add appends a thing with this weight.
func (w weights) add(n uint64) weights { return append(w, w.sum()+n) }

func (w weights) sum() uint64 {
	if len(w) == 0 {
		return 0
	}
	return w[len(w)-1]
}

// pick is the number of a thing, as likely as its weight. The sum must not be 0.
func (w weights) pick(r *rand.Rand) int {
	i, _ := slices.BinarySearch(w, r.Uint64N(w.sum())+1) // the first whose sum is above
	return i
}

// likely is true in so many of a thousand cases.
func likely(r *rand.Rand, permille int) bool { return r.IntN(1000) < permille }

// oneOf is any of the list.
func oneOf[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// between is a number from low to high, both included.
func between(r *rand.Rand, low, high int) int { return low + r.IntN(high-low+1) }

// days is a waiting time of so many days on average.
func days(r *rand.Rand, mean float64) int { return int(r.ExpFloat64() * mean) }

// fading is what is left of n after some days, with a mean life of so many.
func fading(n uint64, after int, life float64) uint64 {
	return uint64(math.Round(float64(n) * math.Exp(-float64(after)/life)))
}
