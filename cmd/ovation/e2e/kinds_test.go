package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/api/client"
)

// kind is something that can be asked. A question of any filters is asked of each.
type kind struct {
	name   string
	months int // the longest range; the contract clamps a longer one at its start
	ask    func(ctx context.Context, api *client.Client, p *people, q question) (any, error)
	naive  func(p *people, q question) any
}

// kinds are all that can be asked so far. A new endpoint is a row here, and its
// counting a method of people.
var kinds = []kind{
	{
		"stats/activity", 5 * 12,
		func(ctx context.Context, api *client.Client, p *people, q question) (any, error) {
			return answer(api.StatsActivity(ctx, p.brands[q.brand].id, q.tallyParams()))
		},
		func(p *people, q question) any { return p.tally(q) },
	},
	{
		"stats/timeline", 5 * 12,
		func(ctx context.Context, api *client.Client, p *people, q question) (any, error) {
			return answer(api.StatsTimeline(ctx, p.brands[q.brand].id, q.params()))
		},
		func(p *people, q question) any { return p.timeline(q) },
	},
	{
		"stats/location", 5 * 12,
		func(ctx context.Context, api *client.Client, p *people, q question) (any, error) {
			return answer(api.StatsLocation(ctx, p.brands[q.brand].id, q.params()))
		},
		func(p *people, q question) any { return p.location(q) },
	},
	{
		"count/daily", 5 * 12,
		func(ctx context.Context, api *client.Client, p *people, q question) (any, error) {
			params := q.params()
			params["brandID"] = id(p.brands[q.brand].id)
			return answer(api.CountDaily(ctx, params))
		},
		func(p *people, q question) any { return p.daily(q) },
	},
	{"activity/feed", 6, askFeed, (*people).feed},
	{"members/active", 6, askActive, (*people).active},
	{"brands/crossover", 5 * 12, askCrossover, (*people).crossover},
}

// answer is what the client gives, without the meta data.
func answer[T any](v T, _ client.Meta, err error) (any, error) { return v, err }

// compare asks one question and compares the answer with the model.
func (k *kind) compare(ctx context.Context, api *client.Client, p *people, q question) error {
	got, err := k.ask(ctx, api, p, q)
	if err != nil {
		return fmt.Errorf("%s of brand %d, %v: %w", k.name, p.brands[q.brand].id, q.tallyParams(), err)
	}
	clamped := q
	clamped.span.from = max(q.span.from, monthsBefore(q.span.to, k.months))
	if diff := gocmp.Diff(k.naive(p, clamped), got, gocmp.AllowUnexported(dates{}, ranks{})); diff != "" {
		return fmt.Errorf("%s of brand %d, %v (-naive +engine):\n%s", k.name, p.brands[q.brand].id, q.tallyParams(), diff)
	}
	return nil
}

// monthsBefore is a moment so many calendar months earlier, on the month's last day
// where it has no such day.
func monthsBefore(at int64, months int) int64 {
	t := time.Unix(at, 0).UTC()
	first := time.Date(t.Year(), t.Month()-time.Month(months), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	days := first.AddDate(0, 1, 0).Add(-24 * time.Hour).Day()
	return first.AddDate(0, 0, min(t.Day(), days)-1).Unix()
}

// askAll asks so many random questions, most about brands that much was done for, each
// of one kind in turn, and requires that every answer is the model's.
func (p *people) askAll(t testing.TB, seed uint64, api *client.Client, rnd *rand.Rand, s span, questions int) {
	t.Helper()
	asked := map[string]int{}
	counted := 0
	for i := range questions {
		about := int32(rnd.IntN(len(p.brands)))
		if rnd.IntN(5) > 0 {
			about = pick(rnd, p.acts).brand
		}
		q := p.ask(rnd, about, s)
		if q.members != nil { // some who did something for the brand
			for range min(8, len(p.byBrand[about])) {
				q.members = append(q.members, p.fans[p.acts[pick(rnd, p.byBrand[about])].fan].id)
			}
		}
		k := &kinds[i%len(kinds)]
		if err := k.compare(ctx(t), api, p, q); err != nil {
			t.Fatalf("seed %d, question %d: %v", seed, i, err)
		}
		asked[k.name]++
		if p.tally(q).TotalCount != "0" {
			counted++
		}
	}
	t.Logf("%d questions equal the recount, %d of them about something: %v", questions, counted, asked)
	if counted < questions/3 {
		t.Errorf("only %d of %d questions ask for anything", counted, questions)
	}
}
