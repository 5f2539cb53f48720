package main

import (
	"context"
	"io"

	"github.com/ovation-analytics/ovation/cmd/ovation/export"
)

// ExportMembers exports members.
type ExportMembers struct {
	Exporting exporting `embed:""`
}

// Help says what is written.
func (*ExportMembers) Help() string {
	return "Each member is written once, and again when one of the columns changed: of rows with the same ID the latest counts. Files are " +
		"named members-000001.ndjson and so on; one with such a name is whole, and belongs to the export once the command ended with 0.\n\n" +
		exportExits
}

// Run exports those that changed.
func (c *ExportMembers) Run(ctx context.Context, w io.Writer) error {
	return c.Exporting.run(ctx, w, export.Members, "", func(x *export.Export) error { return x.Members(ctx) })
}
