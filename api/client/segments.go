package client

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Segments is the list of segments.
func (c *Client) Segments(ctx context.Context, p Params) (out wire.Segments, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/segments", p, &out)
	return out, meta, err
}

// Segment is one segment.
func (c *Client) Segment(ctx context.Context, segment domain.SegmentID) (out wire.Segment, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/segment/"+id(segment), nil, &out)
	return out, meta, err
}

// CreateSegment creates a segment: its name, and what else there is.
func (c *Client) CreateSegment(ctx context.Context, p Params) (out wire.Segment, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/segment/create", p, &out)
	return out, meta, err
}

// EditSegment changes what is given of a segment.
func (c *Client) EditSegment(ctx context.Context, segment domain.SegmentID, p Params) (out wire.Segment, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/segment/"+id(segment)+"/edit", p, &out)
	return out, meta, err
}

// DeleteSegment deletes a segment; opt-ins to it end.
func (c *Client) DeleteSegment(ctx context.Context, segment domain.SegmentID) (Meta, error) {
	return c.Post(ctx, "/v1.1/segment/"+id(segment)+"/delete", nil, &wire.Deleted{})
}

// BrandSegments is the list of a brand's segments.
func (c *Client) BrandSegments(ctx context.Context, brand domain.BrandID, p Params) (out wire.Segments, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand)+"/segments", p, &out)
	return out, meta, err
}

// BrandActivities is the list of the activity definitions usable for a brand.
func (c *Client) BrandActivities(ctx context.Context, brand domain.BrandID, p Params) (out wire.Definitions, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/brand/"+id(brand)+"/activities", p, &out)
	return out, meta, err
}
