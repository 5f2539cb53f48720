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
	shown := shownLetter{
		listedLetter: listed(log, l), Published: l.Original.TimeMs,
		Key: l.Original.Key, Value: l.Original.Value, Headers: []shownHeader{},
	}
	shown.replayed(&seen)
	for _, h := range l.Original.Headers {
		shown.Headers = append(shown.Headers, shownHeader{h.Key, h.Value})
	}
	if c.Letters.Output == "json" {
		return json.NewEncoder(w).Encode(shown)
	}
	return shown.print(w)
}

// shownLetter is a dead letter as show prints it as JSON. Texts that are not UTF-8 are
// in base64.
type shownLetter struct {
	listedLetter
	Published int64         `json:"published"` // ms since 1970: of the original; -1: it has no time
	Key       []byte        `json:"keyBase64,omitempty"`
	Headers   []shownHeader `json:"headers"`
	Value     []byte        `json:"valueBase64"`
}

type shownHeader struct {
	Name  string `json:"name"`
	Value []byte `json:"valueBase64"`
}

// print shows what strangers wrote so that a terminal does not obey it.
func (l *shownLetter) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "id\t%s\nreason\t%s\ndetail\t%s\ntime\t%s\naccount\t%d\norigin\t%s\n",
		l.ID, l.Reason, l.Detail, l.Time, l.Account, l.Origin)
	if l.Replay != nil {
		fmt.Fprintf(t, "replayed\t%s\n", l.Replay)
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
