package node

import (
	"context"
	"fmt"
	"os"

	"github.com/ovation-analytics/ovation/actors/domain/trace"
	"github.com/ovation-analytics/ovation/cmd/ovation/build"
	"github.com/ovation-analytics/ovation/cmd/ovation/tracing"
)

// openTracing begins to export spans, where there is an address for them. What actors and the API trace until they have
// ended is exported when the node closes.
func (n *Node) openTracing(context.Context) error {
	c := n.Config.Traces.Tracing()
	if c.Address() == "" {
		return nil
	}
	if by, off := tracing.Disabled(); off {
		n.Log.Info("nothing is traced: the environment says so", "by", by)
		return nil
	}
	for _, w := range tracing.Unread(os.Environ()) {
		n.Log.Warn(w)
	}
	c.Version, c.Instance, c.Log = build.Read().Version, n.ID.String(), n.Log
	var err error
	if n.Tracing, err = tracing.Open(c); err != nil {
		return fmt.Errorf("--otlp-endpoint: %w", err)
	}
	n.OnClose(n.Tracing.Close)
	n.Log.Info("traces are exported", "to", c.Address(), "requests", c.Requests, "records", c.Records)
	return nil
}

// tracer is that of requests; nil: none is traced.
func (n *Node) tracer() trace.Tracer {
	if n.Tracing == nil {
		return nil
	}
	return n.Tracing
}
