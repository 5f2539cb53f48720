package actors

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// ticks appends a Tick to every partition when an hour begins, so that the clock of a
// shard that nothing happens in goes on: by the log's time of the Tick, not by this node's.
func (n *Node) ticks(ctx context.Context) {
	for hour := uint32(n.o.Now().Unix() / 3600); ; {
		t := time.NewTimer(time.Unix(int64(hour+1)*3600, 0).Sub(n.o.Now()))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
		if now := uint32(n.o.Now().Unix() / 3600); now > hour {
			hour = now
			for _, l := range n.appenders {
				l.Post(domain.Record{Kind: domain.KindTick, Command: &domain.Tick{Hour: hour}})
			}
		}
	}
}

// renews has each shard look at how old its view is.
func (n *Node) renews(ctx context.Context) {
	for retry.Pause(ctx, shard.RenewEvery) {
		if !n.started.Load() {
			continue
		}
		for _, p := range n.pids {
			n.system.Root.Send(p, &shard.Renew{})
		}
	}
}
