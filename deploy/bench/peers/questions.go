package peers

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// questionDays are the ranges asked about.
var questionDays = []int{7, 180}

// hotBrand is the index of the first brand.
const hotBrand = 0

// tailBrand is the index of a brand that half of the brands are larger than.
func tailBrand(c *Scene) int { return c.Sizes.Brands / 2 }

// About is what the question is about.
func (q *Question) About(c *Scene) string {
	switch q.Brand {
	case Everywhere:
		return fmt.Sprintf("the account's %d brands", c.Sizes.Brands)
	case hotBrand:
		return "the hot brand"
	}
	return "a tail brand"
}

// Statistic reports that the question is one of the 24 statistics of the hot brand: four shapes,
// two ranges, three filters.
func (q *Question) Statistic() bool {
	return q.Brand == hotBrand && q.Shape != domain.ShapeCrossover && q.Shape != domain.ShapeFeed
}

// Questions are all questions that are asked of a scene.
func Questions(c *Scene) (out []Question) {
	for _, shape := range []domain.Shape{
		domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLocation,
		domain.ShapeLeaders,
	} {
		for _, days := range questionDays {
			for _, f := range []Filter{Unfiltered, ByService, ByMember} {
				out = append(out, Question{Shape: shape, Days: days, Filter: f})
			}
		}
	}
	for _, f := range []Filter{Unfiltered, ByMember} {
		out = append(out, Question{Shape: domain.ShapeCrossover, Days: 180, Filter: f})
	}
	for _, days := range questionDays {
		out = append(out,
			Question{Shape: domain.ShapeFeed, Days: days},
			Question{Shape: domain.ShapeFeed, Days: days, Every: true},
			Question{Shape: domain.ShapeFeed, Days: days, Every: true, Keyword: Frequent},
			Question{Shape: domain.ShapeFeed, Days: days, Every: true, Keyword: Rare},
			Question{Shape: domain.ShapeFeed, Days: days, Every: true, Keyword: Rare, Filter: ByMember},
			Question{Shape: domain.ShapeFeed, Days: days, Keyword: Frequent},
		)
	}
	for _, shape := range []domain.Shape{
		domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLeaders,
		domain.ShapeFeed,
	} {
		out = append(out, Question{Shape: shape, Days: 7, Brand: tailBrand(c)})
	}
	return append(out, everywhere()...)
}

// everywhere are the questions about all brands.
func everywhere() (out []Question) {
	for _, days := range questionDays {
		for _, shape := range []domain.Shape{
			domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLeaders,
			domain.ShapeFeed, domain.ShapeCrossover,
		} {
			out = append(out, Question{Shape: shape, Days: days, Brand: Everywhere})
		}
		out = append(out, Question{Shape: domain.ShapeFeed, Days: days, Brand: Everywhere, Every: true})
	}
	return out
}
