package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
)

// Rebuild asks the running node to rebuild shards from the journal.
type Rebuild struct {
	Admin  adminClient `embed:""`
	Shards []int       `arg:"" name:"shard" help:"The shards, one after the other."`
	Rate   int         `default:"0" env:"-" placeholder:"N" help:"Records replayed a second at most; 0: as fast as it goes."`
	Detach bool        `env:"-" help:"Do not wait for the end: status shows what came out."`
}

// errNotRebuilt ends a rebuild that left a shard as it was.
var errNotRebuilt = errors.New("not every shard is rebuilt")

// Run begins a run, follows it, and ends it when it is ended itself.
func (c *Rebuild) Run(ctx context.Context, w io.Writer) error {
	order := verify.RebuildOrder{Rate: c.Rate, Shards: c.Shards}
	if _, err := c.Admin.call(ctx, http.MethodPost, "/rebuild", order); err != nil {
		return err
	}
	run, err := follow(ctx, &c.Admin, "/rebuild", rebuildProgress, func(r *verify.Rebuild) bool {
		return r.State == verify.Running && !c.Detach
	})
	if err != nil {
		return err
	}
	if c.Admin.Output == "json" {
		if err := json.NewEncoder(w).Encode(run); err != nil {
			return err
		}
	} else {
		printRebuild(w, run)
	}
	if run.State != verify.Running && run.State != verify.Rebuilt {
		return fmt.Errorf("%w: %s", errNotRebuilt, run.State)
	}
	return nil
}

// rebuildProgress is how far the run is, in a line.
func rebuildProgress(r *verify.Rebuild) string {
	now, ended := r.State, 0
	replayed, rest := int64(0), int64(0) // of all shards
	for i := range r.Shards {
		s := &r.Shards[i]
		replayed += s.Replayed
		switch s.State {
		case verify.Waiting:
			rest += s.Records
		case verify.Replaying:
			rest += max(0, s.Records-s.Replayed)
			now = fmt.Sprintf("shard %d: %d of about %d records replayed", s.Shard, s.Replayed, max(s.Records, s.Replayed))
		case verify.Writing, verify.Replacing:
			now = fmt.Sprintf("shard %d: %s", s.Shard, s.State)
		default:
			ended++
		}
	}
	line := fmt.Sprintf("%d of %d shards are done, %s", ended, len(r.Shards), now)
	if replayed == 0 || r.Seconds <= 0 {
		return line
	}
	rate := float64(replayed) / r.Seconds
	line += fmt.Sprintf(", %.0f a second", rate)
	if rest > 0 {
		left := time.Duration(float64(rest) / rate * float64(time.Second))
		line += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	return line
}

// printRebuild prints the run as text.
func printRebuild(w io.Writer, r *verify.Rebuild) {
	for i := range r.Shards {
		s := &r.Shards[i]
		fmt.Fprintf(w, "shard %d: %s, %d records replayed, %.1f s\n", s.Shard, s.State, s.Replayed, s.Seconds)
		if s.Why != "" {
			fmt.Fprintf(w, "  %s\n", s.Why)
		}
	}
	fmt.Fprintf(w, "%s: %.1f s\n", r.State, r.Seconds)
}
