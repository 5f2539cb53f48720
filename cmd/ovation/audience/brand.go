package audience

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Brand is an artist or a podcast.
type Brand struct {
	Name     string
	Type     string // Music or Podcast
	Genre    string
	Country  string // where it is from
	Domain   string // of its site
	Catalog  Release
	Releases []Release // of the history and the week after it, by day
	Concerts []Concert // likewise

	fame uint64 // how widely known, beside the others
}

// Release is a single, an album, or a podcast's episode.
type Release struct {
	Title  string
	Day    int // since Start; of the catalogue: negative
	Tracks []Track

	heat uint64 // how much more it is played on its first day, in permille
	life float64
}

// Track is what is played.
type Track struct{ Name, ISRC string }

// Largest is the greatest release of an artist with a week before and a week after
// it in the history; nil: none.
func (b *Brand) Largest() (best *Release) {
	for i := range b.Releases {
		r := &b.Releases[i]
		if b.Type == music && r.Day >= 7 && r.Day+7 <= historyDays && (best == nil || r.heat > best.heat) {
			best = r
		}
	}
	return best
}

// Concert is one evening of a tour.
type Concert struct {
	Venue string
	Place int // number in places
	Day   int // since Start, of the evening there
}

// Where is the town of the concert.
func (c Concert) Where() Place { return places[c.Place] }

// makeBrands makes so many brands, the best known first. One in eight is a podcast.
func (a *Audience) makeBrands(n int) []Brand {
	brands := make([]Brand, n)
	taken := map[string]bool{}
	for i := range brands {
		r := a.chance.stream(ofBrand, i)
		b := &brands[i]
		b.Type, b.Genre, b.Country = music, oneOf(r, genres), places[a.towns.pick(r)].Country
		if i%8 == 5 {
			b.Type, b.Genre = podcast, "Talk"
		}
		b.Name = unused(taken, func() string { return brandName(r, b.Type) })
		b.Domain = strings.ReplaceAll(strings.ToLower(b.Name), " ", "") + ".example"
		// Fame falls as in any chart: the tenth has about a sixth of the first.
		b.fame = 1 + uint64(1_000_000*(900+r.IntN(200))/1000)/uint64(10+8*i)
		a.release(b, i)
		if b.Type == music {
			a.tour(b, i)
		}
	}
	return brands
}

// unused is the first name that no brand has; after some tries a number helps.
func unused(taken map[string]bool, name func() string) string {
	for try := 0; ; try++ {
		s := name()
		if try > 20 {
			s += " " + strconv.Itoa(try-19)
		}
		if !taken[s] {
			taken[s] = true
			return s
		}
	}
}

func brandName(r *rand.Rand, kind string) string {
	switch {
	case kind == podcast:
		return oneOf(r, shows)
	case likely(r, 400):
		return oneOf(r, singers)
	case likely(r, 300):
		return "The " + oneOf(r, nouns)
	default:
		return oneOf(r, adjectives) + " " + oneOf(r, nouns)
	}
}

// release makes what was there before and what came out in the year: music on
// Fridays, an episode on the podcast's own day of every week.
func (a *Audience) release(b *Brand, number int) {
	r := a.chance.stream(ofReleases, number)
	songs := songs{r: r, brand: number, taken: map[string]bool{}}
	if b.Type == podcast {
		weekday := r.IntN(5)
		b.Catalog = Release{Title: "Archive", Day: -1, Tracks: songs.tracks("Episode 1: ", 12)}
		for d := weekday; d < planDays; d += 7 {
			title := fmt.Sprintf("Episode %d: ", 13+d/7)
			b.Releases = append(b.Releases, Release{Title: b.Name, Day: d, Tracks: songs.tracks(title, 1), heat: 900, life: 1.5})
		}
		return
	}
	b.Catalog = Release{Title: songs.title(), Day: -1, Tracks: songs.tracks("", 12)}
	for d := between(r, 0, 90); d < planDays; d += between(r, 60, 170) {
		out := Release{Title: songs.title(), Day: d - d%7 + 4, life: 4 + 3*r.Float64()}
		switch kind := r.IntN(10); {
		case kind < 5:
			out.Tracks, out.heat = []Track{songs.track(out.Title)}, uint64(between(r, 1200, 3500))
		case kind < 8:
			out.Tracks, out.heat = songs.tracks("", 5), uint64(between(r, 2500, 5000))
		default:
			out.Tracks, out.heat = songs.tracks("", 11), uint64(between(r, 5000, 9000))
		}
		if out.Day < planDays {
			b.Releases = append(b.Releases, out)
		}
	}
}

// songs names a brand's tracks.
type songs struct {
	r     *rand.Rand
	brand int
	made  int
	taken map[string]bool
}

func (s *songs) title() string {
	return unused(s.taken, func() string { return oneOf(s.r, titleStarts) + " " + oneOf(s.r, titleEnds) })
}

func (s *songs) tracks(prefix string, n int) []Track {
	out := make([]Track, n)
	for i := range out {
		out[i] = s.track(prefix + s.title())
	}
	return out
}

func (s *songs) track(name string) Track {
	s.made++
	return Track{Name: name, ISRC: fmt.Sprintf("XXOV1%02d%05d", s.brand%100, s.brand/100*1000+s.made)}
}

// tour makes at most two tours: an evening here, the next one or two days later
// somewhere else.
func (a *Audience) tour(b *Brand, number int) {
	r := a.chance.stream(ofTour, number)
	for range between(r, 0, 2) {
		d := between(r, 20, planDays-30)
		if len(b.Concerts) > 0 && d < b.Concerts[len(b.Concerts)-1].Day+60 {
			continue
		}
		for range between(r, 5, 16) {
			place := a.towns.pick(r)
			b.Concerts = append(b.Concerts, Concert{Venue: places[place].City + " " + oneOf(r, halls), Place: place, Day: d})
			d += between(r, 1, 3)
		}
	}
}
