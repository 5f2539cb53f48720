package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/deploy/bench/peers"
)

// Live is what a node with the rows in it shows beside its answers' times.
type Live struct {
	MiB       float64 `json:"mib"`       // resident, once everything was asked
	Floor     Spread  `json:"floor"`     // of a request that asks no shard, ms
	Polls     []Polls `json:"polls"`     // one after the other, and side by side
	Resting   float64 `json:"resting"`   // CPU of the node a second while nobody asks, ms
	Found     float64 `json:"found"`     // activities a second it takes
	Streamed  float64 `json:"streamed"`  // that were streamed at it while it was asked
	Idle      Spread  `json:"idle"`      // p99 of a tally of the hot brand over 7 days, ms
	Streaming Spread  `json:"streaming"` // the same while activities stream in
	ColdOwn   Spread  `json:"coldOwn"`   // first tally of a large brand over 7 days after a start with little memory, ms
	ColdTail  Spread  `json:"coldTail"`  // of a tail brand
}

// live measures the node beside its answers.
func (c *comparison) live(ctx context.Context) error {
	l := &Live{}
	c.report.Live = l
	rss, err := rssOf(c.staged.node.pid())
	if err != nil {
		return err
	}
	l.MiB = mib(rss)
	for _, step := range []func(context.Context, *Live) error{c.floor, c.polls, c.streams, c.cold} {
		if err := step(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// floor is the time of a request that asks no shard.
func (c *comparison) floor(ctx context.Context, l *Live) error {
	brand := c.staged.full("/v1.1/brand/"+itoa(int(c.scene.Brands[hotBrand])), url.Values{})
	var rounds medians
	for range c.b.o.runs {
		took, err := median(c.b.o.asks, func() (time.Duration, error) {
			_, _, d, err := c.staged.get(ctx, brand, "")
			return d, err
		})
		if err != nil {
			return err
		}
		rounds = append(rounds, took)
	}
	l.Floor = *rounds.spread()
	return nil
}

// week is a dashboard's request: a tally of the hot brand over the last seven days.
func (c *comparison) week() string {
	q := peers.Question{Shape: domain.ShapeTally, Days: 7}
	p := url.Values{}
	p.Set("period", "7 Day")
	return c.staged.full(pathOf(q.Shape, itoa(int(c.scene.Brands[hotBrand]))), p)
}

const (
	askedASecond   = 50 // requests a second, whatever the answers take
	askedFor       = 10 * time.Second
	streamedMost   = 50_000 // activities a second
	findingSeconds = 5      // about, at the rate the node takes
)

// streams finds the rate that the node takes, asks while it is idle and then while
// activities stream in at half of that rate.
func (c *comparison) streams(ctx context.Context, l *Live) error {
	r := rand.New(rand.NewPCG(c.scene.Seed, 0x57e))
	now := func(int) (*peers.Row, time.Time) { return &c.scene.Rows[r.IntN(len(c.scene.Rows))], time.Now() }
	n := min(c.b.o.load, findingSeconds*streamedMost)
	began := time.Now()
	if _, err := c.staged.publish(ctx, c.b.o.batch, n, now); err != nil {
		return err
	}
	l.Found = float64(n) / time.Since(began).Seconds()
	l.Streamed = min(l.Found/2, streamedMost)
	progress("the node takes %.0f activities a second; asking while it is idle, and while %.0f a second come", l.Found, l.Streamed)
	var idle, busy []float64
	for range c.b.o.runs {
		p99, err := c.openLoop(ctx)
		if err != nil {
			return err
		}
		idle = append(idle, p99)
		if p99, err = c.openLoopBeside(ctx, l.Streamed, now); err != nil {
			return err
		}
		busy = append(busy, p99)
		progress("p99 %.2f ms idle, %.2f ms while activities stream", idle[len(idle)-1], p99)
	}
	l.Idle, l.Streaming = spreadOf(idle), spreadOf(busy)
	return nil
}

// openLoopBeside is openLoop while activities stream in at a rate.
func (c *comparison) openLoopBeside(ctx context.Context, rate float64, next func(int) (*peers.Row, time.Time)) (float64, error) {
	const ahead = time.Second // the stream begins before the asking, and ends after it
	n := int(rate * (askedFor + 2*ahead).Seconds())
	began, streamed := time.Now(), make(chan error, 1)
	go func() {
		_, err := c.staged.publish(ctx, c.b.o.batch, n, func(i int) (*peers.Row, time.Time) {
			due := began.Add(time.Duration(float64(i) / rate * float64(time.Second)))
			if wait := time.Until(due); wait > time.Millisecond {
				time.Sleep(wait)
			}
			return next(i)
		})
		streamed <- err
	}()
	time.Sleep(ahead)
	p99, err := c.openLoop(ctx)
	return p99, errors.Join(err, <-streamed)
}

// openLoop asks at a steady pace, whether answers come or not, and gives the p99 in
// milliseconds, from the moment when a request was due.
func (c *comparison) openLoop(ctx context.Context) (float64, error) {
	s := *c.staged
	s.http = manyRequests(64)
	address, n := c.week(), int(askedFor.Seconds()*askedASecond)
	took, errs := make([]float64, n), make([]error, n)
	began := time.Now()
	var wg sync.WaitGroup
	for i := range n {
		due := began.Add(time.Duration(i) * time.Second / askedASecond)
		time.Sleep(time.Until(due))
		wg.Go(func() {
			_, _, _, errs[i] = s.get(ctx, address, "")
			took[i] = micros(time.Since(due)) / 1000
		})
	}
	wg.Wait()
	return quantile(took, 0.99), errors.Join(errs...)
}

const (
	coldMemory = "256MiB"
	coldBrands = 40 // that are asked about once each
	coldFirst  = 20 // the place of the first large one
)

// cold starts the node with little memory and asks about brands that nobody asked about
// since.
func (c *comparison) cold(ctx context.Context, l *Live) error {
	n := c.staged.node
	n.stop()
	was := n.args
	n.args = append(was[:len(was):len(was)], "--memory", coldMemory)
	defer func() { n.args = was }()
	if _, err := n.start(ctx); err != nil {
		return err
	}
	for _, of := range []struct {
		first int
		to    *Spread
	}{{coldFirst, &l.ColdOwn}, {tailBrand(c.scene), &l.ColdTail}} {
		var took []float64
		for i := range min(coldBrands, c.scene.Sizes.Brands-of.first) {
			q := peers.Question{Shape: domain.ShapeTally, Days: 7, Brand: of.first + i}
			body, _, d, err := c.staged.get(ctx, c.staged.address(&q), "")
			if err != nil {
				return err
			}
			took = append(took, micros(d)/1000)
			if err := c.agrees(&q, body); err != nil {
				return fmt.Errorf("a cold brand: %w", err)
			}
		}
		*of.to = spreadOf(took)
	}
	progress("cold: a large brand %.2f ms, a tail brand %.2f ms", l.ColdOwn.Median, l.ColdTail.Median)
	return nil
}

// agrees reports where the node's answer is not that of this process.
func (c *comparison) agrees(q *peers.Question, body []byte) error {
	theirs, err := c.staged.read(q, body)
	if err != nil {
		return err
	}
	ours, _, err := c.rig.Answers(q)
	if err != nil {
		return err
	}
	if d := theirs.Differs(ours); d != "" {
		return fmt.Errorf("%s: the node answers otherwise: %s", q.Name(), d)
	}
	return nil
}
