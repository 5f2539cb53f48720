package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/ovation-analytics/ovation/api/admin"
)

// AppPlan gives an application another plan.
type AppPlan struct {
	Admin       adminClient `embed:""`
	Application uint32      `arg:"" help:"The application's id, as app list shows it."`
	Plan        string      `arg:"" enum:"standard,advanced,enterprise" help:"standard, advanced or enterprise."`
}

// Run asks for it.
func (c *AppPlan) Run(ctx context.Context, w io.Writer) error {
	path := "/applications/" + strconv.FormatUint(uint64(c.Application), 10) + "/plan"
	in := map[string]string{"plan": c.Plan}
	return ask(ctx, w, &c.Admin, http.MethodPost, path, in, func(w io.Writer, a admin.OwnedApplication) {
		fmt.Fprintf(w, "account\t%d\napplication\t%d\nplan\t%s\n", a.Account.ID, a.Application.ID, a.Application.Plan)
	})
}
