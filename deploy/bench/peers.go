package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/deploy/bench/peers"
)

// Peers is how this engine and others answer the same questions from the same rows.
type Peers struct {
	Rows     int        `json:"rows"`
	Members  int        `json:"members"`
	Brands   int        `json:"brands"`
	Engines  []string   `json:"engines"`
	Skipped  string     `json:"skipped,omitempty"` // why no other engine was asked
	Compared []Compared `json:"compared"`
	RowBytes float64    `json:"rowBytes"` // of the columns in memory, a row
	Wide     []Wide     `json:"wide"`
	Live     *Live      `json:"live,omitempty"` // of a node
}

// Compared is a question and how long it took, in milliseconds.
type Compared struct {
	Name   string  `json:"name"`
	About  string  `json:"about"`
	Rows   int64   `json:"rows"`             // what the answer counts, or what its list has in all
	Engine *Spread `json:"engine,omitempty"` // in this process
	HTTP   *Spread `json:"http,omitempty"`
	Tenth  *Spread `json:"tenth,omitempty"` // in this process, of a tenth of the rows
	Others []Other `json:"others,omitempty"`
	Goal   Goal    `json:"goal"`
}

// Other is another engine's time, in its fastest form.
type Other struct {
	Engine string   `json:"engine"`
	Millis Spread   `json:"millis"`
	SQL    []string `json:"sql"`
}

// best is the better of the others, in milliseconds; 0: none was asked.
func (c *Compared) best() (ms float64) {
	for _, o := range c.Others {
		if ms == 0 || o.Millis.Median < ms {
			ms = o.Millis.Median
		}
	}
	return ms
}

// ratio is how many times as long the better of the others takes; 0: not known.
func (c *Compared) ratio(ours *Spread) float64 {
	if ours == nil || ours.Median == 0 {
		return 0
	}
	return c.best() / ours.Median
}

// comparison is what takes part in it.
type comparison struct {
	b      *bench
	scene  *peers.Scene
	rig    *peers.Rig
	tenth  *peers.Rig
	staged *staged // nil: no node
	others []*peers.Server
	report *Peers
}

// measurePeers asks this engine in this process, a node, and other engines.
func (b *bench) measurePeers(ctx context.Context) (err error) {
	o := &b.o.peers
	sizes := peers.Sizes{Rows: o.rows, Members: o.members, Brands: o.brands, Seed: b.o.seed}
	c := &comparison{b: b, report: &Peers{Rows: o.rows, Members: o.members, Brands: o.brands, Engines: []string{"this, " + runtime.Version()}}}
	b.report.Peers = c.report
	if o.alone {
		c.scene = peers.NewScene(sizes, domain.Second(time.Now().Truncate(time.Minute).Unix()))
		c.scene.Invent()
	} else {
		c.staged, err = b.stage(ctx, sizes)
		defer func() { c.staged.node.stop() }()
		if err != nil {
			return err
		}
		c.scene = c.staged.scene
	}
	progress("taking %d rows into columns", o.rows)
	if c.rig, err = peers.NewRig(c.scene, b.o.shards, runtime.NumCPU()); err != nil {
		return err
	}
	defer c.rig.Close()
	c.report.RowBytes = float64(c.rig.Bytes()) / float64(o.rows)
	if c.tenth, err = peers.NewRig(c.scene.Tenth(), b.o.shards, runtime.NumCPU()); err != nil {
		return err
	}
	defer c.tenth.Close()
	defer c.dismiss()
	if err := c.invite(ctx); err != nil {
		return err
	}
	for _, q := range questionsOf(c.scene) {
		if err := c.compare(ctx, &q); err != nil {
			return fmt.Errorf("%s: %w", q.Name(), err)
		}
	}
	c.dismiss()
	if c.staged != nil {
		if err := c.live(ctx); err != nil {
			return err
		}
	}
	return c.wide()
}

// invite installs, starts and loads the other engines. That they cannot be installed is
// told, and no fault.
func (c *comparison) invite(ctx context.Context) error {
	o := &c.b.o.peers
	packages := o.packages
	if packages == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		packages = filepath.Join(cache, "ovation-bench", "peers")
	}
	if err := peers.Install(ctx, o.python, packages); err != nil {
		c.report.Skipped = err.Error()
		progress("no other engine is asked: %v", err)
		return ctx.Err()
	}
	csv := filepath.Join(c.b.dir, "rows.csv")
	if err := c.scene.WriteCSV(csv, c.b.o.shards); err != nil {
		return err
	}
	defer os.Remove(csv)
	for _, name := range []string{peers.NameDuckDB, peers.NameClickHouse} {
		s, err := peers.Start(ctx, name, o.python, packages, c.b.dir, runtime.NumCPU())
		if err != nil {
			return err
		}
		c.others = append(c.others, s)
		began := time.Now()
		if err := s.Load(csv); err != nil {
			return err
		}
		rss, err := rssOf(s.PID())
		if err != nil {
			return err
		}
		progress("%s has the rows after %v, %.0f MiB", s.Version, time.Since(began).Round(time.Millisecond), mib(rss))
		c.report.Engines = append(c.report.Engines, s.Version)
	}
	return nil
}

// dismiss ends the other engines.
func (c *comparison) dismiss() {
	for _, s := range c.others {
		if err := s.Close(); err != nil {
			progress("%s: %v", s.Version, err)
		}
	}
	c.others = nil
}

// compare asks one question everywhere, compares the answers, and takes the times in
// rounds.
func (c *comparison) compare(ctx context.Context, q *peers.Question) error {
	m := &Compared{Name: q.Name(), About: about(c.scene, q), Goal: goalOf(q)}
	t, err := c.answers(ctx, q, m)
	if err != nil {
		return err
	}
	for range c.b.o.runs {
		if err := c.round(ctx, q, t); err != nil {
			return err
		}
	}
	m.Engine, m.Tenth, m.HTTP = t.engine.spread(), t.tenth.spread(), t.http.spread()
	for i := range t.forms {
		m.Others = append(m.Others, Other{c.others[i].Version, *t.forms[i].spread(), t.forms[i].SQL})
	}
	progress("%s", m.line())
	c.report.Compared = append(c.report.Compared, *m)
	return nil
}

// timings are the medians of the rounds, by engine.
type timings struct {
	address             string // of the question over HTTP; empty: nowhere
	engine, tenth, http medians
	forms               []formTimings // of the others, each in its fastest form
}

type medians []float64

func (m medians) spread() *Spread {
	if len(m) == 0 {
		return nil
	}
	return new(spreadOf(m))
}

type formTimings struct {
	peers.Form
	medians
	runs int
}

// answers asks everywhere, and fails where two answers differ. It also finds the others'
// fastest forms.
func (c *comparison) answers(ctx context.Context, q *peers.Question, m *Compared) (*timings, error) {
	t := &timings{}
	var first peers.Answer
	if q.Keyword == "" {
		var err error
		if first, _, err = c.rig.Answers(q); err != nil {
			return nil, err
		}
	}
	for _, s := range c.others {
		runs, err := s.Ask(c.scene, q, 1, 3)
		if err != nil {
			return nil, err
		}
		best := 0
		for i, r := range runs {
			if first == nil {
				first = r.Answer
			}
			if d := r.Answer.Differs(first); d != "" {
				return nil, fmt.Errorf("%s answers otherwise: %s\n%s", s.Version, d, r.Form.SQL)
			}
			if spreadOf(r.Millis).Median < spreadOf(runs[best].Millis).Median {
				best = i
			}
		}
		n := 3
		if spreadOf(runs[best].Millis).Median > slow {
			n = 1
		}
		t.forms = append(t.forms, formTimings{Form: runs[best].Form, runs: n})
	}
	if c.staged != nil {
		t.address = c.staged.address(q)
	}
	if t.address != "" {
		body, _, _, err := c.staged.get(ctx, t.address, "")
		if err != nil {
			return nil, err
		}
		ours, err := c.staged.read(q, body)
		if err != nil {
			return nil, err
		}
		same := first
		if q.Shape == domain.ShapeFeed {
			same = first.Loose()
		}
		if d := ours.Differs(same); first != nil && d != "" {
			return nil, fmt.Errorf("the node answers otherwise: %s", d)
		}
		if first == nil {
			first = ours
		}
	}
	m.Rows = first.Rows(q.Shape)
	return t, nil
}

// slow is from how many milliseconds on a question is asked once a round.
const slow = 150

// round asks each engine in turn.
func (c *comparison) round(ctx context.Context, q *peers.Question, t *timings) error {
	for _, r := range []struct {
		rig *peers.Rig
		to  *medians
	}{{c.rig, &t.engine}, {c.tenth, &t.tenth}} {
		if q.Keyword != "" { // contents are the node's
			continue
		}
		took, _, err := askRig(r.rig, q, c.b.o.asks)
		if err != nil {
			return err
		}
		*r.to = append(*r.to, took)
	}
	if t.address != "" {
		took, err := median(c.b.o.asks, func() (time.Duration, error) {
			_, _, d, err := c.staged.get(ctx, t.address, "")
			return d, err
		})
		if err != nil {
			return err
		}
		t.http = append(t.http, took)
	}
	for i, s := range c.others {
		r, err := s.Run(&t.forms[i].Form, 0, t.forms[i].runs)
		if err != nil {
			return err
		}
		t.forms[i].medians = append(t.forms[i].medians, spreadOf(r.Millis).Median)
	}
	return nil
}

// A round asks a question no longer than this, but thrice.
const (
	roundFor   = time.Second
	roundLeast = 3
)

// median asks n times, or fewer where that takes long, and gives the median in
// milliseconds.
func median(n int, ask func() (time.Duration, error)) (float64, error) {
	var took []float64
	for began := time.Now(); len(took) < n && (len(took) < roundLeast || time.Since(began) < roundFor); {
		d, err := ask()
		if err != nil {
			return 0, err
		}
		took = append(took, micros(d)/1000)
	}
	return quantile(took, 0.5), nil
}
