package api

import (
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// located answers with counts by country.
func located(counts map[string]domain.Count) func(*domain.Question) (*domain.Answer, error) {
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

func TestLocationIsMostActionsFirstAndTheUnknownLast(t *testing.T) {
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

func TestNobodyIsNowhere(t *testing.T) {
	w := newFixture(t).get("/v1.1/brand/1/stats/location")
	if got := strings.TrimSpace(w.Body.String()); got != `{"TotalActivities":"0","TotalMembers":"0","Countries":[]}` {
		t.Error(got)
	}
}
