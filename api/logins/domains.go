package logins

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// domainsIn are the parameters of login/stats/domains.
type domainsIn struct {
	rangeIn
	membersIn
	page.Paged
}

// Domains answers login/stats/domains: registrations by domain.
func Domains(ctx context.Context, req *serve.Request, in *domainsIn) (*wire.SignupDomains, error) {
	q, span, err := in.question(ctx, req, domain.ShapeDomains, domain.VisitQuery{Of: domain.Registration})
	if err != nil {
		return nil, err
	}
	in.filter(q)
	answer, err := ask(ctx, req, q, hasDomains)
	if err != nil {
		return nil, err
	}
	rank := func(d *domain.DomainCount) uint64 { return in.number(d.Count) }
	rows := pageOfDomains(req, in.Paged, span, answer.Domains.Rows, rank)
	out := &wire.SignupDomains{Domains: make([]wire.SignupDomain, len(rows)), Total: in.number(answer.Domains.Total)}
	for i := range rows {
		out.Domains[i] = wire.SignupDomain{Domain: wire.Null(rows[i].Domain), Signups: wire.Number(rank(&rows[i]))}
	}
	out.Explain, err = req.Explanation(ctx, &in.Explaining, answer)
	return out, err
}

// topIn are the parameters of members/domains/top.
type topIn struct {
	rangeIn
	page.Paged
}

// TopDomains answers members/domains/top: visits by domain.
func TopDomains(ctx context.Context, req *serve.Request, in *topIn) (*wire.TopDomains, error) {
	return in.top(ctx, req, 0)
}

// memberTopIn are the parameters of the top domains of one member.
type memberTopIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of the member" eg:"4097"`
	topIn
}

// TopDomainsOfMember answers member/[memberid]/domains/top: the member's visits by domain.
func TopDomainsOfMember(ctx context.Context, req *serve.Request, in *memberTopIn) (*wire.TopDomains, error) {
	if _, err := req.Member(ctx, domain.MemberID(in.MemberID), req.Wait); err != nil {
		return nil, err
	}
	return in.top(ctx, req, in.MemberID)
}

// top asks for the visits by domain, of one member if it is named.
func (in *topIn) top(ctx context.Context, req *serve.Request, member bind.ID) (*wire.TopDomains, error) {
	q, span, err := in.question(ctx, req, domain.ShapeDomains, domain.VisitQuery{})
	if err != nil {
		return nil, err
	}
	if err := selection.OnlyMember(ctx, req, &q.Filter, member); err != nil {
		return nil, err
	}
	answer, err := ask(ctx, req, q, hasDomains)
	if err != nil {
		return nil, err
	}
	all := answer.Domains.Rows
	rows := pageOfDomains(req, in.Paged, span, all, func(d *domain.DomainCount) uint64 { return d.Actions })
	out := &wire.TopDomains{TotalSize: wire.Number(len(all)), Items: make([]wire.TopDomain, len(rows))}
	for i, d := range rows {
		out.Items[i] = wire.TopDomain{
			Domain: wire.Null(d.Domain), Visits: d.Actions, Registrations: d.Registrations, Members: d.Members,
		}
	}
	out.Explain, err = req.Explanation(ctx, &in.Explaining, answer)
	return out, err
}

func hasDomains(a *domain.Answer) bool { return a.Domains != nil }

// pageOfDomains is the page of the rows, the greatest rank first, ties by text.
func pageOfDomains(
	req *serve.Request, in page.Paged, span bind.Span, all []domain.DomainCount, rank func(*domain.DomainCount) uint64,
) []domain.DomainCount {
	all = slices.Clone(all)
	key := func(d *domain.DomainCount) page.Row { return page.Row{Rank: rank(d), Text: d.Domain} }
	slices.SortFunc(all, func(a, b domain.DomainCount) int { return page.ByRank(key(&a), key(&b)) })
	rows, _ := page.PageOf(req, in.Page(req), all, key, page.ByRank, page.Dates(span)...)
	return rows
}
