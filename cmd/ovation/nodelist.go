package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/actors"
)

// NodeList lists nodes.
type NodeList struct {
	Admin adminClient `embed:""`
}

// listedNodes is what /status shows of the nodes.
type listedNodes struct {
	Nodes []actors.NodeStatus `json:"nodes"`
}

// Run asks for them.
func (c *NodeList) Run(ctx context.Context, w io.Writer) error {
	return ask(ctx, w, &c.Admin, http.MethodGet, "/status", nil, func(w io.Writer, l listedNodes) {
		fmt.Fprintln(w, "ID\tADDRESS\tZONE\tSTATE\tREADY\tLAG\tBEHIND\tDUTIES\tWRONG\tDO")
		for _, n := range l.Nodes {
			state := n.State
			switch {
			case n.AwayMs > 0:
				state += " for " + (time.Duration(n.AwayMs) * time.Millisecond).Round(time.Second).String()
			case n.Self:
				state += ", asked"
			}
			lag := time.Duration(n.LagMs) * time.Millisecond
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%t\t%v\t%d\t%s\t%s\t%s\n", n.ID, n.Address, dash(n.Zone), state, n.Ready, lag,
				n.Behind, dash(n.Duties), dash(n.Wrong), dash(n.Do))
		}
	})
}

// dash is a text that may be empty.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
