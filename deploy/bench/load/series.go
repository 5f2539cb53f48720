package load

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/google/pprof/profile"

	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/bench/stages"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Moment is a line of the series: what was in the time since the one before.
type Moment struct {
	Seconds  float64        `json:"seconds"` // since the beginning
	Rate     float64        `json:"rate"`    // activities a second that were durable
	Behind   int64          `json:"behind"`  // records of the log that are not applied
	Node     float64        `json:"node"`    // CPU an activity, µs
	Broker   float64        `json:"broker,omitempty"`
	Visible  report.Latency `json:"visible"`
	Answered report.Latency `json:"answered"`
	MiB      float64        `json:"mib"`   // resident
	Store    float64        `json:"store"` // bytes of its files for each row since the beginning
	LogBytes float64        `json:"log"`   // of the log's files for each row since the beginning
}

// series reads what the node takes while it is loaded.
type series struct {
	of          *run
	every       time.Duration
	first, last reading
	own         time.Duration    // CPU of this program before it
	profile     *profile.Profile // of all intervals
}

// reading is what can be read at a moment.
type reading struct {
	at           time.Time
	node, broker time.Duration // CPU so far
	acked        int64
	log          int64 // bytes of its files
	status       harness.Status
}

// interval is the time between two moments.
func interval(span time.Duration) time.Duration {
	switch {
	case span < 20*time.Second:
		return time.Second
	case span < 10*time.Minute:
		return 10 * time.Second
	}
	return 5 * time.Minute
}

func newSeries(ctx context.Context, r *run) (*series, error) {
	s := &series{of: r, every: interval(r.o.Span)}
	var err error
	if s.first, err = s.read(ctx); err != nil {
		return nil, err
	}
	s.last = s.first
	s.own, err = harness.CPU(os.Getpid())
	return s, err
}

func (s *series) read(ctx context.Context) (r reading, err error) {
	n := s.of.publisher.Node
	if r.status, err = n.Status(ctx); err != nil {
		return r, err
	}
	r.at = time.Now()
	r.acked = s.of.stream.Acked.Load()
	if r.node, err = harness.CPU(n.PID()); err != nil {
		return r, err
	}
	if s.of.o.Broker != 0 {
		if r.broker, err = harness.CPU(s.of.o.Broker); err != nil {
			return r, err
		}
	}
	r.log, err = harness.DirBytes(n.LogFiles())
	return r, err
}

// run adds a moment every so often, and takes a profile in each, until over is closed.
func (s *series) run(ctx context.Context, over <-chan struct{}) error {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	profiled := make(chan error, 1)
	go func() { profiled <- s.record(ctx) }()
	for {
		select {
		case <-over:
			cancel()
			return <-profiled
		case err := <-profiled:
			return err
		case <-tick.C:
			if err := s.add(ctx); err != nil {
				return err
			}
		}
	}
}

// profiledFor is how much of each interval is in a profile.
const profiledFor = 10 * time.Second

func (s *series) record(ctx context.Context) error {
	span := max(min(profiledFor, s.every), time.Second)
	for {
		p, err := s.of.publisher.Node.Profile(ctx, span)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if s.profile != nil {
			if p, err = profile.Merge([]*profile.Profile{s.profile, p}); err != nil {
				return err
			}
		}
		s.profile = p
		select {
		case <-time.After(s.every - span):
		case <-ctx.Done():
			return nil
		}
	}
}

// add adds a moment.
func (s *series) add(ctx context.Context) error {
	now, err := s.read(ctx)
	if err != nil {
		return err
	}
	r := s.of
	rss, err := harness.Memory(r.publisher.Node.PID(), "VmRSS")
	if err != nil {
		return err
	}
	n := float64(max(now.acked-s.last.acked, 1))
	rows := float64(max(now.status.Rows()-s.first.status.Rows(), 1))
	m := Moment{
		Seconds: now.at.Sub(r.stream.Began).Seconds(), Rate: n / now.at.Sub(s.last.at).Seconds(),
		Behind: now.status.Behind(),
		Node:   report.Micros(now.node-s.last.node) / n, Broker: report.Micros(now.broker-s.last.broker) / n,
		Visible: r.probes.visible.Turn(), Answered: r.asker.all.Turn(), MiB: report.MiB(rss),
		Store:    float64(int64(now.status.Store.Disk)-int64(s.first.status.Store.Disk)) / rows,
		LogBytes: float64(now.log-s.first.log) / rows,
	}
	s.last = now
	r.o.Progress("%.0f s: %.0f a second, %d behind, %.2f µs, visible p99 %.1f ms, questions p99 %.1f ms", m.Seconds,
		m.Rate, m.Behind, m.Node, m.Visible.P99, m.Answered.P99)
	r.result.Series = append(r.result.Series, m)
	return nil
}

// conclude waits until all is applied, and sums up.
func (s *series) conclude(ctx context.Context) error {
	if _, err := s.of.publisher.Settled(ctx); err != nil {
		return err
	}
	now, err := s.read(ctx)
	if err != nil {
		return err
	}
	s.last = now
	own, err := harness.CPU(os.Getpid())
	if err != nil {
		return err
	}
	r, n := s.of.result, float64(now.acked-s.first.acked)
	r.Reached = n / r.Seconds
	r.Node = report.Micros(now.node-s.first.node) / n
	r.Own = report.Micros(own-s.own) / n
	if s.of.o.Broker != 0 {
		r.Broker = new(report.Micros(now.broker-s.first.broker) / n)
	}
	if s.profile != nil {
		r.Stages = stages.Divide(r.Node, s.profile)
		r.Answers = stages.Part(r.Stages, stages.Answers)
	}
	r.Durable = s.of.stream.Durable.Whole()
	r.Visible = s.of.probes.visible.Whole()
	r.Answered = s.of.asker.all.Whole()
	r.Questions = s.of.asker.report()
	return nil
}

// Print writes what a load measured.
func (l *Result) Print(t *report.Table) {
	t.Row()
	t.Row("STEADY LOAD, LOG "+l.Log, fmt.Sprintf("%.0f a second asked", l.Asked),
		fmt.Sprintf("%.0f reached", l.Reached), fmt.Sprintf("over %.1f s, after %g s of it", l.Seconds, l.Warm))
	t.Figures("  CPU of the node an activity, with questions (µs)", 2, l.Node)
	t.Figures("    of it answers, by profile (µs)", 2, l.Answers)
	if l.Broker != nil {
		t.Figures("  CPU of the log's process (µs)", 2, *l.Broker)
	}
	t.Figures("  CPU of this program, on the same machine (µs)", 2, l.Own)
	t.Row("  MILLISECONDS SINCE DUE", "COUNT", "P50", "P90", "P99", "P99.9", "MAX")
	t.Latency("  durable: acknowledged", l.Durable)
	t.Latency("  visible: in an answer that needs it", l.Visible)
	t.Latency(fmt.Sprintf("  questions, %g a second", l.Asking), l.Answered)
	for i := range l.Questions {
		q := &l.Questions[i]
		name := "    " + q.Name
		if q.Refused > 0 {
			name += fmt.Sprintf("; %d refused", q.Refused)
		}
		if q.GivenUp > 0 {
			name += fmt.Sprintf("; %d given up", q.GivenUp)
		}
		t.Latency(name, q.Took)
	}
	t.Row() // columns of their own
	t.Row("  SERIES (s)", "A SECOND", "CPU µs", "LOG'S µs", "BEHIND", "VISIBLE P50", "P99", "MAX", "QUESTIONS P99",
		"MIB", "STORE B/ROW", "LOG B/ROW")
	for i := range l.Series {
		m := &l.Series[i]
		t.Figures(fmt.Sprintf("  %.0f", m.Seconds), 1, m.Rate, m.Node, m.Broker, float64(m.Behind), m.Visible.P50,
			m.Visible.P99, m.Visible.Max, m.Answered.P99, m.MiB, m.Store, m.LogBytes)
	}
	t.Row()
	e := &l.Equality
	result := "each counted once"
	if !e.Holds() {
		result = fmt.Sprintf("NOT EQUAL, %d dead letters", e.Letters)
	}
	t.Row("  published; must count; counted", fmt.Sprintf("%d; %d; %d", e.Published, e.Expected, e.Counted), result)
}
