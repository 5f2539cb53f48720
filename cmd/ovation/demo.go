package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/cmd/ovation/config"
	"github.com/ovation-analytics/ovation/cmd/ovation/demo"
	"github.com/ovation-analytics/ovation/cmd/ovation/node"
	"github.com/ovation-analytics/ovation/cmd/ovation/supervisor"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Demo is a node with an audience that can be seen at once.
type Demo struct {
	Config   config.Config `embed:""`
	Seed     uint64        `group:"Audience" default:"1" placeholder:"N" help:"The same seed gives the same audience and the same numbers; dates move by whole weeks."`
	Members  int           `group:"Audience" default:"3000" placeholder:"N" help:"Fans."`
	Actions  int           `group:"Audience" default:"320000" placeholder:"N" help:"Actions of the 52 weeks before this one."`
	Rate     demo.Rate     `group:"Audience" default:"history" placeholder:"N" help:"Actions from now on: history goes on as in the year before, faster in the first half hour; or so many a second, 0 for none."`
	Key      string        `group:"Audience" placeholder:"KEY" help:"Key of the demo's account (default: the one that the first run made)."`
	Describe bool          `group:"Audience" help:"Print what the audience looks like, and start nothing."`
	Nodes    int           `group:"Node" default:"1" placeholder:"N" help:"Nodes, each a process of this machine: all but the first join over its log, and one that is killed is started again. The ports of each are 10 above those of the one before."`
	Node     int           `hidden:"" env:"-" default:"0" help:"Which of --nodes this process is; 0: none."`
}

// apart are the flags of a demo that come from the command line alone: the environment and the file of
// --config may be those of a real installation.
var apart = []string{"data", "secrets", "key"} // and all of Kafka's

// keepDemoApart gives a demo a directory of its own and takes those flags out of the environment.
func keepDemoApart(k *kong.Kong) error {
	for _, command := range k.Model.Children {
		if command.Name != "demo" {
			continue
		}
		for _, flag := range command.Flags {
			if !slices.Contains(apart, flag.Name) && !strings.HasPrefix(flag.Name, "kafka") {
				continue
			}
			flag.Envs, flag.Tag.Envs = nil, nil
			if flag.Name == "data" {
				flag.Default, flag.Tag.Default = demoData, demoData
			}
		}
	}
	return nil
}

// demoData is --data of a demo where none is given.
const demoData = "demo-data"

// Run serves until ctx ends. What it prints goes to w.
func (d *Demo) Run(ctx context.Context, w io.Writer) error {
	o := demo.Options{Seed: d.Seed, Members: d.Members, Actions: d.Actions, Rate: d.Rate, Key: d.Key, Data: d.Config.Data}
	fans, err := o.Audience(time.Now())
	if err != nil {
		return domain.Bad(domain.InvalidParameter, "", err.Error())
	}
	if d.Nodes < 0 || d.Nodes > maxDemoNodes {
		return domain.Bad(domain.InvalidParameter, "nodes", fmt.Sprintf("--nodes: %d is not between 1 and %d", d.Nodes, maxDemoNodes))
	}
	if d.Describe {
		_, err := io.WriteString(w, fans.Portrait().String())
		return err
	}
	if d.Config.PublicPort.TLSCert != "" {
		return domain.Bad(domain.InvalidParameter, "tls-cert", "--tls-cert: a demo registers its members over plain HTTP; serve speaks HTTPS")
	}
	if d.Node <= 1 { // the others play nothing
		if err := o.Check(); err != nil {
			return err
		}
	}
	d.Config.Demo = true
	switch {
	case d.Nodes > 1 && d.Node == 0:
		return d.runNodes(ctx, w)
	case d.Node > 0:
		if ctx, err = supervisor.Leash(ctx); err != nil {
			return domain.Bad(domain.InvalidParameter, "node", "--node: "+err.Error())
		}
	}
	if d.Node > 1 {
		return (&Serve{Config: d.Config}).Run(ctx)
	}
	log := d.Config.Logger()
	p, err := node.OpenClaimed(ctx, d.Config, log, func() error { return o.Claim(fans.End()) })
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	if err = playDemo(ctx, p, o, fans, w); err != nil && ctx.Err() == nil {
		cancel()
		return errors.Join(err, <-ended, p.Close())
	}
	if err = errors.Join(<-ended, p.Close()); err == nil {
		log.Info("stopped")
	}
	return err
}

// playDemo plays the audience on a node.
func playDemo(ctx context.Context, p *node.Node, o demo.Options, fans *audience.Audience, w io.Writer) error {
	partitions, err := p.Logs.Topics.Source.Partitions(ctx)
	if err != nil {
		return err
	}
	on := demo.Node{
		Engine: p.Actors, Kafka: p.Logs.Client, CaughtUp: func(ctx context.Context) bool { return caughtUp(ctx, p) },
		Topic: p.Config.TopicPrefix + kafka.Activities, Partitions: partitions,
		APIAddress: p.HTTPAddr(), KafkaAddress: p.Logs.Brokers[0], AdminAddress: p.AdminAddr(),
	}
	return demo.Play(ctx, on, o, fans, w, p.Log)
}

// caughtUp reports that all that was in the public topic of a node when it was asked is
// applied and committed.
func caughtUp(ctx context.Context, p *node.Node) bool {
	n, err := p.Logs.Topics.Source.Partitions(ctx)
	if err != nil || p.Actors.Ready() != nil {
		return false
	}
	ends := map[int]int64{}
	for i := range n {
		if ends[i], err = p.Logs.Topics.Source.End(ctx, i); err != nil {
			return false
		}
	}
	st := p.Actors.Status()
	if len(st.Routers) < n {
		return false
	}
	for _, r := range st.Routers {
		if r.Next < ends[r.Partition] {
			return false
		}
	}
	for i := range st.Shards {
		end, err := p.Logs.Topics.Journal.End(ctx, i)
		if err != nil || p.Actors.Await(ctx, domain.Position{Shards: []domain.ShardOffset{{Shard: i, Next: end}}}) != nil {
			return false
		}
	}
	return true
}
