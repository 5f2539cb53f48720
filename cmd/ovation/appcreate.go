package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/api/admin"
)

// AppCreate makes an application.
type AppCreate struct {
	Admin   adminClient `embed:""`
	Account string      `required:"" env:"-" placeholder:"NAME" help:"The account's name."`
	Name    string      `required:"" env:"-" placeholder:"NAME" help:"The application's name."`
	Plan    string      `enum:"standard,advanced,enterprise" default:"standard" env:"-" help:"standard, advanced or enterprise."`
}

// Run asks for it.
func (c *AppCreate) Run(ctx context.Context, w io.Writer) error {
	in := admin.CreateApplication{Account: c.Account, Name: c.Name, Plan: c.Plan}
	return ask(ctx, w, &c.Admin, http.MethodPost, "/applications", in, func(w io.Writer, a admin.OwnedApplication) {
		fmt.Fprintf(w, "account\t%d\napplication\t%d\nkey\t%s\n", a.Account.ID, a.Application.ID, a.Key)
	})
}
