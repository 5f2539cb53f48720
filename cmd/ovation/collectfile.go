package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
)

// CollectFile publishes a file.
type CollectFile struct {
	Publishing publishing `embed:""`
	Mapping    string     `arg:"" help:"Mapping file (YAML): how a row becomes an action."`
	Input      string     `arg:"" help:"CSV, NDJSON, JSON or lines of a pattern, also packed by gzip, bzip2, xz, zstd or zip (of one file)."`
}

// Help tells the exit codes.
func (*CollectFile) Help() string { return collectExits }

// Run publishes what is not published yet.
func (c *CollectFile) Run(ctx context.Context, w io.Writer) error {
	m, err := input.ReadMapping(c.Mapping)
	if err != nil {
		return wrongUse(err)
	}
	if c.Publishing.Account == 0 {
		c.Publishing.Account = m.Account
	}
	badEntries := 0
	source, err := input.OpenFile(m, c.Input, func(file string, line int64, err error) {
		badEntries++
		fmt.Fprintf(os.Stderr, "%s:%d: %v\n", file, line, err)
	})
	if err != nil {
		return err
	}
	defer source.Close()
	if err = c.Publishing.run(ctx, w, source); err == nil && badEntries > 0 {
		err = fmt.Errorf("%w: %d, of the tables beside the input", errBadRows, badEntries)
	}
	return err
}
