package applications

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Show answers the application of the key.
func Show(_ context.Context, req *serve.Request, _ *struct{}) (*wire.Application, error) {
	app := req.Caller.App
	account, ok := req.Catalog.Account(app.Account)
	if !ok {
		return nil, serve.ErrShape("application")
	}
	address := func(name string) *string { return wire.Null(app.Addresses[name]) }
	out := &wire.Application{
		ID: wire.Number(app.ID), Name: app.Name, Plan: app.Plan.String(), Domains: domains(app),
		Account:   wire.ApplicationAccount{ID: wire.Number(account.ID), Name: account.Name},
		LogoutURL: address(domain.AddressLogout), Widget: wire.Widget{URL: address(domain.AddressWidget)},
	}
	for s := range domain.Service(domain.Services) {
		if s.Registers() {
			out.Urls = append(out.Urls, wire.ServiceURLs{
				Name: s.String(), LoginURL: address(domain.LoginAddress(s)), RegisterURL: address(domain.RegisterAddress(s)),
			})
		}
	}
	return out, nil
}

// domainIn are the parameters of a change of the allowlist.
type domainIn struct {
	Domain bind.Domain `name:"domain" required:"" doc:"a domain; an address is cut to its host, without www. and port" eg:"www.example.com"`
}

// Allow puts a domain on the allowlist.
func Allow(ctx context.Context, req *serve.Request, in *domainIn) (*wire.Allowlist, error) {
	return change(ctx, req, &domain.AllowDomain{
		Application: req.Caller.App.ID, Domain: string(in.Domain), At: req.Clock.Now.UnixMilli(),
	})
}

// Unallow takes a domain from the allowlist.
func Unallow(ctx context.Context, req *serve.Request, in *domainIn) (*wire.Allowlist, error) {
	return change(ctx, req, &domain.UnallowDomain{
		Application: req.Caller.App.ID, Domain: string(in.Domain), At: req.Clock.Now.UnixMilli(),
	})
}

// change submits a command and answers the allowlist after it.
func change(ctx context.Context, req *serve.Request, command domain.Command) (*wire.Allowlist, error) {
	if _, err := req.Command(ctx, command); err != nil {
		return nil, err
	}
	app, ok := req.Catalog.Application(req.Caller.App.ID)
	if !ok {
		return nil, serve.ErrShape("allowlist")
	}
	return &wire.Allowlist{Domains: domains(app)}, nil
}

// domains are the domains of the allowlist, ascending.
func domains(app *domain.Application) []string { return append([]string{}, app.Domains...) }
