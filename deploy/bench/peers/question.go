package peers

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Question is one that all engines are asked.
type Question struct {
	Shape   domain.Shape // tally, timeline, location, leaders, crossover or feed
	Brand   int          // its place in the scene; Everywhere: of all brands
	Days    int          // the range: so many up to the scene's end
	Filter  Filter
	Every   bool   // of a feed: every action, not each member's latest alone
	Keyword string // of a feed
}

// Everywhere is all brands of the account.
const Everywhere = -1

// Filter is one of the filters that are tried.
type Filter int

// The filters.
const (
	Unfiltered Filter = iota
	ByService         // actions of two of the services, half of the definitions
	ByMember          // members of three countries who pay: one in twenty
)

// What passes a filter.
var (
	FilteredServices  = []domain.Service{domain.LastFM, domain.Spotify}
	FilteredCountries = []string{"DE", "GB", "US"}
)

// pageRows is the length of the lists asked for: the contract's default.
const pageRows = 10

// Name describes the question.
func (q *Question) Name() string {
	name := map[domain.Shape]string{
		domain.ShapeTally: "tally", domain.ShapeTimeline: "timeline", domain.ShapeLocation: "location",
		domain.ShapeLeaders: "top members", domain.ShapeCrossover: "crossover", domain.ShapeFeed: "feed",
	}[q.Shape]
	if q.Every {
		name += ", every action"
	}
	switch q.Keyword {
	case Frequent:
		name += ", frequent word"
	case Rare:
		name += ", rare word"
	}
	return fmt.Sprintf("%s, %d days%s", name, q.Days, [...]string{"", ", services", ", country and paid"}[q.Filter])
}

// Range is the seconds asked about.
func (q *Question) Range(c *Scene) domain.Range {
	return domain.Range{From: c.End - domain.Second(q.Days)*day, To: c.End}
}

// of is the question as shards are asked it.
func (q *Question) of(c *Scene) *domain.Question {
	d := &domain.Question{
		Account: 1, Shape: q.Shape, Range: q.Range(c),
		Groups: make([]domain.Group, len(c.Definitions)),
	}
	for i := range c.Definitions {
		d.Groups[i] = domain.Group{Definition: c.Definitions[i].ID}
		if q.Shape == domain.ShapeTally {
			d.Groups[i].Group = uint32(c.Definitions[i].ID)
		}
	}
	if q.Brand != Everywhere {
		d.Brand = c.Brands[q.Brand]
	}
	switch q.Filter {
	case ByService:
		d.Filter.Services = FilteredServices
	case ByMember:
		d.Filter.Paid = true
		for _, name := range FilteredCountries {
			d.Filter.Countries = append(d.Filter.Countries, domain.CountryCode(name))
		}
	}
	d.Top = domain.Top{Limit: pageRows, Latest: q.Shape == domain.ShapeLeaders}
	d.Listing = domain.Listing{Every: q.Every, Keyword: q.Keyword, Limit: pageRows}
	return d
}
