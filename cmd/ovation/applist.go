package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/api/admin"
)

// AppList lists applications.
type AppList struct {
	Admin adminClient `embed:""`
}

// Run asks for them.
func (c *AppList) Run(ctx context.Context, w io.Writer) error {
	type list = admin.List[admin.OwnedApplication]
	return ask(ctx, w, &c.Admin, http.MethodGet, "/applications", nil, func(w io.Writer, l list) {
		fmt.Fprintln(w, "ACCOUNT\tNAME\tAPPLICATION\tNAME\tPLAN")
		for _, i := range l.Items {
			fmt.Fprintf(w, "%d\t%s\t%d\t%s\t%s\n",
				i.Account.ID, i.Account.Name, i.Application.ID, i.Application.Name, i.Application.Plan)
		}
	})
}
