package logins

import (
	"cmp"
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// allTimeIn are the parameters of login/stats/alltime.
type allTimeIn struct {
	visitsIn
	Service bind.Services `name:"service" doc:"only registrations by these services; services is the same" eg:"spotify,email"`
	Valid   bool          `name:"valid" doc:"1: only registrations whose service record is valid now" eg:"1"`
}

// AllTime answers login/stats/alltime: registrations by service, of all time.
func AllTime(ctx context.Context, req *serve.Request, in *allTimeIn) (*wire.Signups, error) {
	visits := domain.VisitQuery{Of: domain.Registration, Valid: in.Valid}
	q, err := in.question(ctx, req, domain.ShapeTally, bind.Span{}, visits)
	if err != nil {
		return nil, err
	}
	q.Filter.Services = both(q.Filter.Services, in.Service)
	return signups(ctx, req, q, &in.visitsIn, &membersIn{})
}

// both are the services that two filters let through; of none a list that none is in.
func both(a, b []domain.Service) []domain.Service {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	common := slices.DeleteFunc(slices.Clone(a), func(s domain.Service) bool { return !slices.Contains(b, s) })
	if len(common) == 0 {
		return []domain.Service{domain.NoService}
	}
	return common
}

// signupsIn are the parameters of login/stats/channels and login/stats/timeline.
type signupsIn struct {
	rangeIn
	membersIn
	pageIn
}

// question is a question about registrations.
func (in *signupsIn) question(
	ctx context.Context, req *serve.Request, shape domain.Shape, totals bool,
) (*domain.Question, error) {
	visits := domain.VisitQuery{Of: domain.Registration, Totals: totals}
	if err := in.pageIn.filter(req, &visits); err != nil {
		return nil, err
	}
	q, _, err := in.rangeIn.question(ctx, req, shape, visits)
	if err != nil {
		return nil, err
	}
	in.membersIn.filter(q)
	return q, nil
}

// Channels answers login/stats/channels: registrations by service.
func Channels(ctx context.Context, req *serve.Request, in *signupsIn) (*wire.Signups, error) {
	q, err := in.question(ctx, req, domain.ShapeTally, false)
	if err != nil {
		return nil, err
	}
	return signups(ctx, req, q, &in.visitsIn, &in.membersIn)
}

// signups asks for registrations by service and renders them: most first.
func signups(
	ctx context.Context, req *serve.Request, q *domain.Question, in *visitsIn, of *membersIn,
) (*wire.Signups, error) {
	answer, err := ask(ctx, req, q, hasTally)
	if err != nil {
		return nil, err
	}
	rows := slices.Clone(answer.Tally.Groups)
	slices.SortFunc(rows, func(a, b domain.GroupCount) int {
		return cmp.Or(cmp.Compare(of.number(b.Count), of.number(a.Count)), cmp.Compare(a.Group, b.Group))
	})
	out := &wire.Signups{Channels: make([]wire.Channel, len(rows)), Total: of.number(answer.Tally.Total)}
	for i, r := range rows {
		name := domain.Service(r.Group).String()
		out.Channels[i] = wire.Channel{Service: name, Signups: wire.Number(of.number(r.Count))}
	}
	out.Explain, err = req.Explanation(ctx, &in.Explaining, answer)
	return out, err
}
