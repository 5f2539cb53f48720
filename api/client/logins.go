package client

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Signups is the registrations by service, of all time.
func (c *Client) Signups(ctx context.Context, p Params) (out wire.Signups, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/login/stats/alltime", p, &out)
	return out, meta, err
}

// SignupChannels is the registrations by service.
func (c *Client) SignupChannels(ctx context.Context, p Params) (out wire.Signups, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/login/stats/channels", p, &out)
	return out, meta, err
}

// SignupTimeline is the registrations by day and service.
func (c *Client) SignupTimeline(ctx context.Context, p Params) (out wire.SignupTimeline, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/login/stats/timeline", p, &out)
	return out, meta, err
}

// SignupDomains is the registrations by domain.
func (c *Client) SignupDomains(ctx context.Context, p Params) (out wire.SignupDomains, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/login/stats/domains", p, &out)
	return out, meta, err
}

// LoginTotals is the registrations and logins in all.
func (c *Client) LoginTotals(ctx context.Context, p Params) (out wire.LoginTotals, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/login/stats/totals", p, &out)
	return out, meta, err
}

// TopDomains is domains by visits: of one member, or of all with member 0.
func (c *Client) TopDomains(
	ctx context.Context, member domain.MemberID, p Params,
) (out wire.TopDomains, meta Meta, err error) {
	path := "/v1.1/members/domains/top"
	if member != 0 {
		path = "/v1.1/member/" + id(member) + "/domains/top"
	}
	meta, err = c.Get(ctx, path, p, &out)
	return out, meta, err
}

// MembersVisits is members by the number of their visits.
func (c *Client) MembersVisits(ctx context.Context, p Params) (out wire.MemberVisits, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/members/stats/visits", p, &out)
	return out, meta, err
}

// MemberLogins is the registrations and logins of a member.
func (c *Client) MemberLogins(ctx context.Context, member domain.MemberID, p Params) (out wire.Visits, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/member/"+id(member)+"/domains/logins", p, &out)
	return out, meta, err
}

// LoggedInMembers is members by their last login.
func (c *Client) LoggedInMembers(ctx context.Context, p Params) (out wire.LoggedInMembers, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/members/login", p, &out)
	return out, meta, err
}
