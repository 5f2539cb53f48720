package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
)

// adminClient is what every command has that asks the admin port.
type adminClient struct {
	Port config.AdminPort `embed:"" group:"Admin port"`
	form
}

// form is how a command prints its answer.
type form struct {
	Output string `group:"Output" enum:"text,json" default:"text" help:"text, or json for one JSON object."`
}

// print prints an answer: as JSON, or by text, in which tabs are columns.
func (f form) print(w io.Writer, answer any, text func(io.Writer)) error {
	if f.Output == "json" {
		return json.NewEncoder(w).Encode(answer)
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	text(columns)
	return columns.Flush()
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
		return fmt.Errorf("the answer of %s is not understood: %w", c.Port.Admin, err)
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	text(columns, answer)
	return columns.Flush()
}

// call makes one request of the admin port.
func (c *adminClient) call(ctx context.Context, method, path string, in any) ([]byte, error) {
	token, err := c.Port.Token()
	if err != nil {
		return nil, fmt.Errorf("--admin-token: %w", err)
	}
	client := admin.Client{Address: c.Port.Admin, Token: token}
	return client.Call(ctx, method, path, in)
}

func day(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).UTC().Format(time.DateTime)
}
