package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
)

// Console is about who signs in.
type Console struct {
	Link     ConsoleLink     `cmd:"" help:"Make a link that signs one person in, once, within 10 minutes; an invitation within 7 days. It is shown this once." example:"ovation console link --role operator; ovation console link --account 1 --role analyst --name Ada --invite"`
	Sessions ConsoleSessions `cmd:"" help:"List who is signed in, or end sessions." example:"ovation console sessions; ovation console sessions --end 0123456789abcdef0123456789abcdef; ovation console sessions --all"`
	Deeds    ConsoleDeeds    `cmd:"" help:"List which changes people asked for by the console, the newest 1,000: who, when, and what of which id." example:"ovation console deeds; ovation console deeds --account 1 --output json"`
}

// ConsoleLink makes a link.
type ConsoleLink struct {
	Admin       adminClient          `embed:""`
	Role        string               `enum:"analyst,editor,developer,operator" default:"analyst" env:"-" group:"Link" help:"What the person may do: analyst, editor, developer or operator."`
	Account     domain.AccountID     `env:"-" group:"Link" placeholder:"ID" help:"The account; may be left out where there is only one, and of an operator."`
	Application domain.ApplicationID `env:"-" group:"Link" placeholder:"ID" help:"The application whose plan the session has; without it that of the account with the highest plan."`
	Name        string               `env:"-" group:"Link" help:"Of the person, for the list of sessions."`
	Invite      bool                 `env:"-" group:"Link" help:"The link is good for 7 days instead of 10 minutes."`
}

// Run asks for it.
func (c *ConsoleLink) Run(ctx context.Context, w io.Writer) error {
	in := admin.CreateLink{Role: c.Role, Account: c.Account, Application: c.Application, Name: c.Name, Invite: c.Invite}
	return ask(ctx, w, &c.Admin, http.MethodPost, "/console/links", in, func(w io.Writer, l admin.CreatedLink) {
		fmt.Fprintf(w, "role\t%s\naccount\t%d\ngood until\t%s\nlink\t%s\n", l.Role, l.Account, day(l.Expires), l.Link)
	})
}

// ConsoleSessions lists sessions, or ends them.
type ConsoleSessions struct {
	Admin adminClient `embed:""`
	End   string      `xor:"which" env:"-" placeholder:"ID" help:"End the session of this id."`
	All   bool        `xor:"which" env:"-" help:"End all sessions."`
}

// Run asks for it.
func (c *ConsoleSessions) Run(ctx context.Context, w io.Writer) error {
	if c.End != "" || c.All {
		in := admin.EndSessions{All: c.All}
		if !c.All {
			var err error
			if in.ID, err = domain.ParseSessionID(c.End); err != nil {
				return err
			}
			if in.ID.IsZero() {
				return errors.New("no session has this id")
			}
		}
		return ask(ctx, w, &c.Admin, http.MethodPost, "/console/sessions/end", in, func(w io.Writer, e admin.EndedSessions) {
			fmt.Fprintf(w, "sessions ended\t%d\n", e.Ended)
		})
	}
	return ask(ctx, w, &c.Admin, http.MethodGet, "/console/sessions", nil, func(w io.Writer, l admin.List[admin.ListedSession]) {
		fmt.Fprintln(w, "ID\tROLE\tNAME\tACCOUNT\tKEY\tBEGUN\tRENEWED\tOVER")
		for _, s := range l.Items {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d %s\t%d\t%s\t%s\t%t\n", s.ID, s.Role, dash(s.Name), s.Account.ID, s.Account.Name, s.Key,
				day(s.Begun), day(s.Renewed), s.Over)
		}
	})
}

// ConsoleDeeds lists what was changed by the console.
type ConsoleDeeds struct {
	Admin   adminClient       `embed:""`
	Account *domain.AccountID `env:"-" placeholder:"ID" help:"Of the people of this account; 0: of operators without one."`
}

// Run asks for it.
func (c *ConsoleDeeds) Run(ctx context.Context, w io.Writer) error {
	path := "/console/deeds"
	if c.Account != nil {
		path += fmt.Sprint("?account=", *c.Account)
	}
	return ask(ctx, w, &c.Admin, http.MethodGet, path, nil, func(w io.Writer, l admin.List[admin.ListedDeed]) {
		fmt.Fprintln(w, "AT\tROLE\tNAME\tACCOUNT\tSESSION\tDID")
		for _, d := range l.Items {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d %s\t%s\t%s\n", time.UnixMilli(d.At).UTC().Format(time.DateTime), d.Role, dash(d.Name), d.Account.ID, d.Account.Name, d.Session, d.Did)
		}
	})
}
