package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/api/admin"
)

// RotateSigning makes a key.
type RotateSigning struct {
	Admin adminClient `embed:""`
	Now   bool        `env:"-" help:"The key signs at once."`
	End   bool        `env:"-" help:"All other keys end at once, and with them every token that they signed; the new one signs at once."`
}

// Run asks for it.
func (c *RotateSigning) Run(ctx context.Context, w io.Writer) error {
	path := "/signing-keys/rotate"
	switch {
	case c.End:
		path += "?end"
	case c.Now:
		path += "?now"
	}
	return ask(ctx, w, &c.Admin, http.MethodPost, path, nil, func(w io.Writer, k admin.SigningKey) {
		fmt.Fprintf(w, "kid\t%s\nsigns from\t%s\n", k.KID, day(k.From))
	})
}
