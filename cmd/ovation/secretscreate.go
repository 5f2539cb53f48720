package main

import (
	"context"
	"io"

	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
)

// SecretsCreate makes the secrets of a new installation.
type SecretsCreate struct {
	form
	File string `arg:"" default:"-" placeholder:"FILE" help:"Where they go, mode 0600; - is standard output."`
}

// Run writes them; a file that is there stays as it is.
func (c *SecretsCreate) Run(_ context.Context, out io.Writer) error {
	if c.File == "-" {
		_, err := out.Write(secrets.Text())
		return err
	}
	if err := secrets.Create(c.File); err != nil {
		return err
	}
	return c.print(out, struct {
		File string `json:"file"`
	}{c.File}, func(io.Writer) {})
}
