package main

import (
	"context"
	"io"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/audience"
	"github.com/ovation-analytics/ovation/cmd/ovation/demo"
)

// CollectGenerator publishes what a made-up audience does in a year.
type CollectGenerator struct {
	Publishing publishing `embed:""`
	Seed       uint64     `group:"Audience" default:"1" env:"-" placeholder:"N" help:"The same seed gives the same audience."`
	Members    int        `group:"Audience" default:"3000" env:"-" placeholder:"N" help:"Fans."`
	Actions    int        `group:"Audience" default:"320000" env:"-" placeholder:"N" help:"Actions of 52 weeks."`
	Brands     int        `group:"Audience" default:"48" env:"-" placeholder:"N" help:"Artists and podcasts."`
	End        time.Time  `group:"Audience" format:"2006-01-02" env:"-" placeholder:"DATE" help:"Day before which it all was, moved back to a Monday (default: today)."`
}

// Help tells the exit codes.
func (*CollectGenerator) Help() string { return collectExits }

// Run publishes what is not published yet.
func (c *CollectGenerator) Run(ctx context.Context, w io.Writer) error {
	if c.End.IsZero() {
		c.End = time.Now()
	}
	source, err := demo.NewGenerator(audience.Options{
		Seed: c.Seed, Members: c.Members, Actions: c.Actions, Brands: c.Brands, End: c.End,
	})
	if err != nil {
		return wrongUse(err)
	}
	defer source.Close()
	return c.Publishing.run(ctx, w, source)
}
