package members

import (
	"context"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/auth"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/envelope"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/node"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// memberShow is the longest range of member show.
var memberShow = bind.Period{Amount: 3, Unit: bind.Month}

// showIn are the parameters of member show beside the member.
type showIn struct {
	bind.Range
	BrandID        bind.ID        `name:"brandID" doc:"filters actions, score and position" eg:"1"`
	ActivityID     bind.IDs       `name:"activityID" doc:"filters actions, score and position" eg:"100"`
	Segment        bind.ID        `name:"segment" doc:"filters actions, score and position, with its points; segmentid is the same parameter" eg:"1"`
	Services       bind.Services  `name:"services" doc:"filters actions, score and position" eg:"spotify"`
	IncludeOneTime bool           `name:"includeOneTime" doc:"1 includes one-time actions" eg:"1"`
	AnyOf          bind.Performed `name:"anyofactivities" doc:"only members who did at least one of these in the range: of another one there are no actions, and its score is 0" eg:"100,1-101"`
	AllOf          bind.Performed `name:"allofactivities" doc:"only members who did every one of these in the range, likewise" eg:"100,1-101"`

	showPartsIn
	Explaining page.Explaining
}

// showPartsIn are the parts of the answer that are asked for.
type showPartsIn struct {
	Refresh      bool      `name:"refresh" doc:"1 answers once everything accepted before it is applied, or 503 after timeout_ms" eg:"1"`
	ShowPosition bool      `name:"showposition" doc:"1 adds AEPosition and Score to data" eg:"1"`
	ShowBrands   bool      `name:"showbrands" doc:"1 adds brands: by Score, those with the greatest first" eg:"1"`
	ShowActions  bool      `name:"showactions" doc:"1 adds actions, the newest first" eg:"1"`
	Extended     bool      `name:"extended" doc:"1 adds Extended to data" eg:"1"`
	Threshold    int64     `name:"threshold" min:"1" doc:"least ActivityCount of a brand; requires showbrands" eg:"2"`
	Limit        bind.Page `name:"limit" doc:"of actions and of brands; default 3, at most 1000; requires showactions or showbrands" eg:"5"`
}

// Missing reports a parameter that another one requires.
func (in *showIn) Missing(has func(string) bool) string {
	switch {
	case has("threshold") && !in.ShowBrands:
		return "showbrands"
	case has("limit") && !in.ShowBrands && !in.ShowActions:
		return "showactions"
	}
	return ""
}

// Choice names what limit is of.
func (in *showIn) Choice(missing string) string {
	if missing != "showactions" {
		return ""
	}
	return "showactions or showbrands, beside limit,"
}

// filters are those of the parameters that filter actions.
func (in *showIn) filters() *selection.Filters {
	return &selection.Filters{
		Services: in.Services, ActivityID: in.ActivityID, Segment: in.Segment, IncludeOneTime: in.IncludeOneTime,
		AnyOfActivities: in.AnyOf, AllOfActivities: in.AllOf,
	}
}

// memberIn are the parameters of member show by id.
type memberIn struct {
	MemberID      bind.ID    `name:"memberid" doc:"id of a member; beside it no other way to say who" eg:"4097"`
	Email         bind.Email `name:"email" doc:"another way to say who; not beside an id"`
	VerifiedEmail bind.Email `name:"verified_email" doc:"another way to say who; not beside an id"`
	selection.Reference
	Show showIn
}

// Missing reports half of a name.
func (in *memberIn) Missing(has func(string) bool) string { return in.Half(has) }

// Check refuses a second name of the member.
func (in *memberIn) Check() *domain.Error {
	return selection.OnlyOne(selection.Verified(in.Ways(in.Email), in.VerifiedEmail), true)
}

// findIn are the parameters of member show by a name.
type findIn struct {
	Email         bind.Email `name:"email" doc:"of the member that registered with it, else of the earliest that has it; exactly one way to say who" eg:"ada@example.com"`
	VerifiedEmail bind.Email `name:"verified_email" doc:"of the member that has it verified"`
	selection.Reference
	Show showIn
}

// Missing reports that no member is named, or half of a name.
func (in *findIn) Missing(has func(string) bool) string {
	if half := in.Half(has); half != "" {
		return half
	}
	if !has("email") && !has("verified_email") && !has("partnerID") && !has("username") && !has(auth.BearerGiven) {
		return "email"
	}
	return ""
}

// Choice names the ways to name the member.
func (in *findIn) Choice(missing string) string {
	if missing != "email" {
		return ""
	}
	return "email, verified_email, partnerID with partnerCode, service with username, or a Bearer"
}

// named reports that a parameter names the member.
func (in *findIn) named() bool {
	return in.Email != "" || in.VerifiedEmail != "" || in.PartnerID != "" || in.Username != ""
}

// Check refuses a second name of the member.
func (in *findIn) Check() *domain.Error {
	return selection.OnlyOne(selection.Verified(in.Ways(in.Email), in.VerifiedEmail), false)
}

// Show answers a member by its id.
func (s *Service) Show(ctx context.Context, req *serve.Request, in *memberIn) (*wire.Envelope, error) {
	return s.showWith(ctx, req, &in.Show, func() (*domain.Member, error) { return req.Member(ctx, domain.MemberID(in.MemberID), req.Wait) })
}

// Find answers the member that a name names, without one that of the Bearer.
func (s *Service) Find(ctx context.Context, req *serve.Request, in *findIn) (*wire.Envelope, error) {
	return s.showWith(ctx, req, &in.Show, func() (*domain.Member, error) {
		if !in.named() {
			return req.Member(ctx, req.Caller.Bearer, req.Wait)
		}
		return selection.Member(ctx, req, selection.Verified(in.Ways(in.Email), in.VerifiedEmail))
	})
}

// showWith shows a member with what is asked for of its activity.
func (s *Service) showWith(ctx context.Context, req *serve.Request, in *showIn, who func() (*domain.Member, error)) (*wire.Envelope, error) {
	v, err := showingOf(ctx, req, in)
	if err != nil {
		return nil, err
	}
	m, err := who()
	if err != nil {
		return nil, err
	}
	e, err := s.envelopes.Of(req, m, envelope.SignedIn(m))
	if err != nil {
		return nil, err
	}
	if in.Extended {
		if e.Data.Extended, err = node.Of(ctx, req, m, nil); err != nil {
			return nil, err
		}
	}
	return e, v.into(ctx, e, m.ID)
}

// showing is what a show asks about the activity of its member.
type showing struct {
	req  *serve.Request
	in   *showIn
	span bind.Span
	q    domain.Question // of all members' actions that count
	page bind.Page
}

// showingOf finds what the parameters beside the member name.
func showingOf(ctx context.Context, req *serve.Request, in *showIn) (*showing, error) {
	span, err := req.ResolveRange(in.Range, memberShow)
	if err != nil {
		return nil, err
	}
	s := &showing{req: req, in: in, span: span, page: in.Limit, q: domain.Question{Range: span.Seconds()}}
	of, err := selection.Choose(ctx, req, &s.q, in.BrandID, "brandID", in.filters())
	if err != nil {
		return nil, err
	}
	s.q.Groups = of.Groups(selection.InOne)
	if !s.page.Given {
		s.page.Limit = 3
	}
	if s.page.Clamped {
		req.Warn(fmt.Sprintf("limit was clamped to %d", bind.MaxLimit))
	}
	return s, nil
}

// into asks what is to be shown, each at the position of what was asked before or after
// it.
func (s *showing) into(ctx context.Context, e *wire.Envelope, id domain.MemberID) error {
	if s.in.ShowPosition || s.in.Explaining.Explain {
		if err := s.standing(ctx, e, id); err != nil {
			return err
		}
	}
	if s.in.ShowBrands {
		if err := s.brands(ctx, e, id); err != nil {
			return err
		}
	}
	if s.in.ShowActions {
		return s.actions(ctx, e, id)
	}
	return nil
}

// of is the question about the member alone.
func (s *showing) of(id domain.MemberID, shape domain.Shape) *domain.Question {
	q := s.q
	q.Shape, q.Filter.Members = shape, []domain.MemberID{id}
	return &q
}

// lastShown is the position from which on it is shown as 999+.
const lastShown = 1000

// standing adds the member's score and its position, or what explains the score. The members
// with a greater score are counted by a second question, which excludes this member: its own
// actions in between do not lower its position.
func (s *showing) standing(ctx context.Context, e *wire.Envelope, id domain.MemberID) error {
	q := s.of(id, domain.ShapeLeaders)
	q.Top = domain.Top{Limit: 1}
	if err := s.in.Explaining.Ask(s.req, q, s.span); err != nil {
		return err
	}
	answer, err := s.req.Ask(ctx, q)
	if err != nil {
		return err
	}
	if answer.Leaders == nil || len(answer.Leaders.Members) > 1 {
		return serve.ErrShape("showposition")
	}
	if e.Explain, err = s.req.Explanation(ctx, &s.in.Explaining, answer); err != nil || !s.in.ShowPosition {
		return err
	}
	score := uint64(0)
	for _, l := range answer.Leaders.Members {
		score = l.Score
	}
	others := s.q
	others.Shape, others.Top, others.Filter.Exclude = domain.ShapeLeaders, domain.Top{Above: &score}, []domain.MemberID{id}
	if answer, err = s.req.Ask(ctx, &others); err != nil {
		return err
	}
	if answer.Leaders == nil {
		return serve.ErrShape("showposition")
	}
	shown, position := wire.Number(score), "999+"
	if p := answer.Leaders.Above + 1; p < lastShown {
		position = wire.Number(p)
	}
	e.Data.Score, e.Data.AEPosition = &shown, &position
	return nil
}

// brands adds the member's brands, deleted ones left out.
func (s *showing) brands(ctx context.Context, e *wire.Envelope, id domain.MemberID) error {
	q := s.of(id, domain.ShapeStandings)
	q.Top = domain.Top{Offset: s.page.Offset, Limit: s.page.Limit, Least: uint64(s.in.Threshold)}
	for _, b := range s.req.Catalog.Brands(s.req.Account()) {
		if b.Deleted {
			q.Without = append(q.Without, b.ID)
		}
	}
	answer, err := s.req.Ask(ctx, q)
	if err != nil {
		return err
	}
	if answer.Standings == nil {
		return serve.ErrShape("showbrands")
	}
	out := make([]wire.MemberBrand, len(answer.Standings.Brands))
	for i, of := range answer.Standings.Brands {
		b, err := s.req.AnyBrand(of.Brand)
		if err != nil {
			return err
		}
		if b == nil {
			return serve.ErrShape("showbrands")
		}
		out[i] = wire.MemberBrand{
			ID: wire.Number(b.ID), Name: wire.Null(b.Name()), Type: wire.Null(b.Fields["Type"]), ImageURL: wire.Null(b.Fields["ImageURL"]),
			Score: wire.Number(of.Score), ActivityCount: wire.Number(of.Actions),
		}
	}
	e.Brands = &out
	return nil
}

// actions adds the member's latest actions.
func (s *showing) actions(ctx context.Context, e *wire.Envelope, id domain.MemberID) error {
	q := s.of(id, domain.ShapeFeed)
	q.Listing = domain.Listing{Every: true, Offset: s.page.Offset, Limit: s.page.Limit}
	answer, err := s.req.Ask(ctx, q)
	if err != nil {
		return err
	}
	if answer.Feed == nil {
		return serve.ErrShape("showactions")
	}
	items, err := feed.Items(ctx, s.req, answer.Feed.Items, answer.Position)
	e.Actions = &items
	return err
}
