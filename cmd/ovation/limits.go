package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/ovation-analytics/ovation/api/admin"
)

// AppLimits lists the limits of accounts.
type AppLimits struct{ adminClient }

// Run asks for them.
func (c *AppLimits) Run(ctx context.Context, w io.Writer) error {
	type list = admin.List[admin.Limits]
	return ask(ctx, w, &c.adminClient, http.MethodGet, "/accounts", nil, func(w io.Writer, l list) {
		fmt.Fprintln(w, "ACCOUNT\tNAME\tPLAN\tRATE\tBURST\tMODE\tMONTH")
		for _, i := range l.Items {
			fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%d\t%s\t%s\n", i.Account.ID, i.Account.Name, i.Plan,
				i.Rate, i.Burst, i.Mode, bound(i.Month))
		}
	})
}

// AppLimit sets the limits of an account.
type AppLimit struct {
	adminClient
	Account uint32 `arg:"" help:"The account's id, as app limits shows it."`
	Rate    uint32 `env:"-" placeholder:"N" help:"Requests a second."`
	Burst   uint32 `env:"-" placeholder:"N" help:"Requests at once; twice the rate where only that is given."`
	Mode    string `enum:"plan,hard,soft" default:"plan" env:"-" help:"Over the rate requests are refused (hard) or served with a warning (soft)."`
	Month   uint64 `env:"-" placeholder:"N" help:"Requests a calendar month; without it there is no bound."`
}

// Run asks for it.
func (c *AppLimit) Run(ctx context.Context, w io.Writer) error {
	in := admin.Limits{Rate: c.Rate, Burst: c.Burst, Mode: c.Mode, Month: c.Month}
	path := "/accounts/" + strconv.FormatUint(uint64(c.Account), 10) + "/limits"
	return ask(ctx, w, &c.adminClient, http.MethodPost, path, in, func(w io.Writer, a admin.Limits) {
		fmt.Fprintf(w, "account\t%d\nplan\t%s\nrate\t%d\nburst\t%d\nmode\t%s\nmonth\t%s\n",
			a.Account.ID, a.Plan, a.Rate, a.Burst, a.Mode, bound(a.Month))
	})
}

// bound is a number of requests; 0: there is no bound.
func bound(n uint64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatUint(n, 10)
}

// AppPlan gives an application another plan.
type AppPlan struct {
	adminClient
	Application uint32 `arg:"" help:"The application's id, as app list shows it."`
	Plan        string `arg:"" enum:"standard,advanced,enterprise" help:"standard, advanced or enterprise."`
}

// Run asks for it.
func (c *AppPlan) Run(ctx context.Context, w io.Writer) error {
	path := "/applications/" + strconv.FormatUint(uint64(c.Application), 10) + "/plan"
	in := map[string]string{"plan": c.Plan}
	return ask(ctx, w, &c.adminClient, http.MethodPost, path, in, func(w io.Writer, a admin.OwnedApplication) {
		fmt.Fprintf(w, "account\t%d\napplication\t%d\nplan\t%s\n", a.Account.ID, a.Application.ID, a.Application.Plan)
	})
}
