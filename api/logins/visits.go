package logins

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// visitsOfIn are the parameters of the visits of a member: those of member show, of which the
// member, the range, services, segment and limit have an effect.
type visitsOfIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of a member" eg:"4097"`
	bind.Range
	Services bind.Services `name:"services" doc:"only visits by these services" eg:"spotify,email"`
	Segment  bind.ID       `name:"segment" doc:"only visits of the segment: to its page, or registrations that put the member on its list; segmentid is the same parameter" eg:"1"`
	Limit    bind.Page     `name:"limit" doc:"LIMIT or OFFSET,LIMIT; default 10, at most 1000" eg:"0,5"`
	namesIn
	showIn
}

// namesIn are the other ways of member show to name a member.
type namesIn struct {
	Email         bind.Email   `name:"email" doc:"without effect: the path names the member"`
	VerifiedEmail bind.Email   `name:"verified_email" doc:"without effect: the path names the member"`
	PartnerCode   string       `name:"partnerCode" doc:"without effect: the path names the member"`
	PartnerID     string       `name:"partnerID" doc:"without effect: the path names the member"`
	Service       bind.Service `name:"service" doc:"without effect: the path names the member"`
	Username      string       `name:"username" doc:"without effect: the path names the member"`
}

// showIn are the other parameters of member show.
type showIn struct {
	BrandID        bind.ID        `name:"brandID" doc:"without effect: visits are of no brand"`
	ActivityID     bind.IDs       `name:"activityID" doc:"without effect: visits are of no activity"`
	AnyOf          bind.Performed `name:"anyofactivities" doc:"without effect"`
	AllOf          bind.Performed `name:"allofactivities" doc:"without effect"`
	IncludeOneTime bool           `name:"includeOneTime" doc:"without effect: visits are of no activity"`
	Refresh        bool           `name:"refresh" doc:"without effect"`
	ShowPosition   bool           `name:"showposition" doc:"without effect"`
	ShowBrands     bool           `name:"showbrands" doc:"without effect"`
	ShowActions    bool           `name:"showactions" doc:"without effect"`
	Extended       bool           `name:"extended" doc:"without effect"`
	Threshold      int64          `name:"threshold" min:"1" doc:"without effect"`
}

// visitsLongest is the longest range of a member's visits.
var visitsLongest = bind.Period{Amount: 3, Unit: bind.Month}

// VisitsOf answers member/domains/logins: the visits of a member, the latest first.
func VisitsOf(ctx context.Context, req *serve.Request, in *visitsOfIn) (*wire.Visits, error) {
	span, err := req.ResolveRange(in.Range, visitsLongest)
	if err != nil {
		return nil, err
	}
	var only *domain.Segment
	if in.Segment != 0 {
		if only, err = req.Segment(in.Segment, "segment"); err != nil {
			return nil, err
		}
	}
	m, err := req.Member(ctx, domain.MemberID(in.MemberID), req.Wait)
	if err != nil {
		return nil, err
	}
	p := in.Limit
	if !p.Given {
		p.Limit = 10
	}
	if p.Clamped {
		req.Warn(fmt.Sprintf("limit was clamped to %d", bind.MaxLimit))
	}
	list := visitList{req: req, member: m, segment: only, segments: pagesOf(req)}
	list.question = domain.Question{
		Account: req.Account(), Shape: domain.ShapeFeed, Range: span.Seconds(), Visits: &domain.VisitQuery{},
		Filter: domain.Filter{Services: in.Services, Members: []domain.MemberID{m.ID}},
	}
	return list.page(ctx, p)
}

// pagesOf are the segments by their pages; of several with one page that with the lowest ID.
func pagesOf(req *serve.Request) map[string]domain.SegmentID {
	by := map[string]domain.SegmentID{}
	for _, s := range req.Catalog.Segments(req.Account()) {
		if _, taken := by[s.Page]; s.Page != "" && !s.Deleted && !taken {
			by[s.Page] = s.ID
		}
	}
	return by
}

// visitList is the visits of a member as the engine has them.
type visitList struct {
	req      *serve.Request
	question domain.Question
	member   *domain.Member
	segment  *domain.Segment             // only its visits; nil: all
	segments map[string]domain.SegmentID // by page
}

// page is a page of the list. Which segment a visit is of is in its contents: a page of those of one
// segment is cut out of all visits, whose number is bounded by the range.
func (l *visitList) page(ctx context.Context, p bind.Page) (*wire.Visits, error) {
	if l.segment == nil {
		items, total, err := l.read(ctx, p.Offset, p.Limit)
		return &wire.Visits{Registrations: items, Total: total}, err
	}
	out := &wire.Visits{Registrations: []wire.Visit{}}
	id := wire.Number(l.segment.ID)
	for offset := 0; ; offset += bind.MaxLimit {
		items, total, err := l.read(ctx, offset, bind.MaxLimit)
		if err != nil {
			return nil, err
		}
		for i := range items {
			if s := items[i].Segment; s == nil || *s != id {
				continue
			}
			if at := int(out.Total); at >= p.Offset && at < p.Offset+p.Limit {
				out.Registrations = append(out.Registrations, items[i])
			}
			out.Total++
		}
		if uint64(offset+bind.MaxLimit) >= total || offset+bind.MaxLimit > bind.MaxOffset {
			return out, nil
		}
	}
}

// read is some of the visits, the latest first, and the number of all.
func (l *visitList) read(ctx context.Context, offset, limit int) ([]wire.Visit, uint64, error) {
	q := l.question
	q.Listing = domain.Listing{Every: true, Limit: limit}
	if limit > 0 {
		q.Listing.Offset = offset
	}
	answer, err := l.req.Ask(ctx, &q)
	if err != nil {
		return nil, 0, err
	}
	if answer.Feed == nil {
		return nil, 0, serve.ErrShape("domains/logins")
	}
	l.req.WarnOfPlaces(answer)
	out := make([]wire.Visit, len(answer.Feed.Items))
	if len(out) == 0 {
		return out, answer.Feed.Total, nil
	}
	shown, err := l.req.Engine.Show(ctx, l.req.Account(), answer.Feed.Items, answer.Position)
	if err != nil {
		return nil, 0, serve.WaitFault(err)
	}
	for i := range out {
		out[i] = l.visitOf(&answer.Feed.Items[i].Row, &shown[i])
	}
	return out, answer.Feed.Total, nil
}

// Shown renders visits of a member as the answer shows them.
func Shown(req *serve.Request, m *domain.Member) func(row *domain.Row, shown *domain.Shown) wire.Visit {
	l := visitList{req: req, member: m, segments: pagesOf(req)}
	return l.visitOf
}

// visitOf is a visit as the answer shows it. Its country is that of the address it came from, else
// the member's; its segment the one whose page it was to, else the one that the registration named.
func (l *visitList) visitOf(row *domain.Row, shown *domain.Shown) wire.Visit {
	v, segment := domain.VisitOf(shown.Content)
	if of, ok := l.segments[shown.Place.Page]; ok {
		segment = of
	}
	profile, from := l.member.Profile, &shown.Details
	country := cmp.Or(v.Country, profile.Get(domain.GeoCountry), profile.Get(domain.Country))
	return wire.Visit{
		Domain: wire.Null(shown.Place.Domain), WebPath: wire.Null(from.WebPath), Segment: wire.NullNumber(segment),
		Visitor: wire.Null(from.Visitor), IP: wire.Null(from.IP), ReferringURL: wire.Null(from.ReferringURL),
		Country: wire.Null(country), MemberID: uint64(l.member.ID), Service: row.Service.String(),
		Mobile: v.Device.Mobile(), Device: uint64(v.Device), Date: time.Unix(int64(row.Time), 0).UTC().Format(time.DateOnly),
	}
}
