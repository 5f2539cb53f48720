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

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/actors/domain"
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

var errNeverVerified = domain.Fail(domain.NotFound, "the node has verified nothing yet")

// How often the node is asked how far it is, and how often that is told.
const (
	pollEvery = 200 * time.Millisecond
	tellEvery = 5 * time.Second
)

// Run begins a run, follows it, and ends it when it is ended itself.
func (c *Verify) Run(ctx context.Context, w io.Writer) error {
	if !c.Last {
		if _, err := c.call(ctx, http.MethodPost, "/verify", verifyOrder{c.Stored, c.Rate, c.Shard}); err != nil {
			return err
		}
	}
	run, err := follow(ctx, &c.adminClient, "/verify", func(r *verifyRun) bool { return r.State == verifyRunning && !c.Detach && !c.Last })
	if err != nil {
		return err
	}
	if c.Output == "json" {
		if err := json.NewEncoder(w).Encode(run); err != nil {
			return err
		}
	} else {
		run.print(w)
	}
	if run.State != verifyRunning && !run.fine() {
		return fmt.Errorf("%w: %s", errNotEqual, run.State)
	}
	return nil
}

// replayRun is what the admin port says of a verification or a rebuild.
type replayRun[R any] interface {
	*R
	progress() string
}

// follow asks at a path for a run until it is not to be followed any more, and cancels it
// when it is ended itself.
func follow[R any, P replayRun[R]](ctx context.Context, c *adminClient, path string, on func(P) bool) (P, error) {
	tick, told := time.NewTicker(pollEvery), time.Now()
	defer tick.Stop()
	for {
		body, err := c.call(ctx, http.MethodGet, path, nil)
		r := P(new(R))
		if err == nil {
			err = json.Unmarshal(body, r)
		}
		switch {
		case ctx.Err() != nil:
			over, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
			defer cancel()
			_, err := c.call(over, http.MethodPost, path+"/cancel", struct{}{})
			return r, errors.Join(fmt.Errorf("the %s is cancelled", strings.TrimPrefix(path, "/")), err)
		case err != nil || !on(r):
			return r, err
		}
		if c.Output == "text" && time.Since(told) > tellEvery {
			told = time.Now()
			fmt.Fprintln(os.Stderr, r.progress())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// progress is how far the run is, in a line.
func (r *verifyRun) progress() string {
	ended := 0
	for i := range r.Shards {
		if r.Shards[i].ended() {
			ended++
		}
	}
	line := fmt.Sprintf("%d of %d shards are done", ended, len(r.Shards))
	if r.Records > 0 && r.Seconds > 0 {
		line += fmt.Sprintf(", %d of %d records replayed (%d %%, %.0f a second)", r.Replayed, r.Records, min(100, 100*r.Replayed/r.Records), float64(r.Replayed)/r.Seconds)
	}
	if r.Remaining > 0 {
		line += fmt.Sprintf(", about %v left", time.Duration(r.Remaining*float64(time.Second)).Round(time.Second))
	}
	return line
}

// print shows the run as text.
func (r *verifyRun) print(w io.Writer) {
	for i := range r.Shards {
		s := &r.Shards[i]
		fmt.Fprintf(w, "shard %d: %s at offset %d, %.1f s\n", s.Shard, s.State, s.Position, s.Seconds)
		if s.Why != "" {
			fmt.Fprintf(w, "  %s\n", s.Why)
		}
		if s.Stretch != nil {
			fmt.Fprintf(w, "  the state hash is another one since the records [%d, %d) of the journal\n", s.Stretch.From, s.Stretch.To)
		}
		for _, d := range s.First {
			fmt.Fprintf(w, "  %s: %s\n", d.Key, d.What)
		}
		if n := s.Differences - len(s.First); n > 0 {
			fmt.Fprintf(w, "  and %d more\n", n)
		}
	}
	fmt.Fprintf(w, "%s: %d shards compared with a replay, %d differences, %.1f s\n", r.State, r.Compared, r.Differences, r.Seconds)
}

func (p *adminPort) startVerify(r *http.Request) (any, error) {
	var in verifyOrder
	if err := readJSON(r, &in); err != nil {
		return nil, err
	}
	if err := p.engine.Verify(in); err != nil {
		return nil, err
	}
	return p.lastVerify(r)
}

func (p *adminPort) lastVerify(*http.Request) (any, error) {
	run := p.engine.Verified()
	if run == nil {
		return nil, errNeverVerified
	}
	return run, nil
}

func (p *adminPort) cancelVerify(r *http.Request) (any, error) {
	p.engine.CancelVerify()
	return p.lastVerify(r)
}

// verifyMetrics shows the last run as metrics.
type verifyMetrics struct {
	last                                        func() *verifyRun
	running, ended, seconds, shards, difference *prometheus.Desc
}

func newVerifyMetrics(last func() *verifyRun) *verifyMetrics {
	return &verifyMetrics{
		last:       last,
		running:    describe("verify_running", "1 while the store is compared with a replay."),
		ended:      describe("verify_last_end_timestamp_seconds", "When the last verification ended."),
		seconds:    describe("verify_last_duration_seconds", "How long it took."),
		shards:     describe("verify_last_shards", "Shards of the last verification by what came out.", "state"),
		difference: describe("verify_last_differences", "Places in which the store is not what was recorded."),
	}
}

// Describe names the metrics.
func (m *verifyMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.running, m.ended, m.seconds, m.shards, m.difference} {
		ch <- d
	}
}

// Collect reads the last run.
func (m *verifyMetrics) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	run := m.last()
	if run == nil || run.State == verifyRunning {
		running := 0.0
		if run != nil {
			running = 1
		}
		gauge(m.running, running)
		return
	}
	gauge(m.running, 0)
	gauge(m.ended, float64(run.Started.UnixMilli())/1000+run.Seconds)
	gauge(m.seconds, run.Seconds)
	gauge(m.difference, float64(run.Differences))
	states := map[string]int{verifyEqual: 0, verifyDifferent: 0, verifyNotReplayed: 0, verifyFailed: 0}
	for i := range run.Shards {
		states[run.Shards[i].State]++
	}
	for state, n := range states {
		gauge(m.shards, float64(n), state)
	}
}
