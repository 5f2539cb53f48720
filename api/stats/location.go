package stats

import (
	"cmp"
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Locations answers stats/location: activity by country.
func Locations(ctx context.Context, req *serve.Request, in *statsIn) (*wire.Location, error) {
	t, explain, err := in.tally(ctx, req, domain.ShapeLocation)
	if err != nil {
		return nil, err
	}
	out := renderLocation(t)
	out.Explain = explain
	return out, nil
}

// renderLocation puts the country with the most actions first, and what is of none
// last.
func renderLocation(t *domain.Tally) *wire.Location {
	rows := slices.Clone(t.Groups)
	slices.SortFunc(rows, func(a, b domain.GroupCount) int {
		return cmp.Or(unknownLast(a, b), cmp.Compare(b.Actions, a.Actions), cmp.Compare(a.Group, b.Group))
	})
	out := &wire.Location{
		TotalActivities: wire.Number(t.Total.Actions), TotalMembers: wire.Number(t.Total.Members),
		Countries: make([]wire.Country, len(rows)),
	}
	for i, r := range rows {
		row := wire.Country{CountryName: unknown, Actions: wire.Number(r.Actions), Members: wire.Number(r.Members)}
		if r.Group != 0 {
			code := string([]byte{byte(r.Group >> 8), byte(r.Group)})
			row.Country, row.CountryName = &code, cmp.Or(bind.CountryName()[code], code)
		}
		out.Countries[i] = row
	}
	return out
}

func unknownLast(a, b domain.GroupCount) int {
	switch {
	case a.Group == b.Group:
		return 0
	case a.Group == 0:
		return 1
	case b.Group == 0:
		return -1
	}
	return 0
}
