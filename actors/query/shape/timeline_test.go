package shape

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ovation-analytics/ovation/actors/domain"
)

const day0 = 20_000

func TestMergeTimeline_DaysThatAPartDoesNotHaveAreZero(t *testing.T) {
	one := []domain.Count{{Actions: 2, Members: 1}}
	parts := []*domain.Timeline{
		{First: day0 + 2, Services: []domain.ServiceTimeline{{Service: domain.Spotify, Days: one, Total: one[0]}}},
		nil,
		{First: day0, Services: []domain.ServiceTimeline{{Service: domain.Email, Days: one, Total: one[0]}}},
	}
	got, err := MergeTimeline(domain.Range{From: day0 * 86400, To: (day0 + 3) * 86400}, parts)
	if err != nil {
		t.Fatal(err)
	}
	want := &domain.Timeline{First: day0, Services: []domain.ServiceTimeline{
		{Service: domain.Email, Days: []domain.Count{one[0], {}, {}}, Total: one[0]},
		{Service: domain.Spotify, Days: []domain.Count{{}, {}, one[0]}, Total: one[0]},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMergeTimeline_PartOfAnotherQuestionIsAnError(t *testing.T) {
	r := domain.Range{From: day0 * 86400, To: (day0 + 3) * 86400}
	for name, p := range map[string]domain.Timeline{
		"too many days":   {First: day0, Services: []domain.ServiceTimeline{{Service: 1, Days: make([]domain.Count, 4)}}},
		"too late":        {First: day0 + 1, Services: []domain.ServiceTimeline{{Service: 1, Days: make([]domain.Count, 3)}}},
		"too early":       {First: day0 - 1, Services: []domain.ServiceTimeline{{Service: 1, Days: make([]domain.Count, 3)}}},
		"far away":        {First: ^uint32(0), Services: []domain.ServiceTimeline{{Service: 1, Days: make([]domain.Count, 3)}}},
		"unknown service": {First: day0, Services: []domain.ServiceTimeline{{Service: 200, Days: make([]domain.Count, 3)}}},
	} {
		if got, err := MergeTimeline(r, []*domain.Timeline{&p}); domain.CodeOf(err) != domain.Internal || got != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
