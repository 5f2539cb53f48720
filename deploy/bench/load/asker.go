package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/deploy/bench/population"
	"github.com/ovation-analytics/ovation/deploy/bench/publish"
	"github.com/ovation-analytics/ovation/deploy/bench/report"
	"github.com/ovation-analytics/ovation/deploy/harness"
)

// asker asks at a steady pace: each question is asked when it is due, whether answers come or
// not, and its time counts from then.
type asker struct {
	pace    publish.Pace
	api     *client.Client
	brands  []domain.BrandID
	kinds   []*kind
	all     *report.Latencies
	waiting atomic.Int64 // for an answer
}

// kind is a kind of question.
type kind struct {
	name, path string // path: $ is the brand; empty brand: the account
	noRange    bool   // it takes no period
	weight     int    // how often, beside the others
	took       *report.Latencies
	refused    atomic.Int64 // by the bound on rows that one question may read
	givenUp    atomic.Int64 // by the bound on the time that one may take
}

// AskedKind is how long a kind of question took while activities streamed in.
type AskedKind struct {
	Name    string         `json:"name"`
	Refused int64          `json:"refused"` // too many rows for one question
	GivenUp int64          `json:"givenUp"` // too much time: their time counts all the same
	Took    report.Latency `json:"took"`
}

// kinds are what is asked about a week, with their weights: dashboards show brands, seldom the
// account.
var kinds = []kind{
	{name: "tally", path: "/v1.1/brand/$/stats/activity", weight: 24},
	{name: "timeline", path: "/v1.1/brand/$/stats/timeline", weight: 24},
	{name: "location", path: "/v1.1/brand/$/stats/location", weight: 24},
	{name: "brand, no scan", path: "/v1.1/brand/$", noRange: true, weight: 24},
	{name: "daily", path: "/v1.1/activity/count/daily?brandID=$", weight: 24},
	{name: "ten members", path: "/v1.1/members/active?brandID=$", weight: 24},
	{name: "feed, latest of each member", path: "/v1.1/activity/feed?brandID=$", weight: 24},
	{name: "feed, every action", path: "/v1.1/activity/feed?all_member_actions=1&brandID=$", weight: 24},
	{name: "ten brands by the members of one", path: "/v1.1/brands/$/crossover", weight: 24},
	{name: "daily, account", path: "/v1.1/activity/count/daily", weight: 1},
	{name: "ten members, account", path: "/v1.1/members/active", weight: 1},
	{name: "feed, latest of each member, account", path: "/v1.1/activity/feed", weight: 1},
	{name: "feed, every action, account", path: "/v1.1/activity/feed?all_member_actions=1", weight: 1},
	{name: "ten brands, account", path: "/v1.1/brands/crossover", weight: 1},
}

// Bounds of asking: connections, and questions that wait for an answer; with more, the pace is
// far too high.
const (
	askConnections = 64
	maxWaiting     = 20_000
)

var errUnanswered = errors.New("questions are answered slower than the pace they are asked at")

func newAsker(m *population.Mix, n *harness.Node, rate float64) *asker {
	a := &asker{
		pace: publish.Pace{Rate: rate, Spread: true}, api: m.API(n, askConnections),
		brands: m.Brands[:len(m.Brands)-1], all: report.NewLatencies(),
	}
	for i := range kinds {
		k := &kinds[i]
		a.kinds = append(a.kinds, &kind{name: k.name, path: k.path, noRange: k.noRange, weight: k.weight, took: report.NewLatencies()})
	}
	return a
}

// run asks until over is closed, and waits for the last answers.
func (a *asker) run(ctx context.Context, over <-chan struct{}) error {
	if a.pace.Rate == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := rand.New(rand.NewPCG(1, 0xa5c))
	byFame := population.ByFame(len(a.brands))
	began := time.Now()
	var wg sync.WaitGroup
	defer wg.Wait()
	for i := 0; ; i++ {
		due := began.Add(a.pace.Due(i))
		select {
		case <-time.After(time.Until(due)):
		case <-over:
			wg.Wait()
			return context.Cause(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if a.waiting.Load() > maxWaiting {
			return errUnanswered
		}
		k, brand := a.draw(r), a.brands[byFame(r)]
		a.waiting.Add(1)
		wg.Go(func() {
			defer a.waiting.Add(-1)
			if err := a.ask(ctx, k, brand, due); err != nil {
				cancel(err)
			}
		})
	}
}

// draw is a kind, by the weights.
func (a *asker) draw(r *rand.Rand) *kind {
	sum := 0
	for _, k := range a.kinds {
		sum += k.weight
	}
	at := r.IntN(sum)
	for _, k := range a.kinds {
		if at -= k.weight; at < 0 {
			return k
		}
	}
	return a.kinds[0]
}

// ask asks one. A question about too many rows is refused as the contract says, one that takes
// too long is given up: both are answers.
func (a *asker) ask(ctx context.Context, k *kind, brand domain.BrandID, due time.Time) error {
	path, query, _ := strings.Cut(strings.ReplaceAll(k.path, "$", strconv.FormatUint(uint64(brand), 10)), "?")
	params := client.Params{}
	if !k.noRange {
		params["period"] = "7 Day"
	}
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			params[name] = value
		}
	}
	var body json.RawMessage
	_, err := a.api.Get(ctx, path, params, &body)
	took := time.Since(due)
	e, answered := errors.AsType[*client.Error](err)
	switch {
	case err == nil:
	case answered && e.Code == domain.PlanLimit:
		k.refused.Add(1)
		return nil
	case answered && e.Code == domain.Unavailable:
		k.givenUp.Add(1)
	default:
		return fmt.Errorf("%s: %w", k.name, err)
	}
	k.took.Note(took)
	a.all.Note(took)
	return nil
}

// report is the figures by kind.
func (a *asker) report() (out []AskedKind) {
	for _, k := range a.kinds {
		if took := k.took.Whole(); took.Count > 0 || k.refused.Load() > 0 {
			out = append(out, AskedKind{Name: k.name, Refused: k.refused.Load(), GivenUp: k.givenUp.Load(), Took: took})
		}
	}
	return out
}
