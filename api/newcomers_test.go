package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

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

// counts of counting: 100 has 2 members, 102 four, 103 one; everybody of them but one was
// there before.
func TestNewMembersAndReturningOnesAddUp(t *testing.T) {
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
		if got := h.newcome(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for _, q := range h.engine.asked {
		if q.Shape != domain.ShapeNewcomers || q.Brand != 1 {
			t.Errorf("%+v", q)
		}
	}
}
