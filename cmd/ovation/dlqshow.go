package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/ovation-analytics/ovation/api/admin"
)

// DLQShow shows a dead letter.
type DLQShow struct {
	Letters deadLetters `embed:""`
	ID      string      `arg:"" help:"The letter's id, or how it begins."`
	Value   bool        `group:"Output" env:"-" help:"Only the original's bytes as they are, for a file to be mended."`
}

// Run shows it.
func (c *DLQShow) Run(ctx context.Context, w io.Writer) error {
	log, closed, err := c.Letters.open(ctx)
	if err != nil {
		return err
	}
	defer closed()
	l, seen, err := find(ctx, log, c.ID)
	if err != nil {
		return err
	}
	switch {
	case c.Value && !l.Whole:
		return errors.New("the letter has no original: " + l.Detail)
	case c.Value:
		_, err = w.Write(l.Original.Value)
		return err
	}
	shown := shownLetter{log.Listed(l), l.Content()}
	shown.Replay = seen.Replayed(l.ID)
	if c.Letters.Output == "json" {
		return json.NewEncoder(w).Encode(shown)
	}
	return shown.print(w)
}

// shownLetter is a dead letter as show prints it as JSON.
type shownLetter struct {
	admin.Letter
	admin.LetterContent
}

// print shows what strangers wrote so that a terminal does not obey it.
func (l *shownLetter) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "id\t%s\nreason\t%s\ndetail\t%s\ntime\t%s\naccount\t%d\nsource\t%s\norigin\t%s\n",
		l.ID, l.Reason, l.Detail, l.Time, l.Account, harmlessWord(l.Source), l.Origin)
	if l.Replay != nil {
		fmt.Fprintf(t, "replayed\t%s\n", replayedAt(l.Replay))
	}
	if l.Whole {
		if l.Published >= 0 {
			fmt.Fprintf(t, "published\t%s\n", time.UnixMilli(l.Published).UTC().Format(time.RFC3339Nano))
		}
		fmt.Fprintf(t, "key\t%s\n", harmless(l.Key))
		for _, h := range l.Headers {
			fmt.Fprintf(t, "header %s\t%s\n", harmless([]byte(h.Name)), harmless(h.Value))
		}
	}
	if err := t.Flush(); err != nil || !l.Whole {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", harmless(bytes.TrimRight(l.Value, "\n")))
	return err
}
