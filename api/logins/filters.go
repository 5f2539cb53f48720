package logins

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
)

// filters are the contract's filters as visits take them: domain and services are those of the
// visit, and what filters actions selects no visit. An input holds them by name, since they have
// rules.
type filters struct {
	Services       bind.Services  `name:"services" doc:"only visits by these services" eg:"spotify,email"`
	Domain         bind.Domain    `name:"domain" doc:"only visits made on the domain; an address is cut to it" eg:"example.com"`
	Members        bind.IDs       `name:"members" doc:"only visits of these members" eg:"4097,8193"`
	ExcludeMembers bind.IDs       `name:"exclude_members" doc:"no visits of these members" eg:"12289"`
	Country        bind.Countries `name:"country" doc:"only members of these countries, ISO 3166-1 alpha-2" eg:"DE"`
	Region         string         `name:"region" doc:"only members of this region, by its ISO 3166-2 code without the country's part or by its name, in any case; needs exactly one country" eg:"BE"`
	PaidOnly       bool           `name:"paid_only" doc:"1: only members with a paid service attached" eg:"1"`
	OptedIn        bool           `name:"optedin" doc:"1: only members who opted in, to the segment if one is named, else to the brand; one of both is needed" eg:"1"`
	Segment        bind.ID        `name:"segment" doc:"what optedin is to; segmentid is the same parameter" eg:"1"`

	MembersFromSegment bind.ID        `name:"members_from_segment" doc:"only members on the segment's list: who opted in, was put there, or is there by its rule" eg:"1"`
	Emails             bind.Emails    `name:"emails" doc:"only members with one of these addresses, verified or not, in any case" eg:"ada@example.com,bob@example.com"`
	AnyOfActivities    bind.Performed `name:"anyofactivities" doc:"only members who did at least one of these in the range: an activity's id, or brand-activity for that brand alone" eg:"100,1-101"`
	AllOfActivities    bind.Performed `name:"allofactivities" doc:"only members who did every one of these in the range, likewise" eg:"100,1-101"`
	ActivityID         bind.IDs       `name:"activityID" doc:"without effect: visits are of no activity" eg:"100"`
	IncludeOneTime     bool           `name:"includeOneTime" doc:"without effect: visits are of no activity" eg:"1"`
}

// Missing reports that an opt-in is asked for, and to nothing.
func (f *filters) Missing(has func(string) bool) string { return f.selection().Missing(has) }

// Choice names what one can have opted in to.
func (f *filters) Choice(missing string) string { return f.selection().Choice(missing) }

// Check refuses a region that is not of one country.
func (f *filters) Check() *domain.Error { return f.selection().Check() }

// selection are the filters on members, as actions take them.
func (f *filters) selection() *selection.Filters {
	return &selection.Filters{
		Services: f.Services, Members: f.Members, ExcludeMembers: f.ExcludeMembers, Country: f.Country, Region: f.Region,
		PaidOnly: f.PaidOnly, OptedIn: f.OptedIn, Segment: f.Segment, MembersFromSegment: f.MembersFromSegment,
		Emails: f.Emails, AnyOfActivities: f.AnyOfActivities, AllOfActivities: f.AllOfActivities, ActivityID: f.ActivityID,
	}
}

// visitsIn are the parameters that all questions about visits share, but for a range.
type visitsIn struct {
	BrandID    bind.ID `name:"brandID" doc:"what optedin is to, where no segment is named: visits are of no brand" eg:"1"`
	Filters    filters
	Explaining page.Explaining
}

// question is a question about visits in a span; zero: all time.
func (in *visitsIn) question(
	ctx context.Context, req *serve.Request, shape domain.Shape, span bind.Span, visits domain.VisitQuery,
) (*domain.Question, error) {
	q := &domain.Question{Shape: shape, Range: span.Seconds()}
	if span == (bind.Span{}) {
		q.Range = domain.AllTime
	}
	if err := selection.ChooseMembers(ctx, req, q, in.BrandID, "brandID", in.Filters.selection()); err != nil {
		return nil, err
	}
	q.Brand = 0
	q.Visits = &visits
	visits.Domain = string(in.Filters.Domain)
	return q, in.Explaining.Ask(req, q, span)
}

// rangeIn are those of a question about a range.
type rangeIn struct {
	bind.Range
	visitsIn
}

// question is a question about visits in the range.
func (in *rangeIn) question(
	ctx context.Context, req *serve.Request, shape domain.Shape, visits domain.VisitQuery,
) (*domain.Question, bind.Span, error) {
	span, err := req.ResolveRange(in.Range, selection.Statistics)
	if err != nil {
		return nil, span, err
	}
	q, err := in.visitsIn.question(ctx, req, shape, span, visits)
	return q, span, err
}

// membersIn are parameters about the members of visits.
type membersIn struct {
	Age          bind.Ages `name:"age" doc:"only members of these ages at the end of the range, in whole years, both included; of no known birthdate none" eg:"29-35"`
	Gender       string    `name:"gender" enum:"M,F,Other" doc:"only members of this gender" eg:"F"`
	UniqueMember bool      `name:"uniquemember" doc:"1: each row counts members, and the total counts a member once" eg:"1"`
}

// filter narrows a question to the members.
func (in *membersIn) filter(q *domain.Question) {
	if in.Age.Given {
		born := domain.BornForAges(q.Range, in.Age.Least, in.Age.Most)
		q.Filter.Born = &born
	}
	if in.Gender != "" {
		q.Filter.Genders = []uint16{domain.GenderCode(in.Gender)}
	}
}

// number is what a row or a total shows of a count.
func (in *membersIn) number(n domain.Count) uint64 {
	if in.UniqueMember {
		return n.Members
	}
	return n.Actions
}

// pageIn is a page of a web site that visits were to.
type pageIn struct {
	Page bind.WebPage `name:"page" doc:"only registrations on this page of a web site, host/path; it must be the page of a segment"`
}

// filter narrows a question to the page.
func (in *pageIn) filter(req *serve.Request, visits *domain.VisitQuery) error {
	if in.Page == "" {
		return nil
	}
	visits.Page = string(in.Page)
	if req.IsPage(visits.Page) {
		return nil
	}
	return domain.Bad(domain.InvalidParameter, "page", "page must be the page of a segment")
}

// ask asks a question; has reports that the answer is of its shape.
func ask(ctx context.Context, req *serve.Request, q *domain.Question, has func(*domain.Answer) bool) (*domain.Answer, error) {
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if !has(answer) {
		return nil, serve.ErrShape("logins")
	}
	return answer, nil
}

func hasTally(a *domain.Answer) bool { return a.Tally != nil }
