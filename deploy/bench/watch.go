package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// Load is what a load at a steady pace found. Asked is what was due, Reached what was
// durable over the time it took.
type Load struct {
	Log     string  `json:"log"`
	Asked   float64 `json:"asked"`   // activities a second
	Reached float64 `json:"reached"` // of them, probes too
	Highest float64 `json:"highest,omitempty"`
	Seconds float64 `json:"seconds"` // of the span, and until all was durable
	Warm    float64 `json:"warm"`    // seconds of the same before them, without figures
	Linger  float64 `json:"linger"`  // of the producer, ms

	Node    float64     `json:"node"`             // CPU of the node an activity, µs, its answers among it
	Answers float64     `json:"answers"`          // of it by its profile: questions, probes, status, the profile
	Broker  *float64    `json:"broker,omitempty"` // CPU of the log's process, µs
	Own     float64     `json:"own"`              // CPU of this program, on the same machine, µs
	Stages  []StageCost `json:"stages"`

	Durable    Latency     `json:"durable"` // due → acknowledged, of all
	Visible    Latency     `json:"visible"` // due → in an answer, of the probes
	Unsure     Latency     `json:"unsure"`  // of it, since asked in vain
	ProbePolls int64       `json:"probePolls"`
	Asking     float64     `json:"asking"` // questions a second
	Answered   Latency     `json:"answered"`
	Questions  []AskedKind `json:"questions"`

	Series   []Moment `json:"series"`
	Equality Equality `json:"equality"`
	Verified string   `json:"verified,omitempty"` // what ovation verify says
	Unequal  bool     `json:"unequal,omitempty"`  // it says no
}

// fine reports that what was published is what is counted and stored.
func (l *Load) fine() bool { return l.Equality.fine() && !l.Unequal }

// Moment is a line of the series: what was in the time since the one before.
type Moment struct {
	Seconds    float64 `json:"seconds"` // since the beginning
	Rate       float64 `json:"rate"`    // activities a second that were durable
	Standing   int64   `json:"standing"`
	Behind     int64   `json:"behind"` // records of the log that are not applied
	Node       float64 `json:"node"`   // CPU an activity, µs
	Broker     float64 `json:"broker,omitempty"`
	Durable    Latency `json:"durable"`
	Visible    Latency `json:"visible"`
	Answered   Latency `json:"answered"`
	MiB        float64 `json:"mib"` // resident
	Goroutines int64   `json:"goroutines"`
	Files      int     `json:"files"`
	Rows       int64   `json:"rows"`
	Store      float64 `json:"store"` // bytes of its files for each row since the beginning
	LogBytes   float64 `json:"log"`   // of the log's files for each row since the beginning
}

// watch reads what a node takes while it is loaded.
type watch struct {
	s           *steady
	every       time.Duration
	first, last reading
	own         time.Duration    // CPU of this program before it
	profile     *profile.Profile // of all intervals; its goroutine's until run has returned
}

// reading is what can be read at a moment.
type reading struct {
	at           time.Time
	node, broker time.Duration // CPU so far
	acked        int64
	store, log   int64 // bytes on the disk
	status       status
}

func newWatch(ctx context.Context, s *steady) (*watch, error) {
	w := &watch{s: s, every: s.o.interval()}
	var err error
	if w.first, err = w.read(ctx); err != nil {
		return nil, err
	}
	w.last = w.first
	w.own, err = cpuOf(os.Getpid())
	return w, err
}

func (w *watch) read(ctx context.Context) (r reading, err error) {
	n := w.s.node
	if r.status, err = n.status(ctx); err != nil {
		return r, err
	}
	r.at, r.acked, r.store = time.Now(), w.s.stream.acked.Load(), int64(r.status.Store.Disk)
	if r.node, err = cpuOf(n.pid()); err != nil {
		return r, err
	}
	if w.s.broker != 0 {
		if r.broker, err = cpuOf(w.s.broker); err != nil {
			return r, err
		}
	}
	r.log, err = filesBytes(n.logFiles())
	return r, err
}

// run adds a line to the series every so often, and takes a profile in each, until over is
// closed.
func (w *watch) run(ctx context.Context, over <-chan struct{}) error {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	profiled := make(chan error, 1)
	go func() { profiled <- w.record(ctx) }()
	for {
		select {
		case <-over:
			cancel()
			return <-profiled
		case err := <-profiled:
			return err
		case <-tick.C:
			if err := w.line(ctx); err != nil {
				return err
			}
		}
	}
}

// profiledFor is how much of each interval is in a profile.
const profiledFor = 10 * time.Second

func (w *watch) record(ctx context.Context) error {
	span := max(min(profiledFor, w.every), time.Second)
	path := "/debug/pprof/profile?seconds=" + itoa(int(span.Seconds()))
	for {
		b, err := w.s.node.ask(ctx, path, nil)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		p, err := profile.ParseData(b)
		if err != nil {
			return err
		}
		if w.profile != nil {
			if p, err = profile.Merge([]*profile.Profile{w.profile, p}); err != nil {
				return err
			}
		}
		w.profile = p
		select {
		case <-time.After(w.every - span):
		case <-ctx.Done():
			return nil
		}
	}
}

// line adds a line to the series.
func (w *watch) line(ctx context.Context) error {
	now, err := w.read(ctx)
	if err != nil {
		return err
	}
	s := w.s
	n := float64(max(now.acked-w.last.acked, 1))
	m := Moment{
		Seconds: now.at.Sub(s.stream.began).Seconds(), Rate: n / now.at.Sub(w.last.at).Seconds(), Standing: s.stream.standing.Load(), Behind: now.status.behind(),
		Node: micros(now.node-w.last.node) / n, Broker: micros(now.broker-w.last.broker) / n,
		Durable: s.stream.durable.turn(), Visible: s.probes.visible.turn(), Answered: s.asker.all.turn(), Rows: now.status.rows(),
	}
	w.last = now
	rows := float64(max(m.Rows-w.first.status.rows(), 1))
	m.Store, m.LogBytes = float64(now.store-w.first.store)/rows, float64(now.log-w.first.log)/rows
	if m.MiB, m.Goroutines, m.Files, err = s.node.holds(ctx); err != nil {
		return err
	}
	if len(s.report.Series) == 0 {
		progress("%s", seriesHead)
	}
	progress("%s", m.line())
	s.report.Series = append(s.report.Series, m)
	return nil
}

// conclude waits until all is applied, and sums up.
func (w *watch) conclude(ctx context.Context, took time.Duration) error {
	s := w.s
	if _, err := s.feed.settled(ctx); err != nil {
		return err
	}
	now, err := w.read(ctx)
	if err != nil {
		return err
	}
	own, err := cpuOf(os.Getpid())
	if err != nil {
		return err
	}
	r, n := &s.report, float64(now.acked-w.first.acked)
	r.Seconds, r.Reached = took.Seconds(), n/took.Seconds()
	r.Node, r.Own = micros(now.node-w.first.node)/n, micros(own-w.own)/n
	if s.broker != 0 {
		r.Broker = new(micros(now.broker-w.first.broker) / n)
	}
	if s.profile = w.profile; w.profile != nil {
		sums, _ := stagesOf([]*profile.Profile{w.profile})
		r.Stages = sums.costs(r.Node)
	}
	for _, stage := range r.Stages {
		if stage.Stage == stageNames[stageAnswers] {
			r.Answers = stage.Micros
		}
	}
	r.Durable, r.Visible, r.Unsure, r.ProbePolls = s.stream.durable.whole(), s.probes.visible.whole(), s.probes.unsure.whole(), s.probes.asked.Load()
	r.Asking, r.Answered, r.Questions = s.o.questions, s.asker.all.whole(), s.asker.report()
	return nil
}

// behind is how many records are in the logs that are not applied.
func (s *status) behind() (n int64) {
	for i := range s.Routers {
		n += max(s.Routers[i].End-s.Routers[i].Next, 0)
	}
	for i := range s.Shards {
		n += max(s.Shards[i].End-s.Shards[i].Applied, 0)
	}
	return n
}

// logFiles is where the log's files are.
func (n *node) logFiles() string {
	if n.logData != "" {
		return n.logData
	}
	return filepath.Join(n.data, "log")
}

// holds is the node's resident memory, its goroutines and its open files.
func (n *node) holds(ctx context.Context) (resident float64, goroutines int64, files int, err error) {
	rss, err := rssOf(n.pid())
	if err != nil {
		return 0, 0, 0, err
	}
	metrics, err := n.ask(ctx, "/metrics", nil)
	if err != nil {
		return 0, 0, 0, err
	}
	if goroutines, err = metricOf(metrics, "go_goroutines"); err != nil {
		return 0, 0, 0, err
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", n.pid()))
	return mib(rss), goroutines, len(open), err
}

// metricOf reads a whole number without labels of what /metrics says.
func metricOf(metrics []byte, name string) (int64, error) {
	for line := range bytes.Lines(metrics) {
		if rest, ok := strings.CutPrefix(string(line), name+" "); ok {
			return strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
		}
	}
	return 0, fmt.Errorf("/metrics has no %s", name)
}
