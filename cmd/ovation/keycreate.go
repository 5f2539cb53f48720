package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
)

// KeyCreate makes a key.
type KeyCreate struct {
	Admin       adminClient          `embed:""`
	Application domain.ApplicationID `env:"-" placeholder:"ID" help:"The application; may be left out where there is only one."`
	Global      bool                 `xor:"scope" env:"-" help:"A key that reads all of the account (plan enterprise)."`
	Public      bool                 `xor:"scope" env:"-" help:"A key for pages in browsers."`
}

// Run asks for it.
func (c *KeyCreate) Run(ctx context.Context, w io.Writer) error {
	scope := domain.ScopeApplication
	switch {
	case c.Global:
		scope = domain.ScopeGlobal
	case c.Public:
		scope = domain.ScopePublic
	}
	in := admin.CreateKey{Application: c.Application, Scope: scope.String()}
	return ask(ctx, w, &c.Admin, http.MethodPost, "/keys", in, func(w io.Writer, k admin.CreatedKey) {
		fmt.Fprintf(w, "id\t%d\napplication\t%d\nscope\t%s\nkey\t%s\n", k.ID, k.Application.ID, k.Scope, k.Key)
	})
}
