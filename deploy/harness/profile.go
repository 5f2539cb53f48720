package harness

import (
	"context"
	"fmt"
	"time"

	"github.com/google/pprof/profile"
)

// Profile takes a CPU profile of so many whole seconds.
func (n *Node) Profile(ctx context.Context, span time.Duration) (*profile.Profile, error) {
	b, err := n.Ask(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%d", int(span.Seconds())), nil)
	if err != nil {
		return nil, err
	}
	return profile.ParseData(b)
}
