package api

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// unknown is the row of those of whom a value is not known.
const unknown = "Unknown"

func genders(c *Call, in *statsIn) (*wire.Genders, error) {
	t, explain, err := in.tally(c, domain.ShapeGender)
	if err != nil {
		return nil, err
	}
	rows := slices.Clone(t.Groups)
	slices.SortFunc(rows, func(a, b domain.GroupCount) int { return cmp.Or(unknownLast(a, b), cmp.Compare(a.Group, b.Group)) })
	out := &wire.Genders{
		TotalActivities: wire.Number(t.Total.Actions), TotalMembers: wire.Number(t.Total.Members),
		Genders: make([]wire.Gender, len(rows)), Explain: explain,
	}
	for i, r := range rows {
		row := wire.Gender{Gender: unknown, Actions: wire.Number(r.Actions), Members: wire.Number(r.Members)}
		if at := int(r.Group) - 1; at >= 0 && at < len(domain.Genders) {
			row.Gender = domain.Genders[at]
		}
		out.Genders[i] = row
	}
	return out, nil
}

func ages(c *Call, in *statsIn) (*wire.Ages, error) {
	t, explain, err := in.tally(c, domain.ShapeAge)
	if err != nil {
		return nil, err
	}
	out := &wire.Ages{
		TotalActivities: wire.Number(t.Total.Actions), TotalMembers: wire.Number(t.Total.Members),
		Ages: make([]wire.Age, len(t.Groups)), Explain: explain,
	}
	for i, r := range t.Groups { // by band
		row := wire.Age{Age: unknown, Actions: wire.Number(r.Actions), Members: wire.Number(r.Members)}
		if int(r.Group) < len(domain.AgeBands) {
			row.Age = domain.AgeBands[r.Group]
		}
		out.Ages[i] = row
	}
	return out, nil
}

// tally asks for the tally of a shape, and explains it.
func (in *statsIn) tally(c *Call, shape domain.Shape) (*domain.Tally, *wire.Explanation, error) {
	q, of, _, err := in.question(c, shape)
	if err != nil {
		return nil, nil, err
	}
	q.Groups = of.groups(inOne)
	answer, err := c.tally(q)
	if err != nil {
		return nil, nil, err
	}
	explain, err := c.explanation(&in.Explaining, answer)
	return answer.Tally, explain, err
}
