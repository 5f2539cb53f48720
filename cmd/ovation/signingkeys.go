package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/api/admin"
)

// SigningKeys lists keys.
type SigningKeys struct {
	Admin adminClient `embed:""`
}

// Run asks for them.
func (c *SigningKeys) Run(ctx context.Context, w io.Writer) error {
	type list = admin.List[admin.SigningKey]
	return ask(ctx, w, &c.Admin, http.MethodGet, "/signing-keys", nil, func(w io.Writer, l list) {
		fmt.Fprintln(w, "KID\tSTATE\tSIGNS FROM\tENDED\tPRIVATE HALF HERE")
		for _, k := range l.Items {
			held := map[bool]string{true: "yes", false: "no"}[k.Held]
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", k.KID, k.State, day(k.From), day(k.Ended), held)
		}
	})
}
