package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/api/admin"
)

// AcceptGap lets a stopped partition be read on.
type AcceptGap struct {
	Admin     adminClient `embed:""`
	Topic     string      `arg:"" help:"The topic, with its prefix, as status shows it."`
	Partition int         `arg:"" help:"The partition."`
	Force     bool        `env:"-" help:"Also in the journal while another node is alive: its shard may differ from this one's then."`
}

// Run asks for it.
func (c *AcceptGap) Run(ctx context.Context, w io.Writer) error {
	in := admin.AcceptGap{Topic: c.Topic, Partition: &c.Partition, Force: c.Force}
	return ask(ctx, w, &c.Admin, http.MethodPost, "/gaps/accept", in, func(w io.Writer, g admin.AcceptedGap) {
		fmt.Fprintf(w, "%s/%d goes on at %d (it was left at %d)\n", g.Topic, g.Partition, g.To, g.From)
	})
}
