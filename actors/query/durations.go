package query

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/histogram"
)

// shapeNames are what metrics call the shapes.
var shapeNames = map[domain.Shape]string{
	domain.ShapeTally: "tally", domain.ShapeTimeline: "timeline", domain.ShapeLists: "lists", domain.ShapeLeaders: "leaders",
	domain.ShapeCrossover: "crossover", domain.ShapeFeed: "feed", domain.ShapeLocation: "location", domain.ShapeDaily: "daily",
	domain.ShapeGender: "gender", domain.ShapeAge: "age", domain.ShapeNewcomers: "newcomers", domain.ShapeStandings: "standings",
	domain.ShapeMemberList: "member_list", domain.ShapeRankHistogram: "rank_histogram", domain.ShapeDomains: "domains",
	domain.ShapeSummaries: "summaries", domain.ShapeStream: "stream",
}

// Durations are how long questions took, by shape. Any goroutine.
type Durations struct {
	byShape map[domain.Shape]*histogram.Histogram
}

// NewDurations has measured nothing.
func NewDurations() *Durations {
	d := &Durations{byShape: map[domain.Shape]*histogram.Histogram{}}
	for shape := range shapeNames {
		d.byShape[shape] = histogram.New(
			time.Millisecond, 2*time.Millisecond, 5*time.Millisecond, 10*time.Millisecond, 25*time.Millisecond, 50*time.Millisecond,
			100*time.Millisecond, 250*time.Millisecond, 500*time.Millisecond, time.Second, 2500*time.Millisecond, 10*time.Second)
	}
	return d
}

// since notes a question that was asked then and has its answer now.
func (d *Durations) since(began time.Time, shape domain.Shape) {
	if h := d.byShape[shape]; h != nil {
		h.Observe(time.Since(began))
	}
}

// Read is what was measured, by the name of the shape.
func (d *Durations) Read() map[string]histogram.Reading {
	out := map[string]histogram.Reading{}
	for shape, h := range d.byShape {
		out[shapeNames[shape]] = h.Read()
	}
	return out
}
