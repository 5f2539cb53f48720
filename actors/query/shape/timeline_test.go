package shape

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ovation-analytics/ovation/actors/domain"
)

const day0 = 20_000

func TestI12MergingTimelinesDoesNotDependOnTheirOrderOrGrouping(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := 1 + r.IntN(9)
		span := domain.Range{From: day0*86400 + 77, To: (day0 + uint32(n)) * 86400}
		parts := make([]*domain.Timeline, r.IntN(8))
		var sum [domain.Services]map[int]domain.Count // −1: the range
		for i := range parts {
			if r.IntN(5) == 0 {
				continue
			}
			parts[i] = &domain.Timeline{First: day0}
			for s := range domain.Services {
				if r.IntN(3) > 0 {
					continue
				}
				st := domain.ServiceTimeline{Service: domain.Service(s), Days: make([]domain.Count, n)}
				if sum[s] == nil {
					sum[s] = map[int]domain.Count{}
				}
				add := func(at int, c *domain.Count) {
					*c = domain.Count{Actions: r.Uint64N(9), Members: r.Uint64N(5)}
					d := sum[s][at]
					d.Add(*c)
					sum[s][at] = d
				}
				for d := range n {
					add(d, &st.Days[d])
				}
				add(-1, &st.Total)
				parts[i].Services = append(parts[i].Services, st)
			}
		}
		got, err := MergeTimeline(span, parts)
		if err != nil {
			t.Fatal(err)
		}
		want := &domain.Timeline{First: day0}
		for s, days := range sum {
			if days == nil {
				continue
			}
			st := domain.ServiceTimeline{Service: domain.Service(s), Total: days[-1], Days: make([]domain.Count, n)}
			for d := range n {
				st.Days[d] = days[d]
			}
			want.Services = append(want.Services, st)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, d)
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		cut := r.IntN(len(parts) + 1)
		a, err := MergeTimeline(span, parts[:cut])
		if err != nil {
			t.Fatal(err)
		}
		b, err := MergeTimeline(span, parts[cut:])
		if err != nil {
			t.Fatal(err)
		}
		twice, err := MergeTimeline(span, []*domain.Timeline{b, a})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, twice); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

func TestDaysThatAPartDoesNotHaveAreZero(t *testing.T) {
	one := []domain.Count{{Actions: 2, Members: 1}}
	parts := []*domain.Timeline{
		{First: day0 + 2, Services: []domain.ServiceTimeline{{Service: domain.Spotify, Days: one, Total: one[0]}}},
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

func TestAPartOfAnotherQuestionIsAnError(t *testing.T) {
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
