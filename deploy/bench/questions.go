package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/api/client"
)

// Question is how long one takes to answer over HTTP, in milliseconds.
type Question struct {
	Name string `json:"name"`
	Days int    `json:"days"`
	Rows int64  `json:"rows"` // counted by the answer
	P50  Spread `json:"p50"`
	P99  Spread `json:"p99"`
	CPU  Spread `json:"cpu"` // of the node, for one, in milliseconds
}

// questionDays are the ranges asked about.
var questionDays = []int{7, 180}

// ask is a request that gives how many actions the answer counts.
type ask func(ctx context.Context, p client.Params) (int64, error)

// measureQuestions asks one question after another over one connection.
func (b *bench) measureQuestions(ctx context.Context, n *node, c *crowd) error {
	api := client.New("http://"+n.http, c.key).Over(manyRequests(1))
	asks := []struct {
		name string
		do   ask
	}{
		{"tally (stats/activity)", func(ctx context.Context, p client.Params) (int64, error) {
			out, _, err := api.StatsActivity(ctx, c.hot, p)
			return count(out.TotalCount), err
		}},
		{"timeline (stats/timeline)", func(ctx context.Context, p client.Params) (rows int64, err error) {
			out, _, err := api.StatsTimeline(ctx, c.hot, p)
			for i := range out.Services {
				rows += count(out.Services[i].TotalCount)
			}
			return rows, err
		}},
		{"one brand, for what HTTP costs", func(ctx context.Context, _ client.Params) (int64, error) {
			_, _, err := api.Brand(ctx, c.hot)
			return 0, err
		}},
	}
	for _, a := range asks {
		for _, days := range questionDays {
			q, err := b.askMany(ctx, n, a.do, days)
			if err != nil {
				return fmt.Errorf("%s over %d days: %w", a.name, days, err)
			}
			q.Name, q.Days = a.name, days
			progress("%s over %d days: %d rows, p50 %.2f ms, p99 %.2f ms", q.Name, q.Days, q.Rows, q.P50.Median, q.P99.Median)
			b.report.Questions = append(b.report.Questions, q)
			if q.Rows == 0 { // hangs on no range
				break
			}
		}
	}
	return nil
}

// count reads a count of an answer; what is none counts nothing.
func count(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// askMany asks in rounds; each gives its own quantiles.
func (b *bench) askMany(ctx context.Context, n *node, do ask, days int) (q Question, err error) {
	p := client.Params{"period": itoa(days) + " Day"}
	for range 5 { // the first ones also wake what sleeps
		if q.Rows, err = do(ctx, p); err != nil {
			return q, err
		}
	}
	var p50, p99, cpu []float64
	for range b.o.runs {
		before, err := cpuOf(n.pid())
		if err != nil {
			return q, err
		}
		took := make([]float64, 0, b.o.asks)
		for range b.o.asks {
			began := time.Now()
			if _, err := do(ctx, p); err != nil {
				return q, err
			}
			took = append(took, micros(time.Since(began))/1000)
		}
		after, err := cpuOf(n.pid())
		if err != nil {
			return q, err
		}
		p50, p99 = append(p50, quantile(took, 0.5)), append(p99, quantile(took, 0.99))
		cpu = append(cpu, micros(after-before)/1000/float64(b.o.asks))
	}
	q.P50, q.P99, q.CPU = spreadOf(p50), spreadOf(p99), spreadOf(cpu)
	return q, nil
}
