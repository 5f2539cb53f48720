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
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	lines := json.NewEncoder(z)
	for _, r := range records {
		if err := lines.Encode(r); err != nil {
			return out, Meta{}, err
		}
	}
	if err := z.Close(); err != nil {
		return out, Meta{}, err
	}
	body := &payload{kind: "application/x-ndjson", packed: "gzip", bytes: b.Bytes()}
	meta, err = c.do(ctx, http.MethodPost, "/v1.1/activities/record", p, body, &out)
	return out, meta, err
}
