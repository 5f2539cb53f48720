package audience

import (
	"fmt"
	"iter"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Weeks is how long the history is.
const Weeks = 52

const (
	historyDays = Weeks * 7
	planDays    = historyDays + 7 // releases, tours and follows go on for the week that is not over
	day         = 24 * time.Hour
)

// Options are all that an audience depends on.
type Options struct {
	Seed    uint64
	Members int       // 1 to MaxMembers
	Actions int       // of the history, 0 to MaxActions
	Brands  int       // 1 to MaxBrands; 0: DefaultBrands
	End     time.Time // of the history: its UTC day, moved back to a Monday
}

// Bounds of Options.
const (
	DefaultBrands = 48
	MaxBrands     = 1000
	MaxMembers    = 1_000_000
	MaxActions    = 1_000_000_000
)

// Audience is brands, what can be done, and members. It is immutable.
type Audience struct {
	Brands      []Brand
	Definitions []Definition
	Segments    []Segment
	Members     []Member

	options Options
	start   time.Time
	chance  chance
	rhythm  *rhythm
	heat    *heat
	moments [][]moment        // by day
	share   weights           // of the days of the history in all that is done
	fame    weights           // of the brands
	can     map[offer]weights // the definitions by how often they are done, but for moments
	towns   weights           // of places
}

// New makes an audience.
func New(o Options) (*Audience, error) {
	if o.Brands == 0 {
		o.Brands = DefaultBrands
	}
	switch {
	case o.Members < 1 || o.Members > MaxMembers:
		return nil, fmt.Errorf("audience: members: %d is not between 1 and %d", o.Members, MaxMembers)
	case o.Actions < 0 || o.Actions > MaxActions:
		return nil, fmt.Errorf("audience: actions: %d is not between 0 and %d", o.Actions, MaxActions)
	case o.Brands < 1 || o.Brands > MaxBrands:
		return nil, fmt.Errorf("audience: brands: %d is not between 1 and %d", o.Brands, MaxBrands)
	}
	a := &Audience{options: o, chance: chance(mix(o.Seed)), start: monday(o.End).AddDate(0, 0, -historyDays)}
	a.Definitions = definitions()
	a.can = repertoire(a.Definitions)
	for _, p := range places {
		a.towns = a.towns.add(p.people)
	}
	a.Brands = a.makeBrands(o.Brands)
	a.Segments = segments(a.Definitions, a.Brands)
	for i := range a.Brands {
		a.fame = a.fame.add(a.Brands[i].fame)
	}
	a.Members = a.makeMembers(o.Members)
	a.rhythm = newRhythm(a.Members)
	a.heat = newHeat(a.Brands)
	a.share = a.shares()
	a.moments = a.makeMoments()
	return a, nil
}

// monday is midnight UTC of the Monday on or before t.
func monday(t time.Time) time.Time {
	t = t.UTC().Truncate(day) // the zero time is a Monday: days are whole in it
	return t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

// Start is the first moment of the history: midnight UTC of a Monday.
func (a *Audience) Start() time.Time { return a.start }

// End is the first moment after the history: midnight UTC of a Monday.
func (a *Audience) End() time.Time { return a.start.AddDate(0, 0, historyDays) }

// date is the day's midnight UTC.
func (a *Audience) date(d int) time.Time { return a.start.AddDate(0, 0, d) }

// History is everything from Start to End: exactly as many actions as asked for, in
// order of time. Memory is bounded by the actions of a day.
func (a *Audience) History() iter.Seq[Action] { return a.Between(a.Start(), a.End()) }

// Between is everything from one moment to before another, in order of time; before
// Start nothing happened, after End it goes on.
func (a *Audience) Between(from, to time.Time) iter.Seq[Action] {
	return func(yield func(Action) bool) {
		first := max(0, int(from.Sub(a.start)/day))
		for d := first; a.date(d).Before(to); d++ {
			for _, action := range a.Day(d) {
				if action.Time.Before(from) || !action.Time.Before(to) {
					continue
				}
				if !yield(action) {
					return
				}
			}
		}
	}
}

// Action is something that a member did.
type Action struct {
	ID         string
	Member     int // number in Members
	Brand      int // number in Brands
	Definition int // number in Definitions
	Account    int // number in the member's Accounts: whose collector saw it
	Time       time.Time
	Content    Content
	Geo        domain.Geo // where it was done; zero: not known
}

// Content is what an action says about itself, by the names that feeds show.
type Content struct {
	TrackName   string `json:"TrackName,omitempty"`
	TrackArtist string `json:"TrackArtist,omitempty"`
	AlbumName   string `json:"AlbumName,omitempty"`
	ISRC        string `json:"ISRC,omitempty"`
	Venue       string `json:"Venue,omitempty"`
}

// IsZero reports that there is nothing to say.
func (c Content) IsZero() bool { return c == Content{} }
