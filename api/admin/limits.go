package admin

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func (p *port) putPlan(r *http.Request) (any, error) {
	id, err := idInPath(r, "an application's id is a number, as app list shows it")
	if err != nil {
		return nil, err
	}
	var in struct {
		Plan string `json:"plan"`
	}
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	plan, ok := domain.ParsePlan(in.Plan)
	if !ok {
		return nil, domain.Bad(domain.InvalidParameter, "plan", "the plan is standard, advanced or enterprise")
	}
	account, err := p.operator.PutPlan(r.Context(), domain.ApplicationID(id), plan)
	if err != nil {
		return nil, err
	}
	return OwnedApplication{
		Account:     Account{ID: account},
		Application: Application{ID: domain.ApplicationID(id), Plan: plan.String()},
	}, nil
}

func (p *port) listAccounts(*http.Request) (any, error) {
	d := p.engine.Directory()
	of := map[domain.AccountID][]*domain.Application{}
	for _, a := range d.Applications() {
		of[a.Account] = append(of[a.Account], a)
	}
	out := List[Limits]{Items: []Limits{}}
	for _, a := range d.Accounts() {
		out.Items = append(out.Items, limitsOf(a, a.Limits, domain.PlanOf(of[a.ID])))
	}
	return out, nil
}

func (p *port) putLimits(r *http.Request) (any, error) {
	id, err := idInPath(r, "an account's id is a number, as app limits shows it")
	if err != nil {
		return nil, err
	}
	var in Limits
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	own, err := in.limits()
	if err != nil {
		return nil, err
	}
	if err := p.operator.PutLimits(r.Context(), domain.AccountID(id), own); err != nil {
		return nil, err
	}
	account := &domain.Account{ID: domain.AccountID(id)}
	var applications []*domain.Application
	for _, a := range p.engine.Directory().Applications() {
		if a.Account == account.ID {
			applications = append(applications, a)
		}
	}
	return limitsOf(account, own, domain.PlanOf(applications)), nil
}

// limits are limits of an account's own.
func (l *Limits) limits() (own domain.Limits, err error) {
	mode, ok := domain.ParseLimitMode(l.Mode)
	switch {
	case !ok:
		err = domain.Bad(domain.InvalidParameter, "mode", "the mode is hard, soft or plan")
	case l.Rate > domain.MaxRate:
		err = domain.Bad(domain.InvalidParameter, "rate", fmt.Sprintf("the rate is at most %d a second", domain.MaxRate))
	case l.Burst > domain.MaxBurst:
		err = domain.Bad(domain.InvalidParameter, "burst", fmt.Sprintf("the burst is at most %d", domain.MaxBurst))
	case l.Month > domain.MaxMonth:
		err = domain.Bad(domain.InvalidParameter, "month", fmt.Sprintf("the month has at most %d requests", uint64(domain.MaxMonth)))
	}
	return domain.Limits{Rate: l.Rate, Burst: l.Burst, Mode: mode, Month: l.Month}, err
}

func limitsOf(a *domain.Account, own domain.Limits, plan domain.Plan) Limits {
	in := own.Under(plan)
	return Limits{
		Account: Account{a.ID, a.Name}, Plan: plan.String(),
		Rate: in.Rate, Burst: in.Burst, Mode: in.Mode.String(), Month: in.Month,
	}
}

// idInPath is the id that the path names.
func idInPath(r *http.Request, what string) (uint32, error) {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 32)
	if err != nil || id == 0 {
		return 0, domain.Bad(domain.InvalidParameter, "id", what)
	}
	return uint32(id), nil
}
