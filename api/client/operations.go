package client

import (
	"context"
	"errors"
	"maps"

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

// Register registers a member by a service, or meets it again.
func (c *Client) Register(ctx context.Context, p Params) (wire.Envelope, Meta, error) {
	var out []wire.Envelope
	meta, err := c.Post(ctx, "/v1.1/member/register", p, &out)
	if err != nil {
		return wire.Envelope{}, meta, err
	}
	if len(out) != 1 {
		return wire.Envelope{}, meta, errors.New("client: register did not answer one envelope")
	}
	return out[0], meta, nil
}

// Member is a member with its service records.
func (c *Client) Member(ctx context.Context, member domain.MemberID, p Params) (out wire.Envelope, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/member/"+id(member), p, &out)
	return out, meta, err
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
