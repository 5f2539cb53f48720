package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/ovation-analytics/ovation/api/admin"
)

// KeyRevoke ends a key.
type KeyRevoke struct {
	Admin adminClient `embed:""`
	ID    uint32      `arg:"" help:"The key's id, as key list shows it."`
}

// Run asks for it.
func (c *KeyRevoke) Run(ctx context.Context, w io.Writer) error {
	path := "/keys/" + strconv.FormatUint(uint64(c.ID), 10) + "/revoke"
	return ask(ctx, w, &c.Admin, http.MethodPost, path, nil, func(w io.Writer, k admin.RevokedKey) {
		fmt.Fprintf(w, "key %d is revoked\n", k.ID)
	})
}
