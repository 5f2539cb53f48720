package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// ranking answers with one leader of five, and with both brands that there are.
func ranking(q *domain.Question) (*domain.Answer, error) {
	at := domain.Position{Journal: journalID, Catalog: 5, Shards: []domain.ShardOffset{{Shard: 1, Next: 4}}}
	if q.Shape == domain.ShapeCrossover {
		return &domain.Answer{Position: at, Crossover: &domain.Crossover{
			Brands: []domain.BrandMembers{{Brand: 2, Members: 2}, {Brand: 1, Members: 1}}, Total: 31, Members: 3,
		}}, nil
	}
	return &domain.Answer{Position: at, Leaders: &domain.Leaders{
		Members: []domain.Leader{{Member: 4097, Score: 70_000, Actions: 3}}, Total: domain.Count{Actions: 9, Members: 5}, Audience: 8,
		Latest: []domain.Row{{Seq: 3, Time: 1_700_000_000, Brand: 1, Definition: 100, Points: 2, Slot: 1, Service: domain.Custom}},
	}}, nil
}

// The first of March 2026 as parameters, and as a range.
const firstDay = "start_date=2026-03-01+00:00:00&end_date=2026-03-02+00:00:00"

var firstOfMarch = domain.Range{From: 1772323200, To: 1772409600}

// The parameters of members/active are in its question.
func TestActiveMembers_Question(t *testing.T) {
	for query, want := range map[string]domain.Question{
		"":                              {Top: domain.Top{Limit: 10, Latest: true}},
		"&limit=20,5&sort=asc":          {Top: domain.Top{Offset: 20, Limit: 5, Up: true, Latest: true}},
		"&limit=20,0":                   {Top: domain.Top{Latest: true}},
		"&order_by=created&brandID=2":   {Brand: 2, Top: domain.Top{Limit: 10, Order: domain.ByCreated, Latest: true}},
		"&order_by=LASTLOGIN&members=5": {Filter: domain.Filter{Members: []domain.MemberID{5}}, Top: domain.Top{Limit: 10, Order: domain.ByLastLogin, Latest: true}},
		"&optedin=1&brandID=1&totalmembercount=1": {Brand: 1, Filter: domain.Filter{OptIn: domain.OptValue(domain.OptBrand, 1)}, Top: domain.Top{Limit: 10, Latest: true, Audience: true}},
	} {
		want.Shape, want.Range, want.Groups = domain.ShapeLeaders, firstOfMarch, []domain.Group{{Definition: 100}}
		newFixture(t, ranking).asks("/v1.1/members/active?"+firstDay+query, want)
	}
}

// A segment's points make the score.
func TestActiveMembers_SegmentPoints(t *testing.T) {
	h := newFixture(t, ranking)
	h.get("/v1.1/members/active?segmentID=1&includeOneTime=1")
	want := []domain.Group{{Definition: 100, Points: 7, Own: true}, {Definition: 101}}
	equal(t, want, h.engine.asked[0].Groups)
}

// A list of members is of at most six months.
func TestActiveMembers_SixMonths(t *testing.T) {
	h := newFixture(t)
	w := h.get("/v1.1/members/active?period=1+Year")
	if got := w.Header().Get("X-Range"); got != "2025-09-15 12:35:00/2026-03-15 12:35:00" || len(w.Header().Values("Warning")) != 1 {
		t.Errorf("%s, %q", got, w.Header().Values("Warning"))
	}
}

// Addresses of other pages are in the body and in the header.
func TestActiveMembers_Links(t *testing.T) {
	h := newFixture(t, ranking)
	w := h.get("/v1.1/members/active?limit=1,1&period=1+Day&country=DE")
	out := answered[wire.ActiveMembers](h, w)
	at := "https://api.example/v1.1/members/active?country=DE&start_date=2026-03-14+12%3A35%3A00&end_date=2026-03-15+12%3A35%3A00&limit="
	if out.TotalSize != "5" || out.Paging.Next == nil || *out.Paging.Next != at+"2%2C1" || out.Paging.Previous == nil || *out.Paging.Previous != at+"0%2C1" {
		t.Errorf("%+v", out.Paging)
	}
	want := []string{"<" + at + `2%2C1>; rel="next"`, "<" + at + `0%2C1>; rel="prev"`}
	equal(t, want, w.Header().Values("Link"))
	if out.TotalMemberCount != nil {
		t.Error("TotalMemberCount was not asked for")
	}
}

// fields selects, in the Extended node too; unknown names give a Warning, but there.
func TestActiveMembers_Fields(t *testing.T) {
	h := newFixture(t, ranking)
	w := h.get("/v1.1/members/active?fields=firstname,+nothing,score,Extended.x,,extended.GivenName,score")
	if !strings.Contains(w.Body.String(), `"items":[{"ID":"4097","FirstName":"Ada","Score":"70000","Extended":{"givenName":"Ada"}}]`) {
		t.Error(w.Body)
	}
	want := []string{`299 - "the field nothing is unknown and was ignored"`}
	equal(t, want, w.Header().Values("Warning"))
}

// An item shows the brand asked for, else that of its latest action.
func TestActiveMembers_BrandOfAnItem(t *testing.T) {
	for query, want := range map[string]string{"": "1 The Moons Music", "?brandID=2": "2 Archive TV"} {
		h := newFixture(t, ranking)
		out := answered[wire.ActiveMembers](h, h.get("/v1.1/members/active"+query))
		i := out.Items[0]
		flat := fmt.Sprint(*i.BrandID, " ", *i.BrandName, " ", *i.BrandType)
		if nested := fmt.Sprint(i.Brand.ID, " ", *i.Brand.Name, " ", *i.Brand.Type); flat != want || nested != want {
			t.Errorf("%q: %s and %s, want %s", query, flat, nested, want)
		}
		if i.LastActivity.Name != "played a track by The Moons" || i.LastActivity.ID != fmt.Sprint(3<<12|1) || i.LastActivity.CompleteDate != "2023-11-14 22:13:20" {
			t.Errorf("%+v", i.LastActivity)
		}
	}
}

// An item shows the opt-ins in force.
func TestActiveMembers_OptIns(t *testing.T) {
	h := newFixture(t, ranking)
	h.engine.members[4097].Opts = []domain.OptState{{Opt: domain.Opt{Kind: domain.OptBrand, ID: 1}, In: true}, {Opt: domain.Opt{Kind: domain.OptBrand, ID: 2}, Out: true}}
	out := answered[wire.ActiveMembers](h, h.get("/v1.1/members/active"))
	if got := out.Items[0].OptIns; got == nil || len(*got) != 1 || *(*got)[0].Name != "The Moons" {
		t.Errorf("%+v", got)
	}
}

// What is gone between the question and the reading of its rows is left out: a member as an item, an action
// as null.
func TestActiveMembers_Gone(t *testing.T) {
	h := newFixture(t, always(&domain.Answer{Leaders: &domain.Leaders{
		Members: []domain.Leader{{Member: 8193, Score: 9}, {Member: 4097, Score: 7}}, Total: domain.Count{Members: 2}, Latest: make([]domain.Row, 2),
	}}))
	out := answered[wire.ActiveMembers](h, h.get("/v1.1/members/active"))
	if len(out.Items) != 1 || out.Items[0].ID != "4097" || out.Items[0].LastActivity != nil || out.Items[0].Brand != nil || out.Items[0].BrandID != nil || out.TotalSize != "2" {
		t.Errorf("%+v", out)
	}
}

// Brands that are deleted or of another type are excluded in the question.
func TestCrossover_Question(t *testing.T) {
	for target, want := range map[string]domain.Question{
		"/v1.1/brands/crossover?":                    {Without: []domain.BrandID{3}},
		"/v1.1/brands/crossover?brandID=1&":          {Brand: 1, Without: []domain.BrandID{3}},
		"/v1.1/brands/1/crossover?":                  {Brand: 1, Without: []domain.BrandID{3}},
		"/v1.1/brands/2/crossover?brand_type=mUSIC&": {Brand: 2, Without: []domain.BrandID{2, 3}},
		"/v1.1/brands/crossover?brand_type=Radio&":   {Without: []domain.BrandID{1, 2, 3}},
	} {
		h := newFixture(t, ranking)
		h.engine.brands = append(h.engine.brands, &domain.Brand{ID: 3, Account: 1, Dense: 3, Deleted: true, Fields: domain.BrandFields{"Type": "Music"}})
		want.Shape, want.Range = domain.ShapeCrossover, firstOfMarch
		want.Groups, want.Top = []domain.Group{{Definition: 100}}, domain.Top{Offset: 4, Limit: 3}
		h.asks(target+"limit=4,3&"+firstDay, want)
	}
}

// Addresses of other pages are in the header alone.
func TestCrossover_Links(t *testing.T) {
	h := newFixture(t, ranking)
	w := h.get("/v1.1/brands/1/crossover?limit=10,10&end_date=2026-03-02+00:00:00")
	out := answered[wire.Crossover](h, w)
	at := "<https://api.example/v1.1/brands/1/crossover?start_date=2026-02-23+00%3A00%3A00&end_date=2026-03-02+00%3A00%3A00&limit="
	want := []string{at + `20%2C10>; rel="next"`, at + `0%2C10>; rel="prev"`}
	equal(t, want, w.Header().Values("Link"))
	if strings.Contains(w.Body.String(), "paging") || out.TotalSize != "31" {
		t.Error(w.Body)
	}
	var got []string
	for _, i := range out.Items {
		got = append(got, fmt.Sprint(i.Brand.ID, " ", i.Brand.Fields["Name"], " ", i.ActiveMembers, " ", i.Percentage))
	}
	equal(t, []string{"2 Archive 2 66.67", "1 The Moons 1 33.33"}, got)
}
