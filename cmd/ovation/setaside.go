package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/api/admin"
)

// SetAside makes a dead letter of a record at which a shard stopped.
type SetAside struct {
	Admin  adminClient `embed:""`
	Shard  int         `arg:"" help:"The shard that stopped, as status shows it."`
	Offset int64       `arg:"" help:"The record's offset, as status shows it."`
	Force  bool        `env:"-" help:"Also where another node may have applied the record: its shard differs from this one's then, until it is rebuilt."`
}

// Run asks for it.
func (c *SetAside) Run(ctx context.Context, w io.Writer) error {
	in := admin.SetAside{Shard: &c.Shard, Offset: &c.Offset, Force: c.Force}
	return ask(ctx, w, &c.Admin, http.MethodPost, "/records/set-aside", in, func(w io.Writer, p admin.PutAside) {
		fmt.Fprintf(w, "record %d is set aside: it is a dead letter, and shard %d goes on behind it\n", p.Offset, p.Shard)
	})
}
