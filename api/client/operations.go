package client

import (
	"context"
	"errors"
	"maps"
	"net/http"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Brands is the list of brands.
func (c *Client) Brands(ctx context.Context, p Params) (out wire.Brands, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brands", p, &out)
	return out, meta, err
}

// Brand is one brand.
func (c *Client) Brand(ctx context.Context, brand domain.BrandID) (out wire.Brand, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand), nil, &out)
	return out, meta, err
}

// CreateBrand creates a brand: name, type and what else there is.
func (c *Client) CreateBrand(ctx context.Context, p Params) (out wire.Brand, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/brand/create", p, &out)
	return out, meta, err
}

// EditBrand changes what is given of a brand.
func (c *Client) EditBrand(ctx context.Context, brand domain.BrandID, p Params) (out wire.Brand, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/brand/"+id(brand)+"/edit", p, &out)
	return out, meta, err
}

// DeleteBrand deletes a brand; force takes its definitions too.
func (c *Client) DeleteBrand(ctx context.Context, brand domain.BrandID, force bool) (Meta, error) {
	var out wire.Deleted
	return c.Post(ctx, "/v1.1/brand/"+id(brand)+"/delete", Params{"force": wire.Flag(force)}, &out)
}

// Activities is the list of activity definitions.
func (c *Client) Activities(ctx context.Context, p Params) (out wire.Definitions, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/activities", p, &out)
	return out, meta, err
}

// Activity is one activity definition.
func (c *Client) Activity(ctx context.Context, definition domain.DefinitionID) (out wire.Definition, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/activity/"+id(definition), nil, &out)
	return out, meta, err
}

// CreateActivity creates an activity definition: name, type, service and what else
// there is.
func (c *Client) CreateActivity(ctx context.Context, p Params) (out wire.Definition, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/activity/create", p, &out)
	return out, meta, err
}

// EditActivity changes what is given of an activity definition.
func (c *Client) EditActivity(ctx context.Context, definition domain.DefinitionID, p Params) (out wire.Definition, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/activity/"+id(definition)+"/edit", p, &out)
	return out, meta, err
}

// DeleteActivity deletes an activity definition; its actions stay.
func (c *Client) DeleteActivity(ctx context.Context, definition domain.DefinitionID) (Meta, error) {
	var out wire.Deleted
	return c.Post(ctx, "/v1.1/activity/"+id(definition)+"/delete", Params{}, &out)
}

// DeleteAction deletes an action of a member, by its ID in a feed.
func (c *Client) DeleteAction(ctx context.Context, member domain.MemberID, action domain.ActionID) (Meta, error) {
	var out wire.Deleted
	return c.Post(ctx, "/v1.1/member/"+id(member)+"/activity/"+id(action)+"/delete", Params{}, &out)
}

// Register registers a member by a service, or logs it in again.
func (c *Client) Register(ctx context.Context, p Params) (wire.Envelope, Meta, error) {
	return c.register(ctx, "/v1.1/member/register", p)
}

// Attach attaches a service to a member, or updates the one it has.
func (c *Client) Attach(ctx context.Context, member domain.MemberID, p Params) (wire.Envelope, Meta, error) {
	return c.register(ctx, "/v1.1/member/"+id(member)+"/register", p)
}

func (c *Client) register(ctx context.Context, path string, p Params) (wire.Envelope, Meta, error) {
	var out []wire.Envelope
	meta, err := c.Post(ctx, path, p, &out)
	if err != nil {
		return wire.Envelope{}, meta, err
	}
	if len(out) != 1 {
		return wire.Envelope{}, meta, errors.New("client: register did not answer one envelope")
	}
	return out[0], meta, nil
}

// Login logs a member in by a service.
func (c *Client) Login(ctx context.Context, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/member/login", p, &out)
	return out, meta, err
}

// UpdateMember changes a member: what is given overwrites.
func (c *Client) UpdateMember(ctx context.Context, member domain.MemberID, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/member/"+id(member)+"/update", p, &out)
	return out, meta, err
}

// VerifyMember marks an address of a member as verified.
func (c *Client) VerifyMember(ctx context.Context, member domain.MemberID, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/member/"+id(member)+"/verify", p, &out)
	return out, meta, err
}

// ResetMember gives a member another password and another access token.
func (c *Client) ResetMember(ctx context.Context, member domain.MemberID, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/member/"+id(member)+"/reset", p, &out)
	return out, meta, err
}

// RemoveService removes a service record of a member.
func (c *Client) RemoveService(
	ctx context.Context, member domain.MemberID, record uint64, p Params,
) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/member/"+id(member)+"/service/"+id(record)+"/delete", p, &out)
	return out, meta, err
}

// DeleteMember erases a member. With an Idempotency-Key (With) a repeat gives the same receipt.
func (c *Client) DeleteMember(ctx context.Context, member domain.MemberID) (out wire.Erased, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/member/"+id(member)+"/delete", Params{}, &out)
	return out, meta, err
}

// MergeMembers merges from, whose access token is given, into a member, which stays.
func (c *Client) MergeMembers(
	ctx context.Context, member, from domain.MemberID, accessToken string,
) (out wire.Envelope, meta Meta, err error) {
	p := Params{"from": id(from), "accesstoken": accessToken}
	meta, err = c.Post(ctx, "/v1.1/member/"+id(member)+"/merge", p, &out)
	return out, meta, err
}

// UnmergeMembers takes the merge of from into a member back: the answer is the envelopes of both.
func (c *Client) UnmergeMembers(
	ctx context.Context, member, from domain.MemberID,
) (out []wire.Envelope, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/member/"+id(member)+"/unmerge", Params{"from": id(from)}, &out)
	return out, meta, err
}

// RefreshTokens asks a member's network for a new token of a service record.
func (c *Client) RefreshTokens(ctx context.Context, member domain.MemberID, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/member/"+id(member)+"/tokens/refresh", p, &out)
	return out, meta, err
}

// Member is a member with its service records.
func (c *Client) Member(ctx context.Context, member domain.MemberID, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/member/"+id(member), p, &out)
	return out, meta, err
}

// FindMember is a member found by a name: email, verified_email, partnerID with
// partnerCode, or service with username.
func (c *Client) FindMember(ctx context.Context, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/member", p, &out)
	return out, meta, err
}

// OptIn opts a member in to what the path names: "brand/5", "segment/7", or with ""
// the global list. Params name the member.
func (c *Client) OptIn(ctx context.Context, path string, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Post(ctx, opted(path, "optin"), p, &out)
	return out, meta, err
}

// OptOut opts a member out of what the path names.
func (c *Client) OptOut(ctx context.Context, path string, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Post(ctx, opted(path, "optout"), p, &out)
	return out, meta, err
}

func opted(path, verb string) string {
	if path == "" {
		return "/v1.1/" + verb
	}
	return "/v1.1/" + path + "/" + verb
}

// Record records an action and waits until it is visible.
func (c *Client) Record(ctx context.Context, p Params) (out wire.FeedItem, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/activity/record", with(p, "async", "0"), &out)
	return out, meta, err
}

// RecordAsync records an action and waits until it is durable.
func (c *Client) RecordAsync(ctx context.Context, p Params) (out wire.Accepted, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/activity/record", with(p, "async", "1"), &out)
	return out, meta, err
}

func with(p Params, name, value string) Params {
	out := Params{name: value}
	maps.Copy(out, p)
	return out
}

// Feed is the feed of actions.
func (c *Client) Feed(ctx context.Context, p Params) (out wire.Feed, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/activity/feed", p, &out)
	return out, meta, err
}

// FeedRSS is the feed of actions as RSS 2.0.
func (c *Client) FeedRSS(ctx context.Context, p Params) (out []byte, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/activity/feed.rss", p, &out)
	return out, meta, err
}

// StatsActivity is the tally of a brand's activities.
func (c *Client) StatsActivity(ctx context.Context, brand domain.BrandID, p Params) (out wire.ActivityTally, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand)+"/stats/activity", p, &out)
	return out, meta, err
}

// StatsTimeline is a brand's activity by day and service.
func (c *Client) StatsTimeline(ctx context.Context, brand domain.BrandID, p Params) (out wire.Timeline, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand)+"/stats/timeline", p, &out)
	return out, meta, err
}

// StatsLocation is a brand's activity by country.
func (c *Client) StatsLocation(ctx context.Context, brand domain.BrandID, p Params) (out wire.Location, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand)+"/stats/location", p, &out)
	return out, meta, err
}

// StatsGender is a brand's activity by gender.
func (c *Client) StatsGender(ctx context.Context, brand domain.BrandID, p Params) (out wire.Genders, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand)+"/stats/gender", p, &out)
	return out, meta, err
}

// StatsAge is a brand's activity by age.
func (c *Client) StatsAge(ctx context.Context, brand domain.BrandID, p Params) (out wire.Ages, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand)+"/stats/age", p, &out)
	return out, meta, err
}

// StatsMembers is a brand's active members, new and returning.
func (c *Client) StatsMembers(ctx context.Context, brand domain.BrandID, p Params) (out wire.Newcomers, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand)+"/stats/members", p, &out)
	return out, meta, err
}

// StatsSegments is the members and actions of a brand's segments, of all time.
func (c *Client) StatsSegments(ctx context.Context, brand domain.BrandID, p Params) (out wire.SegmentStats, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand)+"/stats/segments", p, &out)
	return out, meta, err
}

// CountDaily is the account's activity by day, or a brand's.
func (c *Client) CountDaily(ctx context.Context, p Params) (out wire.Daily, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/activity/count/daily", p, &out)
	return out, meta, err
}

// CountServices is the account's activity by day and service, or a brand's.
func (c *Client) CountServices(ctx context.Context, p Params) (out wire.Timeline, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/activity/count/services", p, &out)
	return out, meta, err
}

// ActiveMembers is the list of members by activity.
func (c *Client) ActiveMembers(ctx context.Context, p Params) (out wire.ActiveMembers, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/members/active", p, &out)
	return out, meta, err
}

// Crossover is brands by the members of one, or by all members with brand 0.
func (c *Client) Crossover(ctx context.Context, brand domain.BrandID, p Params) (out wire.Crossover, meta Meta, err error) {
	path := "/v1.1/brands/crossover"
	if brand != 0 {
		path = "/v1.1/brands/" + id(brand) + "/crossover"
	}
	meta, err = c.Get(ctx, path, p, &out)
	return out, meta, err
}

// Members is the list of all members.
func (c *Client) Members(ctx context.Context, p Params) (out wire.Members, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/members", p, &out)
	return out, meta, err
}

// ExtendedMembers is the list of members with their Extended nodes.
func (c *Client) ExtendedMembers(ctx context.Context, p Params) (out wire.Members, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/members/extended", p, &out)
	return out, meta, err
}

// MembersActivity is members by the number of their actions.
func (c *Client) MembersActivity(ctx context.Context, p Params) (out wire.MemberTotals, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/members/stats/activity", p, &out)
	return out, meta, err
}

// CheckActivity asks whether a member performed an activity.
func (c *Client) CheckActivity(ctx context.Context, member domain.MemberID, definition domain.DefinitionID, p Params) (out wire.Check, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/member/"+id(member)+"/activity/"+id(definition), p, &out)
	return out, meta, err
}

// Usage is the hits of one application or of all: interval, start_date, and end_date or period.
func (c *Client) Usage(ctx context.Context, p Params) (wire.Usage, Meta, error) {
	var out []wire.Usage
	meta, err := c.Get(ctx, "/v1.1/account/usage", p, &out)
	if err != nil || meta.Status == http.StatusNotModified {
		return wire.Usage{}, meta, err
	}
	if len(out) != 1 {
		return wire.Usage{}, meta, errors.New("client: account/usage did not answer one object")
	}
	return out[0], meta, nil
}
