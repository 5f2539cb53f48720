package client

import (
	"context"

	"github.com/ovation-analytics/ovation/api/wire"
)

// As is a client whose requests are about one member, by its token (jwt of an envelope). It is
// for operations that take one: Member, FindMember, Auth, opt-ins, Attach.
func (c *Client) As(jwt string) *Client { return c.With("Authorization", "Bearer "+jwt) }

// Auth is the member of an access token, or of the token that the client is made with by As.
func (c *Client) Auth(ctx context.Context, p Params) (out wire.Authenticated, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/auth", p, &out)
	return out, meta, err
}

// AuthOf is Auth by a GET, with the access token in the address.
func (c *Client) AuthOf(ctx context.Context, p Params) (out wire.Authenticated, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/auth", p, &out)
	return out, meta, err
}

// Application is the application of the key.
func (c *Client) Application(ctx context.Context) (out wire.Application, meta Meta, err error) {
	meta, err = c.Get(ctx, "/v1.1/app/info", nil, &out)
	return out, meta, err
}

// Allow lets pages of a domain read answers.
func (c *Client) Allow(ctx context.Context, domain string) (out wire.Allowlist, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/app/allowlist", Params{"domain": domain}, &out)
	return out, meta, err
}

// Unallow ends that.
func (c *Client) Unallow(ctx context.Context, domain string) (out wire.Allowlist, meta Meta, err error) {
	meta, err = c.Post(ctx, "/v1.1/app/unallowlist", Params{"domain": domain}, &out)
	return out, meta, err
}
