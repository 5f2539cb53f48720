package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/api/transport"
	"github.com/ovation-analytics/ovation/cmd/ovation/status"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
)

// Run serves until ctx ends, then drains: readiness goes false first; for the time of --drain
// responses carry Connection: close; then no request is accepted and those under way are answered.
func (n *Node) Run(ctx context.Context) error {
	token, err := n.Config.AdminPort.Token()
	if err != nil {
		return err
	}
	status.Register(n.ports.metrics, n.Shown(), n.API)
	status.RegisterWebhooks(n.ports.metrics, n.Webhooks.Stats)
	n.ports.gate.Open(n.adminPort(token))
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	n.running.Go(func() { tuning.NewHeapKeeper(int64(n.Config.Memory), n.Actors, n.Log).Run(keeping) })
	n.running.Go(func() { n.ports.port.watch(keeping) })
	n.running.Go(func() { reclaim(keeping, n.Log, reclaims(n.Stores.Keys.Store, n.Logs.Embedded)...) })
	stopSending := n.send(ctx)
	defer stopSending()
	status.RegisterPort(n.ports.metrics, n.ports.port.shown())
	if n.Tracing != nil {
		status.RegisterTraces(n.ports.metrics, n.Tracing.Stats)
	}
	public := transport.New(transport.Options{Handler: n.API, Certificate: n.ports.port.certificate, EndLasting: n.API.EndStreams, Log: n.Log})
	n.running.Go(func() { n.ports.failed <- public.Serve(n.ports.public) })
	still := n.Config.PublicPort.Drain
	select {
	case err = <-n.ports.failed:
	case <-n.Stores.Store.Failed(): // it opens again only in another process
		err = fmt.Errorf("the store failed: %w", n.Stores.Store.Err())
	case <-n.Stores.Keys.Store.Failed(): // likewise
		err = fmt.Errorf("the data keys failed: %w", n.Stores.Keys.Store.Err())
	case err = <-n.Actors.Ended(): // its id is another process's, or no node's any more
	case <-ctx.Done():
	}
	if err != nil {
		still = 0
	}
	n.ports.drain.begin()
	stopSending()
	n.Actors.Leave() // other nodes take over its duties while it answers what is under way
	n.Log.Info("stopping: answering what is under way", "drain", still.String())
	over, cancel := context.WithTimeout(context.Background(), still+drainTime)
	defer cancel()
	return errors.Join(err, public.Drain(over, still), n.ports.adminServer.Shutdown(over))
}

// send sends the events of webhooks until ctx ends or stop is called, which returns when nothing more is sent and how far
// they came is kept.
func (n *Node) send(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.Webhooks.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// drainTime bounds how long requests under way may take at a stop.
const drainTime = 15 * time.Second
