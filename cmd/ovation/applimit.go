package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/ovation-analytics/ovation/api/admin"
)

// AppLimit sets the limits of an account.
type AppLimit struct {
	Admin   adminClient `embed:""`
	Account uint32      `arg:"" help:"The account's id, as app limits shows it."`
	Rate    uint32      `env:"-" placeholder:"N" help:"Requests a second."`
	Burst   uint32      `env:"-" placeholder:"N" help:"Requests at once; twice the rate where only that is given."`
	Mode    string      `enum:"plan,hard,soft" default:"plan" env:"-" help:"Over the rate requests are refused (hard) or served with a warning (soft)."`
	Month   uint64      `env:"-" placeholder:"N" help:"Requests a calendar month; without it there is no bound."`
}

// Run asks for it.
func (c *AppLimit) Run(ctx context.Context, w io.Writer) error {
	in := admin.Limits{Rate: c.Rate, Burst: c.Burst, Mode: c.Mode, Month: c.Month}
	path := "/accounts/" + strconv.FormatUint(uint64(c.Account), 10) + "/limits"
	return ask(ctx, w, &c.Admin, http.MethodPost, path, in, func(w io.Writer, a admin.Limits) {
		fmt.Fprintf(w, "account\t%d\nplan\t%s\nrate\t%d\nburst\t%d\nmode\t%s\nmonth\t%s\n",
			a.Account.ID, a.Plan, a.Rate, a.Burst, a.Mode, bound(a.Month))
	})
}
