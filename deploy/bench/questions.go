package main

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// Question is how long one takes to answer over HTTP, in milliseconds.
type Question struct {
	Name  string `json:"name"`
	About string `json:"about"` // a brand, or the account
	Days  int    `json:"days"`
	Rows  int64  `json:"rows"` // what the answer counts: actions, or what a list has in all
	P50   Spread `json:"p50"`
	P99   Spread `json:"p99"`
	CPU   Spread `json:"cpu"` // of the node, for one, in milliseconds
}

// questionDays are the ranges asked about.
var questionDays = []int{7, 180}

// ask is a request that gives how many actions the answer counts.
type ask func(ctx context.Context, p client.Params) (int64, error)

// question is one that is asked: its name, and how.
type question struct {
	name string
	do   ask
}

// ofBrand are the questions about one brand.
func ofBrand(api *client.Client, brand domain.BrandID) []question {
	return []question{
		{"tally (stats/activity)", func(ctx context.Context, p client.Params) (int64, error) {
			out, _, err := api.StatsActivity(ctx, brand, p)
			return count(out.TotalCount), err
		}},
		{"timeline (stats/timeline)", func(ctx context.Context, p client.Params) (rows int64, err error) {
			out, _, err := api.StatsTimeline(ctx, brand, p)
			for i := range out.Services {
				rows += count(out.Services[i].TotalCount)
			}
			return rows, err
		}},
		{"location (stats/location)", func(ctx context.Context, p client.Params) (int64, error) {
			out, _, err := api.StatsLocation(ctx, brand, p)
			return count(out.TotalActivities), err
		}},
		{"one brand, for what HTTP costs", func(ctx context.Context, _ client.Params) (int64, error) {
			_, _, err := api.Brand(ctx, brand)
			return 0, err
		}},
	}
}

// ofAny are the questions about a brand, or with 0 about the whole account.
func ofAny(api *client.Client, brand domain.BrandID) []question {
	about := func(p client.Params, more ...string) client.Params {
		q := maps.Clone(p)
		if brand != 0 {
			q["brandID"] = itoa(int(brand))
		}
		for i := 0; i < len(more); i += 2 {
			q[more[i]] = more[i+1]
		}
		return q
	}
	return []question{
		{"daily (activity/count/daily)", func(ctx context.Context, p client.Params) (int64, error) {
			out, _, err := api.CountDaily(ctx, about(p))
			return count(out.TotalCount), err
		}},
		{"ten members (members/active)", func(ctx context.Context, p client.Params) (int64, error) {
			out, _, err := api.ActiveMembers(ctx, about(p))
			return count(out.TotalSize), err
		}},
		{"feed, latest of each member (activity/feed)", func(ctx context.Context, p client.Params) (int64, error) {
			out, _, err := api.Feed(ctx, about(p))
			return count(out.TotalSize), err
		}},
		{"feed, every action", func(ctx context.Context, p client.Params) (int64, error) {
			out, _, err := api.Feed(ctx, about(p, "all_member_actions", "1"))
			return count(out.TotalSize), err
		}},
	}
}

// ofBrands are the questions about brands by their members: all of the account's, and
// those of one's members.
func ofBrands(api *client.Client, one domain.BrandID) []question {
	about := func(brand domain.BrandID) ask {
		return func(ctx context.Context, p client.Params) (int64, error) {
			out, _, err := api.Crossover(ctx, brand, p)
			return count(out.TotalSize), err
		}
	}
	return []question{{"ten brands (brands/crossover)", about(0)}, {"ten brands by the members of the largest", about(one)}}
}

// measureQuestions asks one question after another over one connection.
func (b *bench) measureQuestions(ctx context.Context, n *node, c *crowd, about string, make func(*client.Client) []question) error {
	for _, a := range make(client.New("http://"+n.http, c.key).Over(manyRequests(1))) {
		for _, days := range questionDays {
			q, err := b.askMany(ctx, n, a.do, days)
			if err != nil {
				return fmt.Errorf("%s of %s over %d days: %w", a.name, about, days, err)
			}
			q.Name, q.Days, q.About = a.name, days, about
			progress("%s of %s over %d days: %d, p50 %.2f ms, p99 %.2f ms", q.Name, about, q.Days, q.Rows, q.P50.Median, q.P99.Median)
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
