package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
)

// Demo is a node with an audience that can be seen at once.
type Demo struct {
	Config
	Seed     uint64 `default:"1" placeholder:"N" help:"The same seed gives the same audience and the same numbers; dates move by whole weeks."`
	Members  int    `default:"3000" placeholder:"N" help:"Fans."`
	Actions  int    `default:"320000" placeholder:"N" help:"Actions of the 52 weeks before this one."`
	Rate     int    `default:"5" placeholder:"N" help:"Actions a second from now on; 0 for none."`
	Key      string `placeholder:"KEY" help:"Use this key instead of a new one."`
	Describe bool   `help:"Print what the audience looks like, and start nothing."`
}

// demoMemory is --memory of a demo where none is given: a year of 3,000 fans fits, and it
// takes little of a machine that does something else.
const demoMemory = tuning.MinMemory

// maxRate is as much as the audience can be made to do.
const maxRate = 10_000

// Run serves until ctx ends. What it prints goes to w.
func (d *Demo) Run(ctx context.Context, w io.Writer) error {
	if d.Rate < 0 || d.Rate > maxRate {
		return domain.Bad(domain.InvalidParameter, "rate", fmt.Sprintf("--rate: %d is not between 0 and %d", d.Rate, maxRate))
	}
	fans, err := audience.New(d.options(time.Now()))
	if err != nil {
		return domain.Bad(domain.InvalidParameter, "", err.Error())
	}
	if d.Describe {
		_, err := io.WriteString(w, fans.Portrait().String())
		return err
	}
	if d.Memory == 0 {
		d.Memory = demoMemory
	}
	log := d.Logger()
	p, err := newProgram(ctx, d.Config, log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	s := &stage{demo: d, p: p, out: w, fans: fans, log: log}
	if err := s.play(ctx); err != nil && ctx.Err() == nil {
		cancel()
		return errors.Join(err, <-ended, p.Close())
	}
	return errors.Join(<-ended, p.Close())
}

func (d *Demo) options(now time.Time) audience.Options {
	return audience.Options{Seed: d.Seed, Members: d.Members, Actions: d.Actions, End: now}
}
