package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"net/http"

	"github.com/ovation-analytics/ovation/api/wire"
)

// RecordMany records actions, each with the parameters of Record, as packed lines.
// p are parameters of the request, such as async.
func (c *Client) RecordMany(ctx context.Context, records []Params, p Params) (out wire.RecordedMany, meta Meta, err error) {
	meta, err = c.many(ctx, "/v1.1/activities/record", records, p, &out)
	return out, meta, err
}

// RegisterMany registers members, each with the parameters of Register or password_hash, as
// packed lines.
func (c *Client) RegisterMany(ctx context.Context, records []Params, p Params) (out wire.RegisteredMany, meta Meta, err error) {
	meta, err = c.many(ctx, "/v1.1/members/register", records, p, &out)
	return out, meta, err
}

func (c *Client) many(ctx context.Context, path string, records []Params, p Params, out any) (Meta, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	lines := json.NewEncoder(z)
	for _, r := range records {
		if err := lines.Encode(r); err != nil {
			return Meta{}, err
		}
	}
	if err := z.Close(); err != nil {
		return Meta{}, err
	}
	body := &payload{kind: "application/x-ndjson", packed: "gzip", bytes: b.Bytes()}
	return c.do(ctx, http.MethodPost, path, p, body, out)
}
