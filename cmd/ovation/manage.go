package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
)

// App is about accounts and applications.
type App struct {
	Create AppCreate `cmd:"" help:"Make an application with a first key, and its account where there is none of that name. The key is shown this once."`
	List   AppList   `cmd:"" help:"List accounts and applications."`
	Edit   AppEdit   `cmd:"" help:"Set addresses of an application's pages, which app/info shows."`
	Plan   AppPlan   `cmd:"" help:"Give an application another plan."`
	Limit  AppLimit  `cmd:"" help:"Set the limits of an account, over all of its keys. What is left out is its plan's."`
	Limits AppLimits `cmd:"" help:"List accounts with their limits."`
}

// Key is about access keys.
type Key struct {
	Create KeyCreate `cmd:"" help:"Make a key of an application. It is shown this once."`
	Revoke KeyRevoke `cmd:"" help:"End a key."`
	List   KeyList   `cmd:"" help:"List keys by their beginnings."`
}

// adminClient is what every command has that asks the admin port.
type adminClient struct {
	config.AdminPort
	Output string `enum:"text,json" default:"text" help:"text, or json for one JSON object."`
}

// AppCreate makes an application.
type AppCreate struct {
	adminClient
	Account string `required:"" env:"-" placeholder:"NAME" help:"The account's name."`
	Name    string `required:"" env:"-" placeholder:"NAME" help:"The application's name."`
	Plan    string `enum:"standard,advanced,enterprise" default:"standard" env:"-" help:"standard, advanced or enterprise."`
}

// Run asks for it.
func (c *AppCreate) Run(ctx context.Context, w io.Writer) error {
	in := admin.CreateApplication{Account: c.Account, Name: c.Name, Plan: c.Plan}
	return ask(ctx, w, &c.adminClient, http.MethodPost, "/applications", in, func(w io.Writer, a admin.OwnedApplication) {
		fmt.Fprintf(w, "account\t%d\napplication\t%d\nkey\t%s\n", a.Account.ID, a.Application.ID, a.Key)
	})
}

// AppList lists applications.
type AppList struct{ adminClient }

// Run asks for them.
func (c *AppList) Run(ctx context.Context, w io.Writer) error {
	type list = admin.List[admin.OwnedApplication]
	return ask(ctx, w, &c.adminClient, http.MethodGet, "/applications", nil, func(w io.Writer, l list) {
		fmt.Fprintln(w, "ACCOUNT\tNAME\tAPPLICATION\tNAME\tPLAN")
		for _, i := range l.Items {
			fmt.Fprintf(w, "%d\t%s\t%d\t%s\t%s\n",
				i.Account.ID, i.Account.Name, i.Application.ID, i.Application.Name, i.Application.Plan)
		}
	})
}

// KeyCreate makes a key.
type KeyCreate struct {
	adminClient
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
	return ask(ctx, w, &c.adminClient, http.MethodPost, "/keys", in, func(w io.Writer, k admin.CreatedKey) {
		fmt.Fprintf(w, "id\t%d\napplication\t%d\nscope\t%s\nkey\t%s\n", k.ID, k.Application.ID, k.Scope, k.Key)
	})
}

// KeyRevoke ends a key.
type KeyRevoke struct {
	adminClient
	ID uint32 `arg:"" help:"The key's id, as key list shows it."`
}

// Run asks for it.
func (c *KeyRevoke) Run(ctx context.Context, w io.Writer) error {
	path := "/keys/" + strconv.FormatUint(uint64(c.ID), 10) + "/revoke"
	return ask(ctx, w, &c.adminClient, http.MethodPost, path, nil, func(w io.Writer, k admin.RevokedKey) {
		fmt.Fprintf(w, "key %d is revoked\n", k.ID)
	})
}

// KeyList lists keys.
type KeyList struct{ adminClient }

// Run asks for them.
func (c *KeyList) Run(ctx context.Context, w io.Writer) error {
	return ask(ctx, w, &c.adminClient, http.MethodGet, "/keys", nil, func(w io.Writer, l admin.List[admin.ListedKey]) {
		fmt.Fprintln(w, "ID\tBEGINS\tACCOUNT\tAPPLICATION\tSCOPE\tCREATED\tREVOKED")
		for _, k := range l.Items {
			fmt.Fprintf(w, "%d\t%s\t%d %s\t%d %s\t%s\t%s\t%s\n", k.ID, k.Hint, k.Account.ID, k.Account.Name,
				k.Application.ID, k.Application.Name, k.Scope, day(k.Created), day(k.Revoked))
		}
	})
}

func day(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).UTC().Format(time.DateTime)
}

// AcceptGap lets a stopped partition be read on.
type AcceptGap struct {
	adminClient
	Topic     string `arg:"" help:"The topic, with its prefix, as status shows it."`
	Partition int    `arg:"" help:"The partition."`
}

// Run asks for it.
func (c *AcceptGap) Run(ctx context.Context, w io.Writer) error {
	in := admin.AcceptGap{Topic: c.Topic, Partition: &c.Partition}
	return ask(ctx, w, &c.adminClient, http.MethodPost, "/gaps/accept", in, func(w io.Writer, g admin.AcceptedGap) {
		fmt.Fprintf(w, "%s/%d goes on at %d (it was left at %d)\n", g.Topic, g.Partition, g.To, g.From)
	})
}

// Status shows what the node is doing.
type Status struct{ adminClient }

// Run asks for it.
func (c *Status) Run(ctx context.Context, w io.Writer) error {
	return ask(ctx, w, &c.adminClient, http.MethodGet, "/status", nil, func(w io.Writer, s json.RawMessage) {
		text, err := yaml.JSONToYAML(s)
		if err != nil {
			text = s
		}
		w.Write(text)
	})
}

// ask makes one request of the admin port and prints the answer: as it came, or by
// text, in which tabs are columns.
func ask[T any](
	ctx context.Context, w io.Writer, c *adminClient, method, path string, in any, text func(io.Writer, T),
) error {
	body, err := c.call(ctx, method, path, in)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		_, err := w.Write(append(bytes.TrimSpace(body), '\n'))
		return err
	}
	var answer T
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("the answer of %s is not understood: %w", c.Admin, err)
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	text(columns, answer)
	return columns.Flush()
}

// call makes one request of the admin port.
func (c *adminClient) call(ctx context.Context, method, path string, in any) ([]byte, error) {
	token, err := c.Token()
	if err != nil {
		return nil, fmt.Errorf("--admin-token: %w", err)
	}
	client := admin.Client{Address: c.Admin, Token: token}
	return client.Call(ctx, method, path, in)
}
