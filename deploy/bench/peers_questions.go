package main

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/deploy/bench/peers"
)

// Goal is what a question is to reach; of what is 0 nothing is asked.
type Goal struct {
	Millis    float64 `json:"millis,omitempty"`    // in this process
	Ratio     float64 `json:"ratio,omitempty"`     // of the better of the others, in this process or, where it is not asked there, over HTTP
	Statistic bool    `json:"statistic,omitempty"` // one of those whose ratios' geometric mean has a goal
}

// The goals of a node with 10 M rows, 1.8 M of them of the brand asked about.
const (
	goalWeek      = 0.6 // milliseconds
	goalHalfYear  = 12
	goalCrossover = 40
	goalFeed      = 1
	goalTail      = 0.1
	goalRatio     = 4
	goalMean      = 12 // of the statistics' ratios
	goalPoll      = 40 // microseconds of CPU
	goalStreaming = 3  // p99 while activities stream, by that of an idle node
)

// hotBrand is the first brand's place.
const hotBrand = 0

// tailBrand is the place of a brand that half of them are larger than.
func tailBrand(c *peers.Scene) int { return c.Sizes.Brands / 2 }

// about is what the question is about.
func about(c *peers.Scene, q *peers.Question) string {
	switch q.Brand {
	case peers.Everywhere:
		return fmt.Sprintf("the account's %d brands", c.Sizes.Brands)
	case hotBrand:
		return "the hot brand"
	}
	return "a tail brand"
}

func goalOf(q *peers.Question) Goal {
	switch {
	case q.Brand == peers.Everywhere:
		return Goal{}
	case q.Brand != hotBrand:
		return Goal{Millis: goalTail}
	case q.Shape == domain.ShapeCrossover:
		return Goal{Millis: goalCrossover, Ratio: 1}
	case q.Keyword != "":
		return Goal{Ratio: 1}
	case q.Shape == domain.ShapeFeed:
		return Goal{Millis: goalFeed}
	case q.Days == 7:
		return Goal{goalWeek, goalRatio, true}
	}
	return Goal{goalHalfYear, goalRatio, true}
}

// questionsOf are all questions that are asked of a scene.
func questionsOf(c *peers.Scene) (out []peers.Question) {
	for _, shape := range []domain.Shape{domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLocation, domain.ShapeLeaders} {
		for _, days := range questionDays {
			for _, f := range []peers.Filter{peers.Unfiltered, peers.ByService, peers.ByMember} {
				out = append(out, peers.Question{Shape: shape, Days: days, Filter: f})
			}
		}
	}
	for _, f := range []peers.Filter{peers.Unfiltered, peers.ByMember} {
		out = append(out, peers.Question{Shape: domain.ShapeCrossover, Days: 180, Filter: f})
	}
	for _, days := range questionDays {
		out = append(out,
			peers.Question{Shape: domain.ShapeFeed, Days: days},
			peers.Question{Shape: domain.ShapeFeed, Days: days, Every: true},
			peers.Question{Shape: domain.ShapeFeed, Days: days, Every: true, Keyword: peers.Frequent},
			peers.Question{Shape: domain.ShapeFeed, Days: days, Every: true, Keyword: peers.Rare},
			peers.Question{Shape: domain.ShapeFeed, Days: days, Every: true, Keyword: peers.Rare, Filter: peers.ByMember},
			peers.Question{Shape: domain.ShapeFeed, Days: days, Keyword: peers.Frequent},
		)
	}
	for _, shape := range []domain.Shape{domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLeaders, domain.ShapeFeed} {
		out = append(out, peers.Question{Shape: shape, Days: 7, Brand: tailBrand(c)})
	}
	return append(out, everywhere()...)
}

// everywhere are the questions about all brands.
func everywhere() (out []peers.Question) {
	for _, days := range questionDays {
		for _, shape := range []domain.Shape{domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLeaders, domain.ShapeFeed, domain.ShapeCrossover} {
			out = append(out, peers.Question{Shape: shape, Days: days, Brand: peers.Everywhere})
		}
		out = append(out, peers.Question{Shape: domain.ShapeFeed, Days: days, Brand: peers.Everywhere, Every: true})
	}
	return out
}
