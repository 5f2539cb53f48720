package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// asks are operations that every filter is tried on.
var asks = []string{
	"/v1.1/brand/1/stats/activity", "/v1.1/brand/1/stats/timeline", "/v1.1/brand/1/stats/location",
	"/v1.1/activity/count/daily", "/v1.1/activity/count/services", "/v1.1/activity/feed",
}

// ofBrand is a target of one of them that asks of brand 1.
func ofBrand(path, query string) string {
	if !strings.Contains(path, "/brand/") {
		query += "&brandID=1"
	}
	return path + "?" + query
}

func TestFiltersOnMembersTravelInTheQuestion(t *testing.T) {
	for query, want := range map[string]domain.Filter{
		"":                                     {},
		"country=de&region=+Berlin+":           {Countries: []uint16{domain.CountryCode("DE")}, Regions: []string{"be", "berlin"}},
		"domain=https://www.Example.com:8080/": {Domain: "example.com"},
		"domain=&region=&optedin=0&optedin=":   {},
		"optedin=1":                            {OptIn: domain.OptValue(domain.OptBrand, 1)},
		"optedin=1&segmentID=1":                {OptIn: domain.OptValue(domain.OptSegment, 1)},
		"paid_only=1&exclude_members=9,8":      {Paid: true, Exclude: []domain.MemberID{8, 9}},
	} {
		for _, path := range asks {
			h := newFixture(t)
			w := h.get(ofBrand(path, query))
			if strings.Contains(query, "optedin=0&optedin=") {
				h.refused(w, domain.InvalidParameter, "optedin") // given twice
				continue
			}
			if len(h.engine.asked) != 1 {
				t.Fatalf("%s?%s: %d %s", path, query, w.Code, w.Body)
			}
			equal(t, want, h.engine.asked[0].Filter, path, query)
		}
	}
}

func TestASegmentRestrictsToItsDefinitionsWithItsPoints(t *testing.T) {
	for query, want := range map[string][]domain.Group{
		"segment=1":                                 {{Definition: 100, Points: 7, Own: true}},
		"segmentid=1&includeOneTime=1":              {{Definition: 100, Points: 7, Own: true}, {Definition: 101}},
		"segment=1&activityID=101&includeOneTime=1": {{Definition: 101}},
		"segment=1&activityID=102":                  {},
		"":                                          {{Definition: 100}, {Definition: 102}},
	} {
		for _, path := range asks {
			h := newFixture(t)
			h.engine.defs = append(h.engine.defs, &domain.Definition{ID: 102, Account: 1, Name: "x", Type: "y"})
			h.get(path + "?" + query)
			got := h.engine.asked[0].Groups
			for i := range got {
				got[i].Group = 0
			}
			equal(t, want, got, path, query)
		}
	}
}

func TestADeletedSegmentIsNotFound(t *testing.T) {
	for _, path := range asks {
		h := newFixture(t)
		h.engine.segs[0].Deleted = true
		h.refused(h.get(path+"?segment=1"), domain.NotFound, "segment")
		h.refused(h.get(path+"?segment=1&optedin=1"), domain.NotFound, "segment")
	}
}

func TestATallyNamesTheSegmentAskedFor(t *testing.T) {
	for query, want := range map[string]string{"": "", "?segment=1": "Campaign", "?segment=1&group_by=type": "Campaign"} {
		h := counting(t)
		out := answered[wire.ActivityTally](h, h.get(asks[0]+query))
		for _, row := range out.Items {
			got := ""
			if row.SegmentName != nil {
				got = *row.SegmentName
			}
			if got != want {
				t.Errorf("%s: %q", query, got)
			}
		}
		if len(out.Items) == 0 {
			t.Errorf("%s: no row", query)
		}
	}
}

func TestAnOptInIsToSomething(t *testing.T) {
	h := newFixture(t)
	for _, path := range asks {
		if strings.Contains(path, "/brand/") || strings.HasSuffix(path, "/feed") { // the latter has the global list
			continue
		}
		h.refused(h.get(path+"?optedin=1"), domain.MissingParameter, "brandID")
		h.refused(h.get(path+"?optedin=1&brandID=&limit=x&domain=a+b"), domain.MissingParameter, "brandID") // before what is malformed
		if w := h.get(path + "?optedin=1&segment=1"); w.Code != 200 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestEveryFilterIsAFieldOfTheContract(t *testing.T) {
	for _, path := range asks {
		h := newFixture(t)
		for _, name := range []string{
			"services", "members", "exclude_members", "domain", "segment", "segmentid", "activityID", "includeOneTime",
			"country", "region", "paid_only", "optedin", "emails", "members_from_segment", "anyofactivities", "allofactivities",
		} {
			if w := h.get(fmt.Sprintf("%s?%s=", path, name)); w.Code != 200 || w.Header().Get("Warning") != "" {
				t.Errorf("%s?%s=: %d %s", path, name, w.Code, w.Header().Get("Warning"))
			}
		}
	}
}
