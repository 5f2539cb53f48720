package stats

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// unknown is the row of members without a known value.
const unknown = "Unknown"

// Genders answers stats/gender: activity by gender, zeros included.
func Genders(ctx context.Context, req *serve.Request, in *statsIn) (*wire.Genders, error) {
	t, explain, err := in.tally(ctx, req, domain.ShapeGender)
	if err != nil {
		return nil, err
	}
	out := &wire.Genders{
		TotalActivities: wire.Number(t.Total.Actions), TotalMembers: wire.Number(t.Total.Members), Explain: explain,
	}
	for i, name := range domain.Genders {
		n := countOf(t, uint32(i+1))
		out.Genders = append(out.Genders, wire.Gender{Gender: name, Actions: wire.Number(n.Actions), Members: wire.Number(n.Members)})
	}
	n := countOf(t, 0)
	out.Genders = append(out.Genders, wire.Gender{Gender: unknown, Actions: wire.Number(n.Actions), Members: wire.Number(n.Members)})
	return out, nil
}

// Ages answers stats/age: activity by band of age, zeros included.
func Ages(ctx context.Context, req *serve.Request, in *statsIn) (*wire.Ages, error) {
	t, explain, err := in.tally(ctx, req, domain.ShapeAge)
	if err != nil {
		return nil, err
	}
	out := &wire.Ages{
		TotalActivities: wire.Number(t.Total.Actions), TotalMembers: wire.Number(t.Total.Members), Explain: explain,
	}
	for i, band := range domain.AgeBands {
		n := countOf(t, uint32(i))
		out.Ages = append(out.Ages, wire.Age{Age: band, Actions: wire.Number(n.Actions), Members: wire.Number(n.Members)})
	}
	n := countOf(t, uint32(domain.UnknownAge))
	out.Ages = append(out.Ages, wire.Age{Age: unknown, Actions: wire.Number(n.Actions), Members: wire.Number(n.Members)})
	return out, nil
}

// countOf is the count of a group in a tally; zero where the tally does not have it.
func countOf(t *domain.Tally, group uint32) domain.Count {
	for i := range t.Groups {
		if t.Groups[i].Group == group {
			return t.Groups[i].Count
		}
	}
	return domain.Count{}
}

// tally asks for the tally of a shape, and explains it.
func (in *statsIn) tally(ctx context.Context, req *serve.Request, shape domain.Shape) (*domain.Tally, *wire.Explanation, error) {
	q, of, _, err := in.question(ctx, req, shape)
	if err != nil {
		return nil, nil, err
	}
	q.Groups = of.Groups(selection.InOne)
	answer, err := askTally(ctx, req, q)
	if err != nil {
		return nil, nil, err
	}
	explain, err := req.Explanation(ctx, &in.Explaining, answer)
	return answer.Tally, explain, err
}
