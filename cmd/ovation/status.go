package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
)

// Status shows what the node is doing.
type Status struct {
	Ready bool `help:"Ask only whether the node is ready, for probes: exit code 0, or 1 and on standard error why it is not."`

	Admin adminClient `embed:""`
}

// Run asks for it: the verdict first, then a screen.
func (c *Status) Run(ctx context.Context, w io.Writer) error {
	if c.Ready {
		return c.ready(ctx, w)
	}
	if c.Admin.Output == "json" {
		return ask[json.RawMessage](ctx, w, &c.Admin, http.MethodGet, "/status", nil, nil)
	}
	verdict, err := c.verdict(ctx)
	if err != nil {
		return err
	}
	body, err := c.Admin.call(ctx, http.MethodGet, "/status", nil)
	if err != nil {
		return err
	}
	var n status.Node
	if err := json.Unmarshal(body, &n); err != nil {
		return fmt.Errorf("the answer of %s is not understood, is its program another version? --output json shows it: %w", c.Admin.Port.Admin, err)
	}
	fmt.Fprintln(w, verdict)
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	n.Screen(columns)
	return columns.Flush()
}

// verdict is in one line whether the node answers, and if not, why. The probe's own words are it.
func (c *Status) verdict(ctx context.Context) (string, error) {
	text, err := c.Admin.call(ctx, http.MethodGet, "/readyz", nil)
	switch said := strings.TrimSpace(string(text)); {
	case domain.CodeOf(err) == domain.Unavailable:
		return err.Error(), nil
	case err != nil:
		return "", err
	case said == "ok":
		return "ready: the node answers", nil
	default:
		return said, nil
	}
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
