package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// questioners ask one question after the other, several at once, and read each answer to
// its end: statistics of a brand and of all, and lists in pages of a thousand.
type questioners struct {
	node  *node
	crowd *crowd
	span  time.Duration

	answers, refused, bytes atomic.Int64
}

const questionersAtOnce = 8

// statistics are the questions; %d is a brand.
var statistics = []string{
	"/v1.1/brand/%d/stats/activity?period=180+Day", "/v1.1/brand/%d/stats/activity?period=7+Day",
	"/v1.1/brand/%d/stats/timeline?period=180+Day", "/v1.1/brand/%d/stats/timeline?period=7+Day",
	"/v1.1/brand/%d/stats/location?period=180+Day", "/v1.1/brand/%d/stats/location?period=7+Day",
	"/v1.1/brand/%d/stats/gender?period=180+Day", "/v1.1/brand/%d/stats/age?period=180+Day",
	"/v1.1/brand/%d/stats/members?period=180+Day", "/v1.1/brand/%d/stats/segments",
	"/v1.1/brands/%d/crossover?period=180+Day", "/v1.1/brands/%d/crossover?period=7+Day",
	"/v1.1/brands/crossover?period=180+Day", "/v1.1/brands/crossover?period=7+Day",
	"/v1.1/activity/count/daily?period=180+Day&brandID=%d", "/v1.1/activity/count/daily?period=180+Day",
	"/v1.1/activity/count/services?period=180+Day&brandID=%d", "/v1.1/activity/count/services?period=180+Day",
	"/v1.1/members/stats/activity?period=180+Day", "/v1.1/members/active?period=180+Day&brandID=%d",
	"/v1.1/members/active?period=180+Day", "/v1.1/activity/feed?period=180+Day&brandID=%d",
	"/v1.1/activity/feed?period=180+Day", "/v1.1/brand/%d",
	"/v1.1/members?limit=1000", "/v1.1/members/active?period=180+Day&brandID=%d&limit=1000",
	"/v1.1/activity/feed?period=180+Day&all_member_actions=1&limit=1000",
	"/v1.1/activity/feed?period=180+Day&all_member_actions=1&limit=1000&brandID=%d",
	"/v1.1/brands/crossover?period=180+Day&limit=1000",
}

func (q *questioners) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := time.Now().Add(q.span)
	http := manyRequests(questionersAtOnce)
	var wg sync.WaitGroup
	errs := make(chan error, questionersAtOnce)
	for i := range questionersAtOnce {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(q.crowd.seed, uint64(i)))
			zipf := zipfOf(r, len(q.crowd.brands))
			for at := i * len(statistics) / questionersAtOnce; time.Now().Before(over); at++ {
				path := statistics[at%len(statistics)]
				if brand := q.crowd.brands[zipf.Uint64()]; hasVerb(path) {
					path = fmt.Sprintf(path, brand)
				}
				if err := q.one(ctx, http, path); err != nil {
					errs <- fmt.Errorf("%s: %w", path, err)
					cancel()
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}

func hasVerb(path string) bool {
	for i := range len(path) - 1 {
		if path[i] == '%' && path[i+1] == 'd' {
			return true
		}
	}
	return false
}

// one asks one question. That the node has no room or no time for it is an answer, and
// counted.
func (q *questioners) one(ctx context.Context, c *http.Client, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+q.node.http+path, nil)
	if err != nil {
		return err
	}
	query := req.URL.Query()
	query.Set("apiKey", q.crowd.key)
	req.URL.RawQuery = query.Encode()
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	q.bytes.Add(n)
	switch {
	case err != nil:
		return err
	case res.StatusCode == http.StatusOK:
		q.answers.Add(1)
	case res.StatusCode == http.StatusServiceUnavailable:
		q.refused.Add(1)
	default:
		return fmt.Errorf("%s", res.Status)
	}
	return nil
}
