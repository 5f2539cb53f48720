package selection

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
)

// ListSizes is how many members are on each segment's list, and on any of them, of those
// that the filter lets through.
func ListSizes(ctx context.Context, req *serve.Request, segments []*domain.Segment, filter domain.Filter) (each []uint64, any uint64, err error) {
	if len(segments) == 0 {
		return nil, 0, nil
	}
	q := &domain.Question{Account: req.Account(), Shape: domain.ShapeLists, Range: Within(req, domain.Period{}), Filter: filter}
	for _, s := range segments {
		q.Lists = append(q.Lists, ListOf(req, s))
	}
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	if len(answer.Lists) != len(segments) {
		return nil, 0, serve.ErrShape("segments")
	}
	return answer.Lists, answer.Union, nil
}

// ListOf is a segment's list of members as a question carries it: the rule is one of
// now, which is the coming full minute.
func ListOf(req *serve.Request, s *domain.Segment) domain.List {
	l := domain.List{Segment: s.ID}
	if rule := s.List(); rule.Rule {
		l.Rule = &domain.Rule{
			Definitions: rule.Definitions, Brand: rule.Brand, Threshold: rule.Threshold, Range: Within(req, rule.Period),
		}
	}
	return l
}

// Within is the last so long before now; zero: all time.
func Within(req *serve.Request, p domain.Period) domain.Range {
	if p == (domain.Period{}) {
		return domain.Range{To: 1<<32 - 1}
	}
	r, _ := req.Resolve(bind.Range{Period: Period(p)}, Always, false)
	return r.Span.Seconds()
}

// Period is a period as parameters have it: the codes of the units are the same.
func Period(p domain.Period) bind.Period {
	return bind.Period{Amount: int(p.Amount), Unit: bind.Unit(p.Unit)}
}
