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

// SigningKeyRotate makes a key.
type SigningKeyRotate struct {
	adminClient
	Now bool `env:"-" help:"The key signs at once."`
	End bool `env:"-" help:"All other keys end at once, and with them every token that they signed; the new one signs at once."`
}

// Run asks for it.
func (c *SigningKeyRotate) Run(ctx context.Context, w io.Writer) error {
	path := "/signing-keys/rotate"
	switch {
	case c.End:
		path += "?end"
	case c.Now:
		path += "?now"
	}
	return ask(ctx, w, &c.adminClient, http.MethodPost, path, nil, func(w io.Writer, k admin.SigningKey) {
		fmt.Fprintf(w, "kid\t%s\nsigns from\t%s\n", k.KID, day(k.From))
	})
}

// SigningKeyList lists keys.
type SigningKeyList struct{ adminClient }

// Run asks for them.
func (c *SigningKeyList) Run(ctx context.Context, w io.Writer) error {
	type list = admin.List[admin.SigningKey]
	return ask(ctx, w, &c.adminClient, http.MethodGet, "/signing-keys", nil, func(w io.Writer, l list) {
		fmt.Fprintln(w, "KID\tSTATE\tSIGNS FROM\tENDED\tPRIVATE HALF HERE")
		for _, k := range l.Items {
			held := map[bool]string{true: "yes", false: "no"}[k.Held]
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", k.KID, k.State, day(k.From), day(k.Ended), held)
		}
	})
}

// AppEdit changes addresses of an application.
type AppEdit struct {
	adminClient
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
	return ask(ctx, w, &c.adminClient, http.MethodPost, path, given, func(w io.Writer, a admin.Application) {
		fmt.Fprintf(w, "application %d has these addresses now\n", a.ID)
	})
}
