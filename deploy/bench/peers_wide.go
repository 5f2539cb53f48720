package main

import (
	"runtime"
	"time"

	"github.com/ovation-analytics/ovation/deploy/bench/peers"
)

// Wide is an account of many brands, in this process.
type Wide struct {
	Brands    int        `json:"brands"`
	RowBytes  float64    `json:"rowBytes"`
	Append    Spread     `json:"append"` // microseconds to append 1,000 rows to a shard
	Commit    Spread     `json:"commit"` // microseconds to publish them
	Questions []Compared `json:"questions"`
}

// commitsMeasured is how many commits of each shard are.
const commitsMeasured = 50

// wide tells of the account that was compared, and asks about one of more brands.
func (c *comparison) wide() error {
	w := c.width()
	for _, m := range c.report.Compared {
		if m.About == about(c.scene, &peers.Question{Brand: peers.Everywhere}) {
			w.Questions = append(w.Questions, Compared{Name: m.Name, About: m.About, Rows: m.Rows, Engine: m.Engine})
		}
	}
	c.report.Wide = append(c.report.Wide, w)

	sizes := c.scene.Sizes
	sizes.Brands = c.b.o.peers.wide
	d := &comparison{b: c.b, scene: peers.NewScene(sizes, c.scene.End)}
	d.scene.Invent()
	progress("taking %d rows of %d brands into columns", sizes.Rows, sizes.Brands)
	var err error
	if d.rig, err = peers.NewRig(d.scene, c.b.o.shards, runtime.NumCPU()); err != nil {
		return err
	}
	defer d.rig.Close()
	var asked []Compared
	for _, q := range everywhere() {
		m, err := d.alone(&q)
		if err != nil {
			return err
		}
		asked = append(asked, m)
	}
	w = d.width()
	w.Questions = asked
	c.report.Wide = append(c.report.Wide, w)
	return nil
}

// alone asks a question in this process only.
func (c *comparison) alone(q *peers.Question) (Compared, error) {
	m := Compared{Name: q.Name(), About: about(c.scene, q)}
	var rounds medians
	for range c.b.o.runs {
		took, a, err := askRig(c.rig, q, c.b.o.asks)
		if err != nil {
			return m, err
		}
		m.Rows = a.Rows(q.Shape)
		rounds = append(rounds, took)
	}
	m.Engine = rounds.spread()
	progress("%s", m.line())
	return m, nil
}

// width is what rows and commits cost. It is the last that a rig is used for: the commits
// add rows.
func (c *comparison) width() Wide {
	w := Wide{Brands: c.scene.Sizes.Brands, RowBytes: float64(c.rig.Bytes()) / float64(len(c.scene.Rows))}
	appended, published := c.rig.Commits(commitsMeasured)
	var a, p []float64
	for i := range appended {
		a, p = append(a, micros(appended[i])), append(p, micros(published[i]))
	}
	w.Append, w.Commit = spreadOf(a), spreadOf(p)
	return w
}

// askRig asks up to n times and gives the median in milliseconds, and the answer.
func askRig(g *peers.Rig, q *peers.Question, n int) (ms float64, a peers.Answer, err error) {
	ms, err = median(n, func() (took time.Duration, err error) {
		a, took, err = g.Answers(q)
		return took, err
	})
	return ms, a, err
}
