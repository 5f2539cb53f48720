package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/api/admin"
)

// LogLevel shows or changes the level of a running node's log.
type LogLevel struct {
	Admin adminClient `embed:""`
	Level string      `arg:"" optional:"" help:"debug, info, warn or error, until the node ends; none: show it."`
}

// Run asks for it.
func (c *LogLevel) Run(ctx context.Context, w io.Writer) error {
	show := func(w io.Writer, l admin.LogLevel) { fmt.Fprintln(w, l.Level) }
	if c.Level == "" {
		return ask(ctx, w, &c.Admin, http.MethodGet, "/log-level", nil, show)
	}
	return ask(ctx, w, &c.Admin, http.MethodPost, "/log-level", admin.LogLevel{Level: c.Level}, show)
}
