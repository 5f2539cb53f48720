package usage

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// usageIn are the parameters of account/usage.
type usageIn struct {
	Interval  string      `name:"interval" required:"" enum:"hour,day,month" doc:"step of the series" eg:"day"`
	StartDate bind.Start  `name:"start_date" required:"" doc:"start of the range; it is widened to whole steps" eg:"2026-03-01 00:00:00"`
	EndDate   bind.End    `name:"end_date" doc:"end of the range, not part of it; required without period" eg:"2026-03-16 00:00:00"`
	Period    bind.Period `name:"period" doc:"length of the range from start_date on: an amount and Hour, Day or Month; beside end_date it is ignored" eg:"2 Month"`
	AppScope  string      `name:"app_scope" enum:"businessunit,app" default:"app" doc:"app: this application; businessunit: all of the account, as with a global key"`
}

// Missing reports a range without an end.
func (in *usageIn) Missing(has func(string) bool) string {
	if !has("end_date") && !has("period") {
		return "end_date"
	}
	return ""
}

// Choice says that a period is an end, too.
func (in *usageIn) Choice(string) string { return "end_date or period" }

// Check refuses a period of other units.
func (in *usageIn) Check() *domain.Error {
	switch in.Period.Unit {
	case bind.Week, bind.Year:
		return domain.Bad(domain.InvalidParameter, "period", "period must be in Hour, Day or Month here")
	}
	return nil
}

// Show answers account/usage.
func Show(ctx context.Context, req *serve.Request, in *usageIn) (out [1]wire.Usage, err error) {
	s, err := in.steps(req.Clock.Now)
	if err != nil {
		return out, err
	}
	req.Response.Span = s.span().String()
	for _, w := range s.warnings {
		req.Warn(w)
	}
	applications := []*domain.Application{req.Caller.App}
	if in.AppScope == "businessunit" || req.Caller.Key.Scope == domain.ScopeGlobal {
		applications = req.Catalog.ApplicationsOf(req.Account())
	}
	q := &domain.UsageQuestion{Account: req.Account(), From: hourOf(s.start), To: hourOf(s.end)}
	for _, a := range applications {
		q.Applications = append(q.Applications, a.ID)
	}
	hits, at, err := req.Engine.Usage(ctx, q, req.Wait)
	if err != nil {
		return out, serve.WaitFault(err)
	}
	req.RaisePosition(at)
	return [1]wire.Usage{s.render(applications, hits)}, nil
}

// render sums the hits up by step, of each application and of all.
func (s *steps) render(applications []*domain.Application, hits []domain.HourHits) wire.Usage {
	names := s.names()
	all := make([]uint64, len(names))
	of := make(map[domain.ApplicationID][]uint64, len(applications))
	for _, h := range hits {
		n := of[h.Application]
		if n == nil {
			n = make([]uint64, len(names))
			of[h.Application] = n
		}
		i := s.index(h.Hour)
		n[i] += h.Hits
		all[i] += h.Hits
	}
	out := wire.Usage{
		StartDate: stamp(s.start), EndDate: stamp(s.end), Timezone: "UTC", Interval: "per " + s.interval,
		HitsPerApplication: make([]wire.ApplicationUsage, len(applications)),
	}
	total := &out.HitsTotal
	total.TotalHitsForPeriod = sum(all)
	total.PerHour, total.PerDay, total.PerMonth = s.series(names, all)
	for i, a := range applications {
		n := of[a.ID]
		if n == nil {
			n = make([]uint64, len(names))
		}
		u := &out.HitsPerApplication[i]
		u.ApplicationName = a.Name
		u.TotalHitsForPeriod = sum(n)
		u.PerHour, u.PerDay, u.PerMonth = s.series(names, n)
	}
	return out
}

// series is the counts of the steps in the interval's shape.
func (s *steps) series(names []string, hits []uint64) (h []wire.HourHits, d []wire.DayHits, m []wire.MonthHits) {
	for i, name := range names {
		n := wire.Number(hits[i])
		switch s.interval {
		case "hour":
			h = append(h, wire.HourHits{Hour: name, Hits: n})
		case "day":
			d = append(d, wire.DayHits{Day: name, Hits: n})
		default:
			m = append(m, wire.MonthHits{Month: name, Hits: n})
		}
	}
	return h, d, m
}

func sum(hits []uint64) (n uint64) {
	for _, h := range hits {
		n += h
	}
	return n
}
