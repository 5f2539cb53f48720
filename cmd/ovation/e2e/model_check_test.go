package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// check asks a question of these kinds with the same filters and compares the answers
// with the model. The error shows the first question whose answer differs, and where.
func (p *model) check(ctx context.Context, api *client.Client, q question, kinds []kind) error {
	for i := range kinds {
		if err := kinds[i].compare(ctx, api, p, q); err != nil {
			return fmt.Errorf("account %d: %w", p.account, err)
		}
	}
	return nil
}

// checkAll asks of every brand about the whole span, in each grouping, with and
// without one-time actions, and so many random questions more, each of every kind.
func (p *model) checkAll(t testing.TB, seed uint64, api *client.Client, rnd *rand.Rand, s span, random int) (asked int) {
	t.Helper()
	return p.checkSpan(t, seed, api, s) + p.checkRandom(t, seed, api, rnd, s, random, 1)
}

// checkSpan asks of every brand about the whole span.
func (p *model) checkSpan(t testing.TB, seed uint64, api *client.Client, s span) (asked int) {
	t.Helper()
	for b := range p.brands {
		for i := range 4 {
			q := question{brand: int32(b), span: s, byType: i&1 > 0, oneTime: i&2 > 0}
			if err := p.check(ctx(t), api, q, kinds); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			asked += len(kinds)
		}
	}
	return asked
}

// checkRandom asks so many random questions of every brand, each of one kind in so many,
// drawn: the model reads every action for each.
func (p *model) checkRandom(
	t testing.TB, seed uint64, api *client.Client, rnd *rand.Rand, s span, random, oneIn int,
) (asked int) {
	t.Helper()
	for b := range p.brands {
		for range random {
			var of []kind
			for i := range kinds {
				if rnd.IntN(oneIn) == 0 {
					of = append(of, kinds[i])
				}
			}
			if err := p.check(ctx(t), api, p.ask(rnd, int32(b), s), of); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			asked += len(of)
		}
	}
	return asked
}

// codeOf is the contract's code of an error of the client; 0: another error.
func codeOf(err error) domain.Code {
	if e, ok := errors.AsType[*client.Error](err); ok {
		return e.Code
	}
	return 0
}
