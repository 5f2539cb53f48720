package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// asker asks at a steady pace, whether answers come or not: each question is asked when it
// is due, and its time counts from then.
type asker struct {
	pace  pace
	kinds []*kind
	all   *latencies
	under atomic.Int64 // waiting for an answer
}

// kind is a kind of question.
type kind struct {
	name    string
	about   string
	weight  int // how often, beside the others
	do      func(brand domain.BrandID) ask
	took    *latencies
	rows    atomic.Int64 // what the last answer counted
	refused atomic.Int64 // by the bound on rows that one question may read
	givenUp atomic.Int64 // by the bound on the time that one may take
}

// AskedKind is how long a kind of question took over HTTP while activities streamed in.
type AskedKind struct {
	Name    string  `json:"name"`
	About   string  `json:"about"`
	Rows    int64   `json:"rows"`    // what the last answer counted
	Refused int64   `json:"refused"` // too many rows for one question
	GivenUp int64   `json:"givenUp"` // too much time: their time counts all the same
	Took    Latency `json:"took"`
}

// Weights of questions: dashboards show brands, seldom all of an account.
const (
	weightOfBrand   = 24
	weightOfAccount = 1
)

// newAsker knows the questions: each about a brand that is drawn as the crowd draws
// them, or about the account.
func newAsker(n *node, c *crowd, rate float64) *asker {
	api := client.New("http://"+n.http, c.key).Over(manyRequests(askedAtOnce))
	a := &asker{pace: pace{rate: rate, spread: true}, all: newLatencies()}
	add := func(about string, weight int, of func(domain.BrandID) []question) {
		for i, q := range of(c.brands[0]) {
			a.kinds = append(a.kinds, &kind{name: q.name, about: about, weight: weight, took: newLatencies(), do: func(b domain.BrandID) ask { return of(b)[i].do }})
		}
	}
	add("a brand", weightOfBrand, func(b domain.BrandID) []question { return append(ofBrand(api, b), ofAny(api, b)...) })
	add("a brand", weightOfBrand, func(b domain.BrandID) []question {
		return []question{{"ten brands by the members of one", ofBrands(api, b)[1].do}}
	})
	add("the account", weightOfAccount, func(b domain.BrandID) []question { return append(ofAny(api, 0), ofBrands(api, b)[0]) })
	return a
}

// Bounds of asking: connections, and questions that wait for an answer. With more the pace
// is far from being kept.
const (
	askedAtOnce  = 64
	waitingMost  = 20_000
	askedOfDays  = "7 Day"
	askDrawnFrom = 0xa5c
)

var errUnanswered = errors.New("questions are not answered at the pace they are asked")

// run asks until over is closed, and waits for the last answers.
func (a *asker) run(ctx context.Context, c *crowd, over <-chan struct{}) error {
	if a.pace.rate == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := rand.New(rand.NewPCG(c.seed, askDrawnFrom))
	zipf := zipfOf(r, len(c.brands))
	began := time.Now()
	var wg sync.WaitGroup
	defer wg.Wait()
	for i := 0; ; i++ {
		due := began.Add(a.pace.due(i))
		select {
		case <-time.After(time.Until(due)):
		case <-over:
			wg.Wait()
			return context.Cause(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if a.under.Load() > waitingMost {
			return errUnanswered
		}
		k, brand := a.draw(r), c.brands[zipf.Uint64()]
		a.under.Add(1)
		wg.Go(func() {
			defer a.under.Add(-1)
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

// ask asks one. A question about too many rows is refused as the contract says, and one
// that takes too long given up: that is an answer, and counted.
func (a *asker) ask(ctx context.Context, k *kind, brand domain.BrandID, due time.Time) error {
	rows, err := k.do(brand)(ctx, client.Params{"period": askedOfDays})
	took := time.Since(due)
	e, said := errors.AsType[*client.Error](err)
	switch {
	case err == nil:
		k.rows.Store(rows)
	case said && e.Code == domain.PlanLimit:
		k.refused.Add(1)
		return nil
	case said && e.Code == domain.Unavailable:
		k.givenUp.Add(1)
	default:
		return fmt.Errorf("%s: %w", k.name, err)
	}
	k.took.note(took)
	a.all.note(took)
	return nil
}

// report is what came out, by kind.
func (a *asker) report() (out []AskedKind) {
	for _, k := range a.kinds {
		if took := k.took.whole(); took.Count > 0 || k.refused.Load() > 0 {
			out = append(out, AskedKind{Name: k.name, About: k.about, Rows: k.rows.Load(), Refused: k.refused.Load(), GivenUp: k.givenUp.Load(), Took: took})
		}
	}
	return out
}
