package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// A row's ServiceType is the service that its actions have, also after the definition has
// another one: it agrees with the filter that selects them.
func TestStatsActivity_ServiceTypeIsThatOfTheActions(t *testing.T) {
	h := newFixture(t)
	h.engine.defs[0].Service, h.engine.defs[0].Former = domain.Deezer, []domain.Service{domain.LastFM, domain.Custom}
	done := map[domain.Service]uint64{domain.LastFM: 481, domain.Custom: 3}
	h.engine.answer = func(q *domain.Question) (*domain.Answer, error) {
		tally := &domain.Tally{}
		for s, n := range done {
			if q.Filter.Services == nil || slices.Contains(q.Filter.Services, s) {
				tally.Total.Actions += n
			}
		}
		if tally.Total.Actions > 0 {
			tally.Groups = []domain.GroupCount{{Group: 100, Count: tally.Total}}
		}
		return &domain.Answer{Tally: tally}, nil
	}
	for query, want := range map[string]string{"": "lastfm 484", "?services=lastfm": "lastfm 481", "?services=custom": "custom 3", "?services=deezer": ""} {
		out := answered[wire.ActivityTally](h, h.get("/v1.1/brand/1/stats/activity"+query))
		var got strings.Builder
		for _, r := range out.Items {
			got.WriteString(*r.ServiceType + " " + r.Count)
		}
		if got.String() != want {
			t.Errorf("%q: %q, want %q", query, got.String(), want)
		}
	}
}

// members/stats/activity explains what it counts, as the other statistics do.
func TestMemberTotals_Explain(t *testing.T) {
	h := newFixture(t, func(q *domain.Question) (*domain.Answer, error) {
		a := &domain.Answer{Leaders: &domain.Leaders{Total: domain.Count{Actions: 2, Members: 1}}}
		if q.Explain {
			a.Feed = &domain.Feed{Total: 2, Items: []domain.FeedItem{{Row: domain.Row{Seq: 5, Slot: 1, Time: 7}}, {Row: domain.Row{Seq: 4, Slot: 1, Time: 6}}}}
		}
		return a, nil
	})
	out := answered[wire.MemberTotals](h, h.get("/v1.1/members/stats/activity?explain=1"))
	if out.TotalActivities != "2" || out.Explain == nil || out.Explain.TotalSize != "2" || len(out.Explain.Actions) != 2 {
		t.Errorf("%+v", out)
	}
}
