package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
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
	r := &replay{log: log, dry: c.DryRun, out: replayed{Reasons: map[string]int{}, Left: []leftLetter{}, DryRun: c.DryRun}}
	if c.FromFile != "" || len(c.Header) > 0 {
		err = c.mended(ctx, r)
	} else {
		err = c.chosen(ctx, r, f)
	}
	if err == nil {
		err = r.flush(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w (%d letters replayed so far; replaying them again does no harm)", err, r.out.Replayed)
	}
	if err := r.out.report(w, c.Letters.Output); err != nil {
		return err
	}
	if len(r.out.Left) > 0 {
		return errLeft
	}
	return nil
}

// mended replays the one letter named, with what was mended in it.
func (c *DLQReplay) mended(ctx context.Context, r *replay) error {
	l, _, err := find(ctx, r.log, c.ID[0])
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
	if err := r.log.Mend(l, m); err != nil {
		return wrongUse(fmt.Errorf("letter %s: %w", l.ID, err))
	}
	return r.take(ctx, l)
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
func (c *DLQReplay) chosen(ctx context.Context, r *replay, f dlq.Filter) error {
	for _, id := range c.ID {
		if _, _, err := find(ctx, r.log, id); err != nil {
			return err
		}
	}
	_, err := r.log.Each(ctx, func(l *dlq.Letter) error {
		if !f.Passes(l) {
			return nil
		}
		return r.take(ctx, l)
	})
	return err
}

// replay gathers letters to batches.
type replay struct {
	log   *dlq.Log
	dry   bool
	out   replayed
	batch []*dlq.Letter
	bytes int
}

// replayBytes is how much is gathered before it is published.
const replayBytes = 4 << 20

func (r *replay) take(ctx context.Context, l *dlq.Letter) error {
	r.out.Chosen++
	switch {
	case !l.Whole:
		r.out.Left = append(r.out.Left, leftLetter{l.ID, l.Reason, l.Detail})
		return nil
	case l.Reason == domain.Foreign.String():
		r.out.Left = append(r.out.Left, leftLetter{l.ID, l.Reason, "it was found in the journal: it is no activity"})
		return nil
	}
	r.batch = append(r.batch, l)
	if r.bytes += l.Original.Size(); r.bytes >= replayBytes {
		return r.flush(ctx)
	}
	return nil
}

func (r *replay) flush(ctx context.Context) error {
	var tooLarge []*dlq.Letter
	if !r.dry {
		var err error
		if tooLarge, err = r.log.Replay(ctx, r.batch); err != nil {
			return err
		}
	}
	for _, l := range r.batch {
		if slices.Contains(tooLarge, l) {
			r.out.Left = append(r.out.Left, leftLetter{l.ID, l.Reason, "it is too large with the header of a replay: publish it again smaller, by --from-file"})
			continue
		}
		r.out.Replayed++
		r.out.Reasons[l.Reason]++
	}
	clear(r.batch)
	r.batch, r.bytes = r.batch[:0], 0
	return nil
}

// replayed is what replay prints as JSON.
type replayed struct {
	Chosen   int            `json:"chosen"`
	Replayed int            `json:"replayed"` // with --dry-run: would be
	Reasons  map[string]int `json:"reasons"`  // of those
	Left     []leftLetter   `json:"left"`
	DryRun   bool           `json:"dryRun,omitempty"`
}

// leftLetter is one that was chosen and cannot be published.
type leftLetter struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Why    string `json:"why"`
}

func (o *replayed) report(w io.Writer, output string) error {
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
