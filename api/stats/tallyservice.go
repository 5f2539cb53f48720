package stats

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
)

// recordedBy is the service that the actions counted have, of the rows whose definitions
// had more than one: an action keeps that of its definition as it was received. Of several
// it is the one that most of them have.
func recordedBy(ctx context.Context, req *serve.Request, q *domain.Question, rows []domain.GroupCount, groupBy string) (map[uint32]domain.Service, error) {
	var groups []domain.Group
	var services []domain.Service
	for _, r := range rows {
		if groupBy == byType {
			break
		}
		d, err := req.AnyDefinition(domain.DefinitionID(r.Group))
		if err != nil {
			return nil, err
		}
		if d == nil || len(d.Former) == 0 {
			continue
		}
		groups = append(groups, domain.Group{Definition: d.ID, Group: r.Group})
		services = append(append(services, d.Service), d.Former...)
	}
	slices.Sort(services)
	out, most := map[uint32]domain.Service{}, map[uint32]uint64{}
	for _, s := range slices.Compact(services) {
		if q.Filter.Services != nil && !slices.Contains(q.Filter.Services, s) {
			continue
		}
		one := *q
		one.Shape, one.Groups, one.Explain = domain.ShapeTally, groups, false
		one.Filter.Services = []domain.Service{s}
		answer, err := askTally(ctx, req, &one)
		if err != nil {
			return nil, err
		}
		for _, g := range answer.Tally.Groups {
			if g.Actions > most[g.Group] {
				out[g.Group], most[g.Group] = s, g.Actions
			}
		}
	}
	return out, nil
}
