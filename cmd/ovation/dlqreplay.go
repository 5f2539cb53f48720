package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/dlq"
	"github.com/ovation-analytics/ovation/ingest/activity"
)

// DLQReplay publishes dead letters' originals again.
type DLQReplay struct {
	Letters  deadLetters `embed:""`
	Choice   choosing    `embed:""`
	All      bool        `group:"Which letters" env:"-" help:"Every letter there is: a replay needs ids, a filter or this."`
	DryRun   bool        `group:"Output" env:"-" help:"Tell what would be published, publish nothing."`
	FromFile string      `group:"What is published" env:"-" placeholder:"FILE" help:"Bytes instead of the original's, of the one letter named; -: standard input. Its id and source must be the original's."`
	Header   []string    `group:"What is published" env:"-" sep:"none" placeholder:"NAME=VALUE" help:"Header instead of the original's of that name, of the one letter named; may be repeated. NAME= takes it out."`
	ID       []string    `arg:"" optional:"" help:"Ids of letters, or how they begin."`
}

// Validate is what is wrong with the flags.
func (c *DLQReplay) Validate() error {
	open := c.Choice.open() && len(c.ID) == 0
	switch {
	case open != c.All:
		return errors.New("replay what? Give ids, a filter such as --reason, or --all")
	case (c.FromFile != "" || len(c.Header) > 0) && len(c.ID) != 1:
		return errors.New("--from-file and --header mend one letter: give its id")
	}
	return c.Letters.Access.Validate()
}

// errLeft ends a replay that left something out.
var errLeft = errors.New("not all letters that were chosen could be replayed")

// Run publishes them.
func (c *DLQReplay) Run(ctx context.Context, w io.Writer) error {
	f, err := c.Choice.filter(time.Now())
	if err != nil {
		return err
	}
	f.IDs = c.ID
	log, closed, err := c.Letters.open(ctx)
	if err != nil {
		return err
	}
	defer closed()
	r := dlq.NewReplayer(log, c.DryRun, math.MaxInt)
	if c.FromFile != "" || len(c.Header) > 0 {
		err = c.mended(ctx, log, r)
	} else {
		err = c.chosen(ctx, log, r, f)
	}
	if err == nil {
		err = r.Flush(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w (%d letters replayed so far; replaying them again does no harm)", err, r.Done.Replayed)
	}
	if err := report(w, &r.Done, c.Letters.Output); err != nil {
		return err
	}
	if len(r.Done.Left) > 0 {
		return errLeft
	}
	return nil
}

// mended replays the one letter named, with what was mended in it.
func (c *DLQReplay) mended(ctx context.Context, log *dlq.Log, r *dlq.Replayer) error {
	l, _, err := find(ctx, log, c.ID[0])
	if err != nil {
		return err
	}
	m := dlq.Mending{Headers: c.Header}
	if m.Value, err = c.value(); err != nil {
		return err
	}
	if m.Value == nil && !l.Whole {
		return errors.New("the letter has no original, --from-file has to give it: " + l.Detail)
	}
	if err := log.Mend(l, m); err != nil {
		return wrongUse(fmt.Errorf("letter %s: %w", l.ID, err))
	}
	return r.Take(ctx, l)
}

// value is what --from-file names; nil: nothing.
func (c *DLQReplay) value() (v []byte, err error) {
	in := io.Reader(os.Stdin)
	switch c.FromFile {
	case "":
		return nil, nil
	case "-":
	default:
		file, err := os.Open(c.FromFile)
		if err != nil {
			return nil, wrongUse(err)
		}
		defer file.Close()
		in = file
	}
	if v, err = io.ReadAll(io.LimitReader(in, activity.MaxValue+1)); err != nil {
		return nil, err
	}
	if len(v) == 0 || len(v) > activity.MaxValue {
		return nil, wrongUse(errors.New("--from-file: a record has 1 byte to 1 MiB"))
	}
	return v, nil
}

// chosen replays the letters that pass. An id that means none, or more than one, is
// wrong before anything is published.
func (c *DLQReplay) chosen(ctx context.Context, log *dlq.Log, r *dlq.Replayer, f dlq.Filter) error {
	for _, id := range c.ID {
		if _, _, err := find(ctx, log, id); err != nil {
			return err
		}
	}
	_, err := log.Each(ctx, func(l *dlq.Letter) error {
		if !f.Passes(l) {
			return nil
		}
		return r.Take(ctx, l)
	})
	return err
}

// report prints what a replay did.
func report(w io.Writer, o *dlq.Replayed, output string) error {
	if output == "json" {
		return json.NewEncoder(w).Encode(o)
	}
	for _, l := range o.Left {
		fmt.Fprintf(w, "%s (%s) is left: %s\n", l.ID, l.Reason, l.Why)
	}
	did := "replayed"
	if o.DryRun {
		did = "would be replayed"
	}
	_, err := fmt.Fprintf(w, "%d of %d dead letters %s%s\n", o.Replayed, o.Chosen, did, byReason(o.Reasons))
	return err
}
