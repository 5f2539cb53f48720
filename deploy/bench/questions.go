package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/bench/peers"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// Question is how long one takes to answer, in milliseconds.
type Question struct {
	Name      string         `json:"name"`
	About     string         `json:"about"`
	Rows      int64          `json:"rows"` // what the answer counts, or what its list has in all
	Statistic bool           `json:"statistic,omitempty"`
	P50       report.Spread  `json:"p50"` // over HTTP
	P99       report.Spread  `json:"p99"`
	CPU       report.Spread  `json:"cpu"`              // of the node, for one
	Engine    *report.Spread `json:"engine,omitempty"` // in this process
	Peers     []PeerTime     `json:"peers,omitempty"`
}

// PeerTime is a peer's time, in its fastest form.
type PeerTime struct {
	Peer   string        `json:"peer"`
	Millis report.Spread `json:"millis"`
	SQL    []string      `json:"sql"`
}

// asking asks the questions about a scene.
type asking struct {
	b      *bench
	node   *harness.Node
	scene  *peers.Scene
	api    *client.Client
	engine *peers.Engine // nil: HTTP alone
	peers  []*peers.Server
}

// measureQuestions asks all questions over HTTP and, for the part peers, the engine in this
// process, DuckDB and ClickHouse: round by round, so that the machine disturbs all alike.
func (b *bench) measureQuestions(ctx context.Context, n *harness.Node, c *peers.Scene) (err error) {
	a := &asking{b: b, node: n, scene: c, api: c.API(n, 1)}
	if b.o.wants(partPeers) {
		defer func() { a.close() }()
		if err := a.start(ctx); err != nil {
			return err
		}
	}
	for _, q := range peers.Questions(c) {
		if err := a.measure(ctx, &q); err != nil {
			return fmt.Errorf("%s of %s: %w", q.Name(), q.About(c), err)
		}
	}
	return nil
}

// measure asks one question, compares the answers, and takes the times in rounds.
func (a *asking) measure(ctx context.Context, q *peers.Question) error {
	t, first, err := a.compare(ctx, q)
	if err != nil {
		return err
	}
	if t.path == "" && a.engine == nil {
		return nil
	}
	for range a.b.o.runs {
		if err := a.round(ctx, q, t); err != nil {
			return err
		}
	}
	m := Question{
		Name: q.Name(), About: q.About(a.scene), Rows: first.Rows(q.Shape), Statistic: q.Statistic(),
		P50: report.SpreadOf(t.p50), P99: report.SpreadOf(t.p99), CPU: report.SpreadOf(t.cpu),
	}
	var line strings.Builder
	line.WriteString(fmt.Sprintf("%s of %s: %d", m.Name, m.About, m.Rows))
	if t.path != "" {
		line.WriteString(fmt.Sprintf(", HTTP p50 %.3f ms, p99 %.3f ms", m.P50.Median, m.P99.Median))
	}
	if len(t.engine) > 0 {
		m.Engine = new(report.SpreadOf(t.engine))
		line.WriteString(fmt.Sprintf(", engine %.3f ms", m.Engine.Median))
	}
	for i := range t.forms {
		m.Peers = append(m.Peers, PeerTime{a.peers[i].Version, report.SpreadOf(t.forms[i].millis), t.forms[i].SQL})
		line.WriteString(fmt.Sprintf(", %s %.2f ms", a.peers[i].Version, m.Peers[i].Millis.Median))
	}
	progress("%s", line.String())
	a.b.report.Questions = append(a.b.report.Questions, m)
	return nil
}

// timings are the figures of the rounds.
type timings struct {
	path          string // empty: the API has no such question
	params        client.Params
	p50, p99, cpu []float64
	engine        []float64
	forms         []formTimings // of the peers, each in its fastest form
}

type formTimings struct {
	peers.Form
	millis []float64
	runs   int
}

// compare asks everywhere, fails where two answers differ, and finds the peers' fastest forms.
func (a *asking) compare(ctx context.Context, q *peers.Question) (*timings, peers.Answer, error) {
	t := &timings{}
	var first peers.Answer
	if a.engine != nil && q.Keyword == "" { // contents are the node's
		var err error
		if first, _, err = a.engine.Answers(q); err != nil {
			return nil, nil, err
		}
	}
	for _, s := range a.peers {
		runs, err := s.Ask(a.scene, q, 1, 3)
		if err != nil {
			return nil, nil, err
		}
		best := 0
		for i, r := range runs {
			if first == nil {
				first = r.Answer
			}
			if d := r.Answer.Differs(first); d != "" {
				return nil, nil, fmt.Errorf("%s has another answer: %s\n%s", s.Version, d, r.Form.SQL)
			}
			if report.SpreadOf(r.Millis).Median < report.SpreadOf(runs[best].Millis).Median {
				best = i
			}
		}
		n := 3
		if report.SpreadOf(runs[best].Millis).Median > slow {
			n = 1
		}
		t.forms = append(t.forms, formTimings{Form: runs[best].Form, runs: n})
	}
	if t.path, t.params = q.Request(a.scene); t.path == "" {
		return t, first, nil
	}
	var body json.RawMessage
	if _, err := a.api.Get(ctx, t.path, t.params, &body); err != nil {
		return nil, nil, err
	}
	ours, err := q.Read(a.scene, body)
	if err != nil || first == nil {
		return t, ours, err
	}
	same := first
	if q.Shape == domain.ShapeFeed {
		same = first.Loose()
	}
	if d := ours.Differs(same); d != "" {
		return nil, nil, fmt.Errorf("the node has another answer: %s", d)
	}
	return t, first, nil
}

// slow is from how many milliseconds on a peer is asked once a round.
const slow = 150

// A round asks a question at most so often, and not less than minRound times.
const (
	maxRound = 100
	minRound = 3
)

// round asks each engine in turn.
func (a *asking) round(ctx context.Context, q *peers.Question, t *timings) error {
	if t.path != "" {
		before, err := harness.CPU(a.node.PID())
		if err != nil {
			return err
		}
		took, err := many(a.b.o.pace.round, func() (time.Duration, error) {
			var body json.RawMessage
			began := time.Now()
			_, err := a.api.Get(ctx, t.path, t.params, &body)
			return time.Since(began), err
		})
		if err != nil {
			return err
		}
		after, err := harness.CPU(a.node.PID())
		if err != nil {
			return err
		}
		t.p50 = append(t.p50, report.Quantile(took, 0.5))
		t.p99 = append(t.p99, report.Quantile(took, 0.99))
		t.cpu = append(t.cpu, report.Millis(after-before)/float64(len(took)))
	}
	if a.engine != nil && q.Keyword == "" {
		took, err := many(a.b.o.pace.round, func() (time.Duration, error) {
			_, d, err := a.engine.Answers(q)
			return d, err
		})
		if err != nil {
			return err
		}
		t.engine = append(t.engine, report.Quantile(took, 0.5))
	}
	for i, s := range a.peers {
		r, err := s.Run(&t.forms[i].Form, 0, t.forms[i].runs)
		if err != nil {
			return err
		}
		t.forms[i].millis = append(t.forms[i].millis, report.SpreadOf(r.Millis).Median)
	}
	return nil
}

// many asks for a round of a span and returns the times in milliseconds.
func many(span time.Duration, ask func() (time.Duration, error)) (took []float64, err error) {
	for began := time.Now(); len(took) < maxRound && (len(took) < minRound || time.Since(began) < span); {
		d, err := ask()
		if err != nil {
			return nil, err
		}
		took = append(took, report.Millis(d))
	}
	return took, nil
}

// ratio is how many times as long the fastest peer takes; 0: not known.
func (q *Question) ratio(ours *report.Spread) float64 {
	best := 0.0
	for _, p := range q.Peers {
		if best == 0 || p.Millis.Median < best {
			best = p.Millis.Median
		}
	}
	if ours == nil || ours.Median == 0 {
		return 0
	}
	return best / ours.Median
}

// meanRatio is the geometric mean of the statistics' ratios; 0 where none was compared.
func meanRatio(all []Question, ours func(*Question) *report.Spread) float64 {
	sum, n := 0.0, 0
	for i := range all {
		if r := all[i].ratio(ours(&all[i])); all[i].Statistic && r > 0 {
			sum += math.Log(r)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / float64(n))
}

func inProcess(q *Question) *report.Spread { return q.Engine }
func overHTTP(q *Question) *report.Spread  { return &q.P50 }

// printQuestions prints the medians, the peers beside.
func printQuestions(t *report.Table, all []Question) {
	if len(all) == 0 {
		return
	}
	t.Row()
	head := []string{"QUESTIONS, MEDIANS IN MS", "ROWS", "HTTP P50", "P99", "CPU"}
	compared := all[0].Engine != nil
	if compared {
		head = append(head, "ENGINE")
		for _, p := range all[0].Peers {
			name, _, _ := strings.Cut(p.Peer, " ")
			head = append(head, strings.ToUpper(name))
		}
		head = append(head, "RATIO ENGINE", "HTTP")
	}
	t.Row(head...)
	ms := func(s *report.Spread) string {
		if s == nil || s.Median == 0 {
			return "-"
		}
		return fmt.Sprintf("%.3f", s.Median)
	}
	for i := range all {
		q := &all[i]
		cells := []string{q.Name + ", " + q.About, fmt.Sprint(q.Rows), ms(&q.P50), ms(&q.P99), ms(&q.CPU)}
		if compared {
			cells = append(cells, ms(q.Engine))
			for k := range q.Peers {
				cells = append(cells, ms(&q.Peers[k].Millis))
			}
			cells = append(cells, times(q.ratio(q.Engine)), times(q.ratio(&q.P50)))
		}
		t.Row(cells...)
	}
	if compared {
		t.Row("statistics, geometric mean of the ratios",
			fmt.Sprintf("%s in this process, %s over HTTP", times(meanRatio(all, inProcess)),
				times(meanRatio(all, overHTTP))))
	}
}

// times is a ratio; "-" is none.
func times(r float64) string {
	if r == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f ×", r)
}
