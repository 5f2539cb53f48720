package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/export"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/state"
)

// ExportActions exports actions.
type ExportActions struct {
	Exporting exporting `embed:""`
	Since     string    `group:"Files" env:"-" placeholder:"DATE" help:"Leave out actions that were completed before it (YYYY-MM-DD, UTC). A state keeps the one that it was begun with."`
}

// Help says what is written.
func (*ExportActions) Help() string {
	return "Each action is written once, whenever it was completed and however often the command runs or is killed. Files are named " +
		"actions-000001.ndjson and so on; one with such a name is whole, and belongs to the export once the command ended with 0. " +
		"What is deleted, or precedes a one-time action, after it was written changes no file.\n\n" +
		exportExits
}

// Run exports what is new.
func (c *ExportActions) Run(ctx context.Context, w io.Writer) error {
	from := ""
	if c.Since != "" {
		day, err := time.Parse(time.DateOnly, c.Since)
		if err != nil {
			return wrongUse(errors.New("--since must be a date YYYY-MM-DD"))
		}
		from = state.Moment(day)
	}
	return c.Exporting.run(ctx, w, export.Actions, from, func(x *export.Export) error { return x.Actions(ctx) })
}
