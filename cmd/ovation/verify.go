package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/cmd/ovation/verify"
)

// Verify asks the running node to replay the journal and to compare.
type Verify struct {
	adminClient
	Rate   int   `default:"50000" env:"-" placeholder:"N" help:"Records replayed a second at most, by all shards together, so that the node goes on answering; 0: as fast as it goes."`
	Shard  []int `sep:"," env:"-" placeholder:"N" help:"Only these shards."`
	Stored bool  `env:"-" help:"No replay: compare what is stored with itself. For a journal that is cut."`
	Detach bool  `env:"-" help:"Do not wait for the end: verify --last and status show what came out."`
	Last   bool  `env:"-" help:"Begin nothing: show the run under way, or the last."`
}

// errNotEqual ends a verification that did not find what it should.
var errNotEqual = errors.New("the store is not verified")

// How often the node is asked for its progress, and how often that is printed.
const (
	pollEvery  = 200 * time.Millisecond
	printEvery = 5 * time.Second
)

// cancelTime bounds the request that cancels a run.
const cancelTime = 30 * time.Second

// Run begins a run, follows it, and ends it when it is ended itself.
func (c *Verify) Run(ctx context.Context, w io.Writer) error {
	if !c.Last {
		order := verify.Order{Stored: c.Stored, Rate: c.Rate, Shards: c.Shard}
		if _, err := c.call(ctx, http.MethodPost, "/verify", order); err != nil {
			return err
		}
	}
	run, err := follow(ctx, &c.adminClient, "/verify", verifyProgress, func(r *verify.Verification) bool {
		return r.State == verify.Running && !c.Detach && !c.Last
	})
	if err != nil {
		return err
	}
	if c.Output == "json" {
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

// follow asks at a path for a run while on holds, and cancels it when ctx ends. With text output
// it prints the progress now and then.
func follow[R any](
	ctx context.Context, c *adminClient, path string, progress func(*R) string, on func(*R) bool,
) (*R, error) {
	tick, printed := time.NewTicker(pollEvery), time.Now()
	defer tick.Stop()
	for {
		body, err := c.call(ctx, http.MethodGet, path, nil)
		r := new(R)
		if err == nil {
			err = json.Unmarshal(body, r)
		}
		switch {
		case ctx.Err() != nil:
			over, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
			defer cancel()
			_, err := c.call(over, http.MethodPost, path+"/cancel", struct{}{})
			return r, errors.Join(fmt.Errorf("the %s is cancelled", strings.TrimPrefix(path, "/")), err)
		case err != nil || !on(r):
			return r, err
		}
		if c.Output == "text" && time.Since(printed) > printEvery {
			printed = time.Now()
			fmt.Fprintln(os.Stderr, progress(r))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
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

// Rebuild asks the running node to rebuild shards from the journal.
type Rebuild struct {
	adminClient
	Shards []int `arg:"" name:"shard" help:"The shards, one after the other."`
	Rate   int   `default:"0" env:"-" placeholder:"N" help:"Records replayed a second at most; 0: as fast as it goes."`
	Detach bool  `env:"-" help:"Do not wait for the end: status shows what came out."`
}

// errNotRebuilt ends a rebuild that left a shard as it was.
var errNotRebuilt = errors.New("not every shard is rebuilt")

// Run begins a run, follows it, and ends it when it is ended itself.
func (c *Rebuild) Run(ctx context.Context, w io.Writer) error {
	order := verify.RebuildOrder{Rate: c.Rate, Shards: c.Shards}
	if _, err := c.call(ctx, http.MethodPost, "/rebuild", order); err != nil {
		return err
	}
	run, err := follow(ctx, &c.adminClient, "/rebuild", rebuildProgress, func(r *verify.Rebuild) bool {
		return r.State == verify.Running && !c.Detach
	})
	if err != nil {
		return err
	}
	if c.Output == "json" {
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
	for i := range r.Shards {
		s := &r.Shards[i]
		switch s.State {
		case verify.Replaying:
			return fmt.Sprintf("shard %d: %d of about %d records replayed", s.Shard, s.Replayed, max(s.Records, s.Replayed))
		case verify.Writing, verify.Replacing:
			return fmt.Sprintf("shard %d: %s", s.Shard, s.State)
		}
	}
	return r.State
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
