package page

import (
	"math"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The cursor of a page that ends with a second outlasts handovers; one amid the actions of a second, or in order of
// recording, is good until the next one.
func TestFeedRow(t *testing.T) {
	f := &domain.Feed{HandedOver: 3, Items: []domain.FeedItem{
		{Row: domain.Row{Time: 9}, Recorded: 90}, {Row: domain.Row{Time: 8}, Recorded: 80}, {Row: domain.Row{Time: 8}, Recorded: 70},
	}}
	ends, amid, recorded := FeedRow(f, 0, false), FeedRow(f, 1, false), FeedRow(f, 0, true)
	equal(t, Row{Rank: 9, ID: math.MaxUint64}, ends)
	equal(t, Row{Rank: 8, ID: uint64(f.Items[1].Row.ID()), Text: "3"}, amid)
	equal(t, Row{Rank: 90, ID: uint64(f.Items[0].Row.ID()), Text: "3"}, recorded)
	equal(t, &domain.FeedAfter{At: 9, ID: math.MaxUint64}, FeedAfter(&ends))
	equal(t, nil, FeedAfter(nil))

	later := &domain.Feed{HandedOver: 4}
	for _, c := range []struct {
		feed *domain.Feed
		row  *Row
		fine bool
	}{{f, nil, true}, {f, &ends, true}, {f, &amid, true}, {later, nil, true}, {later, &ends, true}, {later, &amid, false}, {later, &recorded, false}} {
		if err := FeedGoesOn(c.feed, c.row, "cursor"); c.fine {
			equal(t, nil, err)
		} else {
			refused(t, err, "cursor")
		}
	}
}
