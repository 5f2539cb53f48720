package api

import (
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// grouped answers with counts by group, ascending, of members that are of one group
// each.
func grouped(counts ...domain.GroupCount) func(*domain.Question) (*domain.Answer, error) {
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

func TestGendersStandInOneOrderAndTheUnknownLast(t *testing.T) {
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

func TestAgesStandByBandAndTheUnknownLast(t *testing.T) {
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
