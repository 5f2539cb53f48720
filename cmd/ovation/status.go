package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/goccy/go-yaml"
)

// Status shows what the node is doing.
type Status struct {
	Ready bool `help:"Ask only whether the node is ready, for probes: exit code 0, or 1 and on standard error why it is not."`

	Admin adminClient `embed:""`
}

// Run asks for it.
func (c *Status) Run(ctx context.Context, w io.Writer) error {
	if c.Ready {
		return c.ready(ctx, w)
	}
	return ask(ctx, w, &c.Admin, http.MethodGet, "/status", nil, func(w io.Writer, s json.RawMessage) {
		text, err := yaml.JSONToYAML(s)
		if err != nil {
			text = s
		}
		w.Write(text)
	})
}

// ready prints how a ready node is: ok, or degraded and why.
func (c *Status) ready(ctx context.Context, w io.Writer) error {
	text, err := c.Admin.call(ctx, http.MethodGet, "/readyz", nil)
	if err != nil {
		return err
	}
	if c.Admin.Output != "json" {
		_, err = w.Write(text)
		return err
	}
	_, degraded, _ := strings.Cut(strings.TrimSpace(string(text)), "degraded: ")
	return json.NewEncoder(w).Encode(struct {
		Ready    bool   `json:"ready"`
		Degraded string `json:"degraded,omitempty"`
	}{true, degraded})
}
