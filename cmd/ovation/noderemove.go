package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
)

// NodeRemove removes a node.
type NodeRemove struct {
	Admin adminClient `embed:""`
	ID    string      `arg:"" help:"The node's id, as node list shows it."`
	Force bool        `env:"-" help:"Also a node that is alive: it ends with exit code 3."`
}

// Run asks for it.
func (c *NodeRemove) Run(ctx context.Context, w io.Writer) error {
	id, err := domain.ParseNodeID(c.ID)
	if err != nil {
		return domain.Bad(domain.InvalidParameter, "id", err.Error())
	}
	path := "/nodes/" + id.String() + "/remove"
	return ask(ctx, w, &c.Admin, http.MethodPost, path, admin.RemoveNode{Force: c.Force}, func(w io.Writer, n admin.RemovedNode) {
		fmt.Fprintf(w, "node %s is removed; erase its data\n", n.ID)
	})
}
