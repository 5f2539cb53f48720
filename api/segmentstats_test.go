package api

import (
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// segmented is a house with segments, of which 1, 4 and 6 are of the first brand.
func segmented(t *testing.T) *fixture {
	h := counting(t)
	h.engine.segs = append(h.engine.segs,
		&domain.Segment{ID: 2, Account: 1, Name: "of the account", Activities: []domain.SegmentActivity{{Definition: 103}}},
		&domain.Segment{ID: 3, Account: 1, Brand: 2, Name: "of another brand", Activities: []domain.SegmentActivity{{Definition: 103}}},
		&domain.Segment{ID: 4, Account: 1, Brand: 1, Name: "Watchers", Rule: true, Threshold: 2, Activities: []domain.SegmentActivity{{Definition: 100}, {Definition: 102}}},
		&domain.Segment{ID: 5, Account: 1, Brand: 1, Name: "gone", Deleted: true},
		&domain.Segment{ID: 6, Account: 1, Brand: 1, Name: "Nothing"})
	tally := h.engine.answer
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		if q.Shape != domain.ShapeLists {
			return tally(q)
		}
		a := &domain.Answer{Union: 50}
		for _, l := range q.Lists {
			a.Lists = append(a.Lists, uint64(l.Segment)*10)
		}
		return a, nil
	}
	return h
}

func TestSegmentStatsAreOfTheBrandsSegmentsAndOfAllTime(t *testing.T) {
	h := segmented(t)
	const (
		campaign = `{"SegmentID":"1","SegmentName":"Campaign","Members":"10","Activities":`
		watchers = `{"SegmentID":"4","SegmentName":"Watchers","Members":"40","Activities":10}`
		nothing  = `{"SegmentID":"6","SegmentName":"Nothing","Members":"60","Activities":0}`
	)
	for query, want := range map[string]string{
		"":                           `{"items":[` + campaign + `5},` + watchers + `,` + nothing + `],"TotalMembers":"50","TotalActivities":"10"}`,
		"?includeOneTime=1":          `{"items":[` + campaign + `105},` + watchers + `,` + nothing + `],"TotalMembers":"50","TotalActivities":"110"}`,
		"?segment=4":                 `{"items":[` + watchers + `],"TotalMembers":"50","TotalActivities":"10"}`,
		"?segment=4&activityID=100":  `{"items":[` + strings.Replace(watchers, "10}", "5}", 1) + `],"TotalMembers":"50","TotalActivities":"5"}`,
		"?segment=2":                 `{"items":[{"SegmentID":"2","SegmentName":"of the account","Members":"20","Activities":9}],"TotalMembers":"50","TotalActivities":"9"}`,
		"?segment=3":                 `{"items":[],"TotalMembers":"0","TotalActivities":"0"}`, // another brand's
		"?segment=1&includeOneTime=": `{"items":[` + campaign + `5}],"TotalMembers":"50","TotalActivities":"5"}`,
	} {
		if got := strings.TrimSpace(h.get("/v1.1/brand/1/stats/segments" + query).Body.String()); got != want {
			t.Errorf("%s: %s\nwant %s", query, got, want)
		}
	}
	if got := h.get("/v1.1/brand/1/stats/segments?segment=3").Header().Get("Warning"); !strings.Contains(got, "segment 3 is another brand's") {
		t.Errorf("a segment of another brand: %s", got)
	}
	h.refused(h.get("/v1.1/brand/1/stats/segments?segment=5"), domain.NotFound, "segment")
	h.refused(h.get("/v1.1/brand/9/stats/segments"), domain.NotFound, "brandID")
}

func TestSegmentStatsAskForListsAndActionsWithTheSameFilters(t *testing.T) {
	h := segmented(t)
	h.get("/v1.1/brand/1/stats/segments?segment=4&country=DE")
	if len(h.engine.asked) != 2 {
		t.Fatalf("%d questions", len(h.engine.asked))
	}
	always := domain.Range{To: 1<<32 - 1}
	filter := domain.Filter{Countries: []uint16{domain.CountryCode("DE")}}
	want := []domain.Question{
		{Account: 1, Shape: domain.ShapeLists, Range: always, Filter: filter, Lists: []domain.List{{
			Segment: 4, Rule: &domain.Rule{Brand: 1, Threshold: 2, Range: always, Definitions: []domain.DefinitionID{100, 102}},
		}}},
		{Account: 1, Shape: domain.ShapeTally, Brand: 1, Range: always, Filter: filter, Groups: []domain.Group{{Definition: 100, Group: 100}, {Definition: 102, Group: 102}}},
	}
	equal(t, want, h.engine.asked)
}
