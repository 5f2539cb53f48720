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
type AppLimits struct {
	Admin adminClient `embed:""`
}

// Run asks for them.
func (c *AppLimits) Run(ctx context.Context, w io.Writer) error {
	type list = admin.List[admin.Limits]
	return ask(ctx, w, &c.Admin, http.MethodGet, "/accounts", nil, func(w io.Writer, l list) {
		fmt.Fprintln(w, "ACCOUNT\tNAME\tPLAN\tRATE\tBURST\tMODE\tMONTH")
		for _, i := range l.Items {
			fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%d\t%s\t%s\n", i.Account.ID, i.Account.Name, i.Plan,
				i.Rate, i.Burst, i.Mode, bound(i.Month))
		}
	})
}

// bound is a number of requests; 0: there is no bound.
func bound(n uint64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatUint(n, 10)
}
