package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
)

// AppEdit changes addresses of an application.
type AppEdit struct {
	Admin       adminClient          `embed:""`
	Application domain.ApplicationID `arg:"" help:"The application's id, as app list shows it."`
	LogoutURL   *string              `name:"logout-url" env:"-" placeholder:"URL" help:"The page that logs members out. An empty address clears, here and below."`
	WidgetURL   *string              `name:"widget-url" env:"-" placeholder:"URL" help:"The page of the widget."`
	LoginURL    map[string]string    `name:"login-url" env:"-" mapsep:"none" placeholder:"SERVICE=URL" help:"The page on which members log in by a service. May be repeated."`
	RegisterURL map[string]string    `name:"register-url" env:"-" mapsep:"none" placeholder:"SERVICE=URL" help:"The page on which members register by a service. May be repeated."`
}

// Run asks for it.
func (c *AppEdit) Run(ctx context.Context, w io.Writer) error {
	given := domain.Addresses{}
	for name, value := range map[string]*string{domain.AddressLogout: c.LogoutURL, domain.AddressWidget: c.WidgetURL} {
		if value != nil {
			given[name] = *value
		}
	}
	for kind, urls := range map[string]map[string]string{"login:": c.LoginURL, "register:": c.RegisterURL} {
		for service, url := range urls {
			given[kind+service] = url
		}
	}
	path := "/applications/" + strconv.FormatUint(uint64(c.Application), 10)
	return ask(ctx, w, &c.Admin, http.MethodPost, path, given, func(w io.Writer, a admin.Application) {
		fmt.Fprintf(w, "application %d has these addresses now\n", a.ID)
	})
}
