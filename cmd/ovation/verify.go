package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
)

// Verify asks the running node to replay the journal and to compare.
type Verify struct {
	Admin  adminClient `embed:""`
	Rate   int         `default:"50000" env:"-" placeholder:"N" help:"Records replayed a second at most, by all shards together, so that the node goes on answering; 0: as fast as it goes."`
	Shard  []int       `sep:"," env:"-" placeholder:"N" help:"Only these shards."`
	Stored bool        `env:"-" help:"No replay: compare what is stored with itself. For a journal that is cut."`
	Detach bool        `env:"-" help:"Do not wait for the end: verify --last and status show what came out."`
	Last   bool        `env:"-" help:"Begin nothing: show the run under way, or the last."`
}

// errNotEqual ends a verification that did not find what it should.
var errNotEqual = errors.New("the store is not verified")

// Run begins a run, follows it, and ends it when it is ended itself.
func (c *Verify) Run(ctx context.Context, w io.Writer) error {
	if !c.Last {
		order := verify.Order{Stored: c.Stored, Rate: c.Rate, Shards: c.Shard}
		if _, err := c.Admin.call(ctx, http.MethodPost, "/verify", order); err != nil {
			return err
		}
	}
	run, err := follow(ctx, &c.Admin, "/verify", verifyProgress, func(r *verify.Verification) bool {
		return r.State == verify.Running && !c.Detach && !c.Last
	})
	if err != nil {
		return err
	}
	if c.Admin.Output == "json" {
		if err := json.NewEncoder(w).Encode(run); err != nil {
			return err
		}
	} else {
		printVerification(w, run)
	}
	if run.State != verify.Running && !run.Fine() {
		return fmt.Errorf("%w: %s", errNotEqual, run.State)
	}
	return nil
}

// verifyProgress is how far the run is, in a line.
func verifyProgress(r *verify.Verification) string {
	ended := 0
	for i := range r.Shards {
		if r.Shards[i].Ended() {
			ended++
		}
	}
	line := fmt.Sprintf("%d of %d shards are done", ended, len(r.Shards))
	if r.Records > 0 && r.Seconds > 0 {
		line += fmt.Sprintf(", %d of %d records replayed (%d %%, %.0f a second)",
			r.Replayed, r.Records, min(100, 100*r.Replayed/r.Records), float64(r.Replayed)/r.Seconds)
	}
	if r.Remaining > 0 {
		line += fmt.Sprintf(", about %v left", time.Duration(r.Remaining*float64(time.Second)).Round(time.Second))
	}
	return line
}

// printVerification prints the run as text.
func printVerification(w io.Writer, r *verify.Verification) {
	for i := range r.Shards {
		s := &r.Shards[i]
		fmt.Fprintf(w, "shard %d: %s at offset %d, %.1f s\n", s.Shard, s.State, s.Position, s.Seconds)
		if s.Why != "" {
			fmt.Fprintf(w, "  %s\n", s.Why)
		}
		if s.Stretch != nil {
			fmt.Fprintf(w, "  the state hash is another one since the records [%d, %d) of the journal\n",
				s.Stretch.From, s.Stretch.To)
		}
		if len(s.SetAside) > 0 {
			fmt.Fprintf(w, "  set aside, since applying them failed: the records at %s of the journal (dlq list --reason poison)\n",
				strings.Trim(fmt.Sprint(s.SetAside), "[]"))
		}
		if s.Foreign > 0 {
			fmt.Fprintf(w, "  passed over: %d records of other programs, or for other partitions (dlq list --reason foreign)\n", s.Foreign)
		}
		for _, d := range s.First {
			fmt.Fprintf(w, "  %s: %s\n", d.Key, d.What)
		}
		if n := s.Differences - len(s.First); n > 0 {
			fmt.Fprintf(w, "  and %d more\n", n)
		}
	}
	fmt.Fprintf(w, "%s: %d shards compared with a replay, %d differences, %.1f s\n",
		r.State, r.Compared, r.Differences, r.Seconds)
}
