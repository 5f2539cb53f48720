package node

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Parts are the parts of a node that the engine is asked for.
type Parts struct {
	Domains bool
	AEData  bool
}

// Any reports that the engine is asked.
func (p Parts) Any() bool { return p.Domains || p.AEData }

// With is the parts of p and those that fields of the node by these names are of, in lower case.
func (p Parts) With(names ...string) Parts {
	p.Domains = p.Domains || slices.Contains(names, "domains")
	p.AEData = p.AEData || slices.Contains(names, "ae_data")
	return p
}

// PartsOf are those that a selection of fields has; nil: all.
func PartsOf(fields *wire.NodeFields) Parts {
	return Parts{Domains: fields.Has("domains"), AEData: fields.Has("ae_data")}
}

// topBrands is how many brands of a period are shown.
const topBrands = 10

// Of is the node of an opened member, with some fields alone; nil: with all.
func Of(ctx context.Context, req *serve.Request, m *domain.Member, fields *wire.NodeFields) (*wire.Extended, error) {
	nodes, err := Nodes(ctx, req, []*domain.Member{m}, PartsOf(fields))
	if err != nil {
		return nil, err
	}
	nodes[0].Only(fields)
	return nodes[0], nil
}

// Nodes are the nodes of opened members, each once, in their order; a nil member has none.
func Nodes(ctx context.Context, req *serve.Request, members []*domain.Member, parts Parts) ([]*wire.Extended, error) {
	out := make([]*wire.Extended, len(members))
	by := map[domain.MemberID]*wire.Extended{}
	var ids []domain.MemberID
	for i, m := range members {
		if m != nil {
			out[i] = base(m)
			by[m.ID] = out[i]
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 || !parts.Any() {
		return out, nil
	}
	slices.Sort(ids)
	if parts.Domains {
		if err := domains(ctx, req, ids, by); err != nil {
			return nil, err
		}
	}
	if !parts.AEData {
		return out, nil
	}
	for _, period := range [...]bind.Period{short, long} {
		if err := brands(ctx, req, ids, by, period); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// domains fills in the domains that the members visited.
func domains(ctx context.Context, req *serve.Request, ids []domain.MemberID, by map[domain.MemberID]*wire.Extended) error {
	answer, err := req.Ask(ctx, &domain.Question{
		Account: req.Account(), Shape: domain.ShapeSummaries, Range: domain.AllTime, Visits: &domain.VisitQuery{},
		Filter: domain.Filter{Members: ids},
	})
	if err != nil {
		return err
	}
	for _, s := range answer.Summaries {
		if n := by[s.Member]; n != nil {
			for _, d := range s.Domains {
				n.Domains = append(n.Domains, wire.DomainVisits{
					Domain: d.Domain, FirstVisit: wire.Seconds(int64(d.First)), LastVisit: wire.Seconds(int64(d.Last)),
				})
			}
		}
	}
	return nil
}

// brands fills in the members' top brands of a period, deleted ones left out.
func brands(
	ctx context.Context, req *serve.Request, ids []domain.MemberID, by map[domain.MemberID]*wire.Extended, period bind.Period,
) error {
	r, fault := req.Resolve(bind.Range{Period: period}, selection.Lists, false)
	if fault != nil {
		return fault
	}
	q := &domain.Question{
		Account: req.Account(), Shape: domain.ShapeSummaries, Range: r.Span.Seconds(),
		Filter: domain.Filter{Members: ids}, Top: domain.Top{Limit: topBrands}, Groups: counted(req),
	}
	for _, b := range req.Catalog.Brands(req.Account()) {
		if b.Deleted {
			q.Without = append(q.Without, b.ID)
		}
	}
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return err
	}
	for _, s := range answer.Summaries {
		n := by[s.Member]
		if n == nil {
			continue
		}
		names := make([]string, 0, len(s.Brands))
		for _, of := range s.Brands {
			b, err := req.AnyBrand(of.Brand)
			if err != nil {
				return err
			}
			if b == nil {
				return serve.ErrShape("Extended")
			}
			names = append(names, b.Name())
		}
		if period == short {
			n.AEData.Brands = names
			continue
		}
		n.AEData.BrandsExtended = names
		if s.Latest != 0 {
			n.AEData.LastUpdate = wire.Null(wire.Seconds(int64(s.Latest)))
		}
	}
	return nil
}

// counted are the definitions whose actions count, one-time ones left out.
func counted(req *serve.Request) (out []domain.Group) {
	for _, d := range req.Catalog.Definitions(req.Account()) {
		if d.ID >= domain.FirstDefinition && !d.OneTime {
			out = append(out, domain.Group{Definition: d.ID})
		}
	}
	return out
}
