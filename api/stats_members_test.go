package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// grouped answers with counts by group, ascending, of members that are of one group
// each.
func grouped(counts ...domain.GroupCount) asked {
	return func(*domain.Question) (*domain.Answer, error) {
		t := &domain.Tally{Groups: counts}
		for _, g := range counts {
			t.Total.Add(g.Count)
		}
		return &domain.Answer{Tally: t}, nil
	}
}

func in(group uint32, actions, members uint64) domain.GroupCount {
	return domain.GroupCount{Group: group, Count: domain.Count{Actions: actions, Members: members}}
}

// Genders have one order, with the unknown last.
func TestGenders_Order(t *testing.T) {
	h := newFixture(t, grouped(in(0, 99, 3), in(1, 1, 1), in(2, 4, 2), in(3, 9, 1)))
	out := answered[wire.Genders](h, h.get("/v1.1/brand/1/stats/gender?includeOneTime=1"))
	got := []string{out.TotalActivities + "/" + out.TotalMembers}
	for _, r := range out.Genders {
		got = append(got, r.Gender+" "+r.Actions+"/"+r.Members)
	}
	equal(t, []string{"113/7", "M 1/1", "F 4/2", "Other 9/1", "Unknown 99/3"}, got)
	if q := h.engine.asked[0]; q.Shape != domain.ShapeGender || q.Brand != 1 || len(q.Groups) != 2 || q.Groups[0].Group != q.Groups[1].Group {
		t.Errorf("%+v", q)
	}
}

// Ages are by band, with the unknown last.
func TestAges_Order(t *testing.T) {
	h := newFixture(t, grouped(in(0, 1, 1), in(2, 4, 2), in(7, 9, 1), in(uint32(domain.UnknownAge), 99, 3)))
	out := answered[wire.Ages](h, h.get("/v1.1/brand/1/stats/age"))
	got := []string{out.TotalActivities + "/" + out.TotalMembers}
	for _, r := range out.Ages {
		got = append(got, r.Age+" "+r.Actions+"/"+r.Members)
	}
	equal(t, []string{"113/7", "0-12 1/1", "13-17 0/0", "18-24 4/2", "25-34 0/0", "35-44 0/0", "45-54 0/0", "55-64 0/0", "65+ 9/1", "Unknown 99/3"}, got)
	if q := h.engine.asked[0]; q.Shape != domain.ShapeAge || len(q.Groups) != 1 {
		t.Errorf("%+v", q)
	}
}

// Every gender and every band has its row, also of an empty range: zeros are shown, as in
// timelines.
func TestDemographics_ZerosAreShown(t *testing.T) {
	h := newFixture(t)
	for path, rows := range map[string]int{"gender": 4, "age": 9} {
		got := h.get("/v1.1/brand/1/stats/" + path).Body.String()
		if !strings.HasPrefix(got, `{"TotalActivities":"0","TotalMembers":"0",`) || strings.Count(got, `"Actions":"0","Members":"0"}`) != rows {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// located answers with counts by country.
func located(counts map[string]domain.Count) asked {
	return func(*domain.Question) (*domain.Answer, error) {
		t := &domain.Tally{}
		for _, code := range []string{"", "AT", "BR", "DE", "QQ", "US"} { // by code, as shards answer
			if n, ok := counts[code]; ok {
				t.Groups = append(t.Groups, domain.GroupCount{Group: uint32(domain.CountryCode(code)), Count: n})
				t.Total.Add(n)
			}
		}
		return &domain.Answer{Tally: t}, nil
	}
}

// The country with the most actions is first, the unknown last.
func TestLocation_Order(t *testing.T) {
	h := newFixture(t, located(map[string]domain.Count{
		"": {Actions: 99, Members: 3}, "DE": {Actions: 4, Members: 2}, "AT": {Actions: 4, Members: 1}, "US": {Actions: 9, Members: 1}, "QQ": {Actions: 1, Members: 1},
	}))
	out := answered[wire.Location](h, h.get("/v1.1/brand/1/stats/location?includeOneTime=1"))
	got := []string{out.TotalActivities + "/" + out.TotalMembers}
	for _, r := range out.Countries {
		code := "null"
		if r.Country != nil {
			code = *r.Country
		}
		got = append(got, code+" "+r.CountryName+" "+r.Actions+"/"+r.Members)
	}
	want := []string{"117/8", "US United States 9/1", "AT Austria 4/1", "DE Germany 4/2", "QQ QQ 1/1", "null Unknown 99/3"}
	equal(t, want, got)
	if q := h.engine.asked[0]; q.Shape != domain.ShapeLocation || q.Brand != 1 || len(q.Groups) != 2 || q.Groups[0].Group != q.Groups[1].Group {
		t.Errorf("%+v", q)
	}
}

// Without actions there is no country.
func TestLocation_Empty(t *testing.T) {
	w := newFixture(t).get("/v1.1/brand/1/stats/location")
	equal(t, `{"TotalActivities":"0","TotalMembers":"0","Countries":[]}`, strings.TrimSpace(w.Body.String()))
}

// newcome renders an answer of stats/members as text.
func (h *fixture) newcome(query string) string {
	h.t.Helper()
	out := answered[wire.Newcomers](h, h.get("/v1.1/brand/1/stats/members"+query))
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s: %d new, %d back", out.TotalSize, out.TotalMembers, out.NewMembers, out.ReturningMembers)
	for _, r := range out.Items {
		id := "type"
		if r.ActivityID != nil {
			id = *r.ActivityID
		}
		if (r.ActivityID == nil) != (r.Type != nil) || r.Type != nil && *r.Type != r.Activity {
			h.t.Errorf("%s: %+v has not exactly one of ActivityID and Type", query, r)
		}
		b.WriteString("; " + id + " " + r.Activity + " " + r.ActiveMembers + " " + r.Percentage)
	}
	return b.String()
}

// New and returning members are all members, on each page.
func TestNewcomers_AddUp(t *testing.T) {
	h := counting(t)
	tally := h.engine.answer
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		a, err := tally(q)
		a.Tally.Before = max(a.Tally.Total.Members, 1) - 1
		return a, err
	}
	for query, want := range map[string]string{
		"":                          "3 of 7: 1 new, 6 back; 102 watched 4 57.14; 100 played a track by The Moons 2 28.57; 103 heard The Moons by The Moons 1 14.29",
		"?includeOneTime=1&limit=1": "4 of 100: 1 new, 99 back; 101 followed 100 100.00",
		"?group_by=type":            "2 of 7: 1 new, 6 back; type WATCHED 4 57.14; type Listened 3 42.86",
		"?limit=1,2":                "3 of 3: 1 new, 2 back; 100 played a track by The Moons 2 66.67; 103 heard The Moons by The Moons 1 33.33",
		"?limit=0":                  "3 of 0: 0 new, 0 back",
		"?activityID=104":           "0 of 0: 0 new, 0 back",
		"?group_by=TYPE&limit=1,1":  "2 of 3: 1 new, 2 back; type Listened 3 100.00",
	} {
		equal(t, want, h.newcome(query), query)
	}
	for _, q := range h.engine.asked {
		if q.Shape != domain.ShapeNewcomers || q.Brand != 1 {
			t.Errorf("%+v", q)
		}
	}
}

// segmented is a fixture with segments, of which 1, 4 and 6 are of the first brand.
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

// The statistics are of the brand's segments and of all time.
func TestSegmentStats_Answer(t *testing.T) {
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
		equal(t, want, strings.TrimSpace(h.get("/v1.1/brand/1/stats/segments"+query).Body.String()), query)
	}
	if got := h.get("/v1.1/brand/1/stats/segments?segment=3").Header().Get("Warning"); !strings.Contains(got, "segment 3 is another brand's") {
		t.Errorf("a segment of another brand: %s", got)
	}
	h.refused(h.get("/v1.1/brand/1/stats/segments?segment=5"), domain.NotFound, "segment")
	h.refused(h.get("/v1.1/brand/9/stats/segments"), domain.NotFound, "brandID")
}

// Lists and actions are asked for with the same filters.
func TestSegmentStats_Questions(t *testing.T) {
	always := domain.Range{To: 1<<32 - 1}
	filter := domain.Filter{Countries: []uint16{domain.CountryCode("DE")}}
	segmented(t).asks("/v1.1/brand/1/stats/segments?segment=4&country=DE",
		domain.Question{Shape: domain.ShapeLists, Range: always, Filter: filter, Lists: []domain.List{{
			Segment: 4, Rule: &domain.Rule{Brand: 1, Threshold: 2, Range: always, Definitions: []domain.DefinitionID{100, 102}},
		}}},
		domain.Question{Shape: domain.ShapeTally, Brand: 1, Range: always, Filter: filter, Groups: []domain.Group{{Definition: 100, Group: 100}, {Definition: 102, Group: 102}}})
}
