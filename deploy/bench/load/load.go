package load

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/pprof/profile"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/bench/publish"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/bench/stages"
)

// Options are the sizes of a load.
type Options struct {
	Rate      float64       // activities a second
	Questions float64       // a second
	Warm      time.Duration // of the load before figures are taken
	Span      time.Duration // of the load
	Shards    int
	Broker    int // process of a log outside the node; 0: there is none
	Progress  func(format string, args ...any)
}

// probesASecond is how many activities a second are probes.
const probesASecond = 20

// Result is what a load measured. Asked is what was due, Reached what was durable over the time
// it took.
type Result struct {
	Log     string  `json:"log"`
	Asked   float64 `json:"asked"`   // activities a second
	Reached float64 `json:"reached"` // of them, probes included
	Seconds float64 `json:"seconds"` // of the span, and until all was durable
	Warm    float64 `json:"warm"`    // seconds of the same load before, without figures
	CPU
	Stages    []stages.Cost  `json:"stages"`
	Durable   report.Latency `json:"durable"` // due → acknowledged, of all
	Visible   report.Latency `json:"visible"` // due → in an answer, of the probes
	Asking    float64        `json:"asking"`  // questions a second
	Answered  report.Latency `json:"answered"`
	Questions []AskedKind    `json:"questions"`
	Series    []Moment       `json:"series"`
	Equality  Equality       `json:"equality"`
}

// CPU is that of an activity, in microseconds.
type CPU struct {
	Node    float64  `json:"node"`             // with its answers
	Answers float64  `json:"answers"`          // of it by its profile: questions, probes, status, the profile
	Broker  *float64 `json:"broker,omitempty"` // of the log's process
	Own     float64  `json:"own"`              // of this program, on the same machine
}

// Prepare adds the brand and the definition of the probes to a population that is not entered.
func Prepare(m *population.Mix) {
	m.Brands = append(m.Brands, 0)
	m.Definitions = append(m.Definitions, population.Definition{
		Name: "probed {brand}", Kind: "Listened",
		Service: domain.Spotify, Points: 1,
	})
}

// run is a load on a node.
type run struct {
	o         *Options
	publisher *publish.Publisher
	mix       *population.Mix
	expected  *expected
	stream    *publish.Stream
	probes    *probes
	asker     *asker
	result    *Result
}

// Run puts the load on a node and returns what it measured, and a profile of the node's CPU;
// nil if the span is too short for one. Expected counts what was published before.
func Run(ctx context.Context, p *publish.Publisher, m *population.Mix, o Options) (*Result, *profile.Profile, error) {
	st, err := p.Node.Status(ctx)
	if err != nil {
		return nil, nil, err
	}
	r := &run{o: &o, publisher: p, mix: m, expected: newExpected(m.Population, st.Rows())}
	r.result = &Result{Asked: o.Rate, Warm: o.Warm.Seconds(), Asking: o.Questions}
	if r.probes, err = newProbes(m.Population, o.Shards); err != nil {
		return nil, nil, err
	}
	if o.Warm > 0 {
		o.Progress("%.0f activities a second for %v, without figures", o.Rate, o.Warm)
		r.begin()
		if err := r.put(ctx, o.Warm, 0, nil); err != nil {
			return nil, nil, err
		}
	}
	o.Progress("%.0f activities and %.0f questions a second for %v", o.Rate, o.Questions, o.Span)
	r.begin()
	s, err := newSeries(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	beside := []task{s.run}
	for _, p := range r.probes.by {
		beside = append(beside, func(ctx context.Context, over <-chan struct{}) error {
			return p.watch(ctx, over, r.askFor(ctx, p))
		})
	}
	if err := r.put(ctx, o.Span, probesASecond, beside); err != nil {
		return nil, nil, err
	}
	if err := s.conclude(ctx); err != nil {
		return nil, nil, err
	}
	r.result.Equality = r.expected.equality(m.Made, &s.last.status)
	return r.result, s.profile, nil
}

// begin replaces the counters.
func (r *run) begin() {
	r.stream = publish.NewStream(r.publisher)
	r.asker = newAsker(r.mix, r.publisher.Node, r.o.Questions)
}

// task runs beside the load until its context or the load is over.
type task func(ctx context.Context, over <-chan struct{}) error

// put publishes and asks for a span, with so many probes a second, and runs tasks beside it.
func (r *run) put(ctx context.Context, span time.Duration, probes float64, tasks []task) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	tasks = append(tasks, r.asker.run)
	r.stream.Began = time.Now()
	errs := make([]error, len(tasks))
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() {
			if errs[i] = t(ctx, over); errs[i] != nil {
				cancel()
			}
		})
	}
	err := r.stream.Run(ctx, r.due(span, probes))
	r.result.Seconds = time.Since(r.stream.Began).Seconds()
	close(over)
	wg.Wait()
	return errors.Join(append(errs, err)...)
}

// due puts what is due within a span: activities of the mix, and probes among them.
func (r *run) due(span time.Duration, probesRate float64) func(upTo time.Duration, put func(publish.Item)) bool {
	load, probes := publish.Pace{Rate: r.o.Rate}, publish.Pace{Rate: probesRate, Spread: true}
	made, probed := 0, 0
	item := func(a population.Activity, due time.Duration, acked func(time.Time)) publish.Item {
		a.At = r.stream.Began.Add(due)
		r.expected.note(&a)
		member, m := r.mix.Message(a)
		return publish.Item{Member: member, Message: m, Due: a.At, Acked: acked}
	}
	return func(upTo time.Duration, put func(publish.Item)) bool {
		last := min(upTo, span)
		for n := load.By(last); made < n; made++ {
			put(item(r.mix.Any(time.Time{}), load.Due(made), nil))
		}
		for n := probes.By(last); probed < n; probed++ {
			due := probes.Due(probed)
			p := r.probes.next(probed, r.stream.Began.Add(due))
			a := population.Activity{
				Member: p.of.index, Brand: len(r.mix.Brands) - 1,
				Definition: len(r.mix.Definitions) - 1,
			}
			put(item(a, due, p.acked))
		}
		return upTo < span
	}
}
