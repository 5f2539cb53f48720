package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/goccy/go-yaml"
)

// Status shows what the node is doing.
type Status struct {
	Admin adminClient `embed:""`
}

// Run asks for it.
func (c *Status) Run(ctx context.Context, w io.Writer) error {
	return ask(ctx, w, &c.Admin, http.MethodGet, "/status", nil, func(w io.Writer, s json.RawMessage) {
		text, err := yaml.JSONToYAML(s)
		if err != nil {
			text = s
		}
		w.Write(text)
	})
}
