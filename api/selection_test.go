package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// Filters on members are in the question.
func TestFilters_OfMembers(t *testing.T) {
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

// A segment restricts to its definitions, with its points.
func TestFilters_Segment(t *testing.T) {
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

// A deleted segment is not found.
func TestFilters_DeletedSegment(t *testing.T) {
	for _, path := range asks {
		h := newFixture(t)
		h.engine.segs[0].Deleted = true
		h.refused(h.get(path+"?segment=1"), domain.NotFound, "segment")
		h.refused(h.get(path+"?segment=1&optedin=1"), domain.NotFound, "segment")
	}
}

// A tally names the segment asked for.
func TestFilters_SegmentName(t *testing.T) {
	for query, want := range map[string]string{"": "", "?segment=1": "Campaign", "?segment=1&group_by=type": "Campaign"} {
		h := counting(t)
		out := answered[wire.ActivityTally](h, h.get(asks[0]+query))
		for _, row := range out.Items {
			got := ""
			if row.SegmentName != nil {
				got = *row.SegmentName
			}
			equal(t, want, got, query)
		}
		if len(out.Items) == 0 {
			t.Errorf("%s: no row", query)
		}
	}
}

// An opt-in is to the segment, else to the brand; without both it is refused.
func TestFilters_OptIn(t *testing.T) {
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

// Each filter is a parameter of the contract.
func TestFilters_ContractFields(t *testing.T) {
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

// fixtureWithNames is a fixture with another member, and addresses of both.
func fixtureWithNames(t *testing.T) *fixture {
	h := newFixture(t)
	h.engine.defs = append(h.engine.defs,
		&domain.Definition{ID: 102, Account: 1, Name: "x", Type: "y", Deleted: true}, &domain.Definition{ID: 103, Account: 2, Name: "x", Type: "y"})
	h.engine.brands = append(h.engine.brands, &domain.Brand{ID: 3, Account: 1, Dense: 3, Deleted: true}, &domain.Brand{ID: 4, Account: 2, Dense: 1})
	h.engine.segs = append(h.engine.segs,
		&domain.Segment{ID: 2, Account: 1, Brand: 2, Rule: true, Threshold: 3, Period: domain.Period{Amount: 2, Unit: domain.UnitDay}, Activities: []domain.SegmentActivity{{Definition: 101}}},
		&domain.Segment{ID: 3, Account: 1, Deleted: true}, &domain.Segment{ID: 4, Account: 2})
	h.engine.names[testHasher{}.Identity(1, domain.ByVerifiedEmail, "bob@example.com")] = 8193
	h.engine.names[testHasher{}.Identity(1, domain.ByLogin, "eve@example.com")] = 12289
	return h
}

// Filters on performed activities, lists and emails are in the question.
func TestFilters_PerformedSegmentAndEmails(t *testing.T) {
	performed := func(d domain.DefinitionID, b domain.BrandID) domain.Performed {
		return domain.Performed{Definition: d, Brand: b}
	}
	for query, want := range map[string]domain.Filter{
		"anyofactivities=101,100,1-101":                          {AnyOf: []domain.Performed{performed(100, 0), performed(101, 0), performed(101, 1)}},
		"allofactivities=2-100&services=rdio":                    {AllOf: []domain.Performed{performed(100, 2)}, Services: []domain.Service{domain.Rdio}},
		"anyofactivities=100&allofactivities=101&activityid=100": {AnyOf: []domain.Performed{performed(100, 0)}, AllOf: []domain.Performed{performed(101, 0)}},
		"anyofactivities=&allofactivities=&emails=":              {},
		"members_from_segment=1":                                 {From: &domain.List{Segment: 1}},
		"members_from_segment=2&paid_only=1": {Paid: true, From: &domain.List{Segment: 2, Rule: &domain.Rule{
			Brand: 2, Threshold: 3, Definitions: []domain.DefinitionID{101},
			Range: domain.Range{From: domain.Second(now.Unix() - 56 + 60 - 2*86400), To: domain.Second(now.Unix() - 56 + 60)},
		}}},
		"emails=ADA@Example.com":                                  {Members: []domain.MemberID{4097}},
		"emails=bob@example.com,ada@example.com,x@y.z":            {Members: []domain.MemberID{4097, 8193}},
		"emails=bob@example.com,ada@example.com&members=8193,9":   {Members: []domain.MemberID{8193}},
		"emails=ada@example.com&members=8193,9&exclude_members=9": {Members: []domain.MemberID{0}, Exclude: []domain.MemberID{9}},
		"emails=eve@example.com":                                  {Members: []domain.MemberID{0}}, // logs in with it, which is neither
	} {
		for _, path := range everyAsk {
			h := fixtureWithNames(t)
			w := h.get(ofBrand(path, query))
			if len(h.engine.asked) == 0 || w.Code != 200 {
				t.Fatalf("%s?%s: %d %s", path, query, w.Code, w.Body)
			}
			for _, q := range h.engine.asked {
				if d := cmp.Diff(want, q.Filter); d != "" && q.Shape != domain.ShapeLists {
					t.Errorf("%s?%s: %s", path, query, d)
				}
			}
		}
	}
}

// everyAsk are all operations that take the filters.
var everyAsk = append([]string{"/v1.1/members/active", "/v1.1/brands/crossover", "/v1.1/brands/1/crossover"}, asks...)

// What a filter names and the account does not have is not found, before a question.
func TestFilters_UnknownNames(t *testing.T) {
	for query, code := range map[string]domain.Code{
		"anyofactivities=99": domain.NotFound, "anyofactivities=1": domain.NotFound, "anyofactivities=102": domain.NotFound,
		"anyofactivities=100,103": domain.NotFound, "anyofactivities=3-100": domain.NotFound, "anyofactivities=4-100": domain.NotFound,
		"allofactivities=9-100": domain.NotFound, "allofactivities=9007199254740991": domain.NotFound, "allofactivities=4294967297-100": domain.NotFound,
		"allofactivities=x": domain.InvalidParameter, "allofactivities=1-": domain.InvalidParameter, "anyofactivities=1-2-3": domain.InvalidParameter,
		"anyofactivities=100,": domain.InvalidParameter, "emails=ada": domain.InvalidParameter, "emails=ada@example.com,": domain.InvalidParameter,
		"members_from_segment=3": domain.NotFound, "members_from_segment=4": domain.NotFound, "members_from_segment=0": domain.InvalidParameter,
	} {
		for _, path := range everyAsk {
			h := fixtureWithNames(t)
			name, _, _ := strings.Cut(query, "=")
			h.refused(h.get(ofBrand(path, query)), code, name)
			if len(h.engine.asked) > 0 {
				t.Errorf("%s?%s was asked", path, query)
			}
		}
	}
}

// A brand in the query must be that of the path, or empty.
func TestFilters_BrandOfThePath(t *testing.T) {
	for _, path := range everyAsk {
		if !strings.Contains(path, "/1/") {
			continue
		}
		h := fixtureWithNames(t)
		for query, want := range map[string]bool{"brandID=1": true, "brandid=1&optedin=1": true, "BRANDID=": true, "brandID=2": false, "brandid=x": false} {
			w := h.get(path + "?" + query)
			if want && (w.Code != 200 || h.engine.asked[len(h.engine.asked)-1].Brand != 1) {
				t.Errorf("%s?%s: %d %s", path, query, w.Code, w.Body)
			} else if name, _, _ := strings.Cut(query, "="); !want {
				h.refused(w, domain.InvalidParameter, name)
			}
		}
	}
}

// Emails are looked up once, not before wait_for and not after the question's position.
func TestFilters_EmailsAtOnePosition(t *testing.T) {
	h := fixtureWithNames(t)
	token := wire.EncodePosition(domain.Position{Journal: journalID, Shards: []domain.ShardOffset{{Shard: 0, Next: 3}}})
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		return &domain.Answer{Tally: &domain.Tally{Groups: []domain.GroupCount{
			{Group: 100, Count: domain.Count{Actions: 2, Members: 1}}, {Group: 101, Count: domain.Count{Actions: 1, Members: 1}},
		}}, Position: domain.Position{Journal: journalID}}, nil
	}
	w := h.get("/v1.1/brand/1/stats/activity?limit=1&emails=ada@example.com&wait_for=" + token)
	if w.Code != 200 || len(h.engine.asked) != 2 {
		t.Fatalf("%d %s, asked %d times", w.Code, w.Body, len(h.engine.asked))
	}
	waits := h.engine.waited // wait_for, the look-up, and two rounds of the question
	if len(waits) != 4 || waits[1].Next(0) != 3 || waits[1].Next(1) != 0 {
		t.Fatalf("%+v", waits)
	}
	for _, at := range waits[2:] {
		if at.Next(0) != 3 || at.Next(1) != 2 { // as the look-up was
			t.Errorf("asked at %+v", at)
		}
	}
	if strings.Contains(h.log.String(), "ada@") {
		t.Error("the log holds an address")
	}
}

// Required fields are in the question.
func TestRequiredFields_Question(t *testing.T) {
	h := fixtureWithNames(t)
	h.engine.segs[0].Deleted = true
	for query, want := range map[string]domain.Filter{
		"":                                     {},
		"ID,uuid,Score,Services,LastVisited":   {},
		"LastActivity,Brand,BRANDID,BrandType": {}, // every member of the list has them
		" email,FirstName,,state,EMAIL":        {Has: []domain.Field{domain.FirstName, domain.EmailAddress, domain.Region}},
		"Country,CountryCode":                  {Has: []domain.Field{domain.Country}},
		"HomePhone":                            {Has: []domain.Field{domain.HomePhone}},
		"OptIns":                               {Opted: true, Ended: []string{domain.OptValue(domain.OptBrand, 3), domain.OptValue(domain.OptSegment, 1), domain.OptValue(domain.OptSegment, 3)}},
		"Username,nosuch,GeoLat,password,alsonot": {Has: []domain.Field{domain.Username, domain.GeoLat}},
	} {
		h.engine.asked = nil
		w := h.get("/v1.1/members/active?required_fields=" + strings.ReplaceAll(query, " ", "+"))
		if w.Code != 200 || len(h.engine.asked) != 1 {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		equal(t, want, h.engine.asked[0].Filter, query)
		warned := 0
		if strings.Contains(query, "nosuch") {
			warned = 3
		}
		if got := w.Header().Values("Warning"); len(got) != warned {
			t.Errorf("%s: %q", query, got)
		}
	}
	h.refused(h.get("/v1.1/members/active?required_fields="+strings.Repeat("a,", 1001)), domain.InvalidParameter, "required_fields")
}

// Every list of members or actions and every statistic takes every filter, and a brand where the path has
// none.
func TestFilters_EveryListAndStatistic(t *testing.T) {
	n := 0
	for _, o := range Operations() {
		of := strings.Contains(o.Path, "/stats/") || strings.Contains(o.Path, "/count/") || strings.HasSuffix(o.Path, "/crossover") ||
			strings.HasSuffix(o.Path, "/feed") || strings.HasPrefix(o.Path, "/v1.1/members") && o.Method == "GET"
		if !of {
			continue
		}
		n++
		var has []string
		for _, p := range o.Plan.Params() {
			has = append(has, p.Name)
		}
		for _, name := range []string{
			"brandID", "services", "members", "exclude_members", "emails", "domain", "segment", "members_from_segment", "activityID", "includeOneTime",
			"country", "region", "paid_only", "optedin", "anyofactivities", "allofactivities",
		} {
			if !slices.ContainsFunc(has, func(p string) bool { return strings.EqualFold(p, name) }) {
				t.Errorf("%s %s does not take %s", o.Method, o.Path, name)
			}
		}
	}
	if n < 9 {
		t.Errorf("%d lists and statistics", n)
	}
}
