package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/api/admin"
)

// KeyList lists keys.
type KeyList struct {
	Admin adminClient `embed:""`
}

// Run asks for them.
func (c *KeyList) Run(ctx context.Context, w io.Writer) error {
	return ask(ctx, w, &c.Admin, http.MethodGet, "/keys", nil, func(w io.Writer, l admin.List[admin.ListedKey]) {
		fmt.Fprintln(w, "ID\tBEGINS\tACCOUNT\tAPPLICATION\tSCOPE\tCREATED\tREVOKED")
		for _, k := range l.Items {
			fmt.Fprintf(w, "%d\t%s\t%d %s\t%d %s\t%s\t%s\t%s\n", k.ID, k.Hint, k.Account.ID, k.Account.Name,
				k.Application.ID, k.Application.Name, k.Scope, day(k.Created), day(k.Revoked))
		}
	})
}
