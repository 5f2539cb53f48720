package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Polls is what a node spends on clients that ask again and again for what has not
// changed, each on a connection of its own and as soon as it has its answer.
type Polls struct {
	Pollers   int     `json:"pollers"`
	CPU       Spread  `json:"cpu"`       // of the node a poll, above what it takes at rest, µs
	Bare      Spread  `json:"bare"`      // of it for a 304 that nothing is looked up for: net/http's, the runtime's and the kernel's
	Rate      Spread  `json:"rate"`      // polls a second: the rarer, the colder each wakes the node
	Unchanged float64 `json:"unchanged"` // share that was answered 304
}

const (
	pollsOfARound = 20_000 // the kernel counts in hundredths of a second
	restingFor    = 5 * time.Second
	pollersAside  = 16
)

// polls asks for what has not changed.
func (c *comparison) polls(ctx context.Context, l *Live) error {
	before, err := cpuOf(c.staged.node.pid())
	if err != nil {
		return err
	}
	select {
	case <-time.After(restingFor):
	case <-ctx.Done():
		return ctx.Err()
	}
	after, err := cpuOf(c.staged.node.pid())
	if err != nil {
		return err
	}
	resting := (after - before).Seconds() / restingFor.Seconds()
	l.Resting = 1000 * resting
	for _, n := range []int{1, pollersAside} {
		p := Polls{Pollers: n}
		var each, bare, rate []float64
		for range c.b.o.runs {
			r, err := c.poll(ctx, n, c.week(), resting)
			if err != nil {
				return err
			}
			b, err := c.poll(ctx, n, "http://"+c.staged.node.http+"/openapi.json", resting)
			if err != nil {
				return err
			}
			each, bare, rate = append(each, r.micros), append(bare, b.micros), append(rate, r.rate)
			p.Unchanged += r.unchanged / float64(c.b.o.runs)
		}
		p.CPU, p.Bare, p.Rate = spreadOf(each), spreadOf(bare), spreadOf(rate)
		progress("%d polling: %.1f µs of CPU, %.1f where nothing is looked up, %.2f %% unchanged", n, p.CPU.Median, p.Bare.Median, 100*p.Unchanged)
		l.Polls = append(l.Polls, p)
	}
	return nil
}

// polled is a round of polls.
type polled struct{ micros, rate, unchanged float64 }

// poll is a round of n who poll an address; resting is how many seconds of CPU the node
// takes a second in any case.
func (c *comparison) poll(ctx context.Context, n int, address string, resting float64) (polled, error) {
	s := *c.staged
	s.http = manyRequests(n)
	defer s.http.CloseIdleConnections()
	_, res, _, err := s.get(ctx, address, "")
	if err != nil {
		return polled{}, err
	}
	etag := res.Header.Get("ETag")
	before, err := cpuOf(s.node.pid())
	if err != nil {
		return polled{}, err
	}
	var same atomic.Int64
	errs, began := make(chan error, n), time.Now()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			etag := etag
			for range pollsOfARound / n {
				_, res, _, err := s.get(ctx, address, etag)
				if err != nil {
					errs <- err
					return
				}
				if etag = res.Header.Get("ETag"); res.StatusCode == http.StatusNotModified {
					same.Add(1)
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return polled{}, err
	}
	took := time.Since(began)
	after, err := cpuOf(s.node.pid())
	all := float64(pollsOfARound / n * n)
	return polled{
		micros: (micros(after-before) - resting*micros(took)) / all, rate: all / took.Seconds(), unchanged: float64(same.Load()) / all,
	}, err
}

func (p *Polls) print(t *table) {
	who := "one polls"
	if p.Pollers > 1 {
		who = fmt.Sprintf("%d poll side by side", p.Pollers)
	}
	t.spread(fmt.Sprintf("  CPU of a poll, of which %.2f %% were answered 304, %s (µs; goal %d)", 100*p.Unchanged, who, goalPoll), p.CPU, 1)
	t.spread("    of a 304 that nothing is looked up for (µs)", p.Bare, 1)
	t.spread("    polls a second", p.Rate, 0)
}
