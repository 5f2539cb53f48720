package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// randomQuestions is how many questions are asked over each of the sets.
func randomQuestions(on site) int {
	if full {
		return 2000
	}
	return on.some(300)
}

// loadWithTies is a load of which many are in one second, and for one pair; a repeat is
// in that of the first.
func (p *model) loadWithTies(rnd *rand.Rand, n int) []act {
	load := p.load(rnd, n)
	for i := range load {
		if a := &load[i]; a.id[len(a.id)-1] < '4' {
			a.at = a.at / (3 * day) * (3 * day)
		}
	}
	return load
}

// publishParts publishes of everybody's load the quarters from one to another, and waits
// until they are applied.
func (n *node) publishParts(rnd *rand.Rand, all []*model, load [][]act, from, to int) {
	n.t.Helper()
	var records []*kgo.Record
	for i, p := range all {
		for _, a := range load[i][len(load[i])*from/4 : len(load[i])*to/4] {
			p.note(a)
			records = append(records, p.anyRecord(rnd, &a))
		}
	}
	topic := n.publisher()
	defer topic.close()
	topic.publish(n.t, records...)
	n.settled(topic.end(n.t))
}

// TestQuestions_MatchTheGeneratedAudience asks random questions of
// every kind about accounts that were made up, with actions that come late, come again,
// are of one-time definitions, and are deleted; with opt-ins, and segments with points
// and rules; with a definition and a brand that were deleted. Every answer equals a
// recount to the last row.
func TestQuestions_MatchTheGeneratedAudience(t *testing.T) {
	t.Parallel()
	onEitherLog(t, questionsOverGenerated)
}

func questionsOverGenerated(t *testing.T, on site) {
	seed, questions := rand.Uint64(), randomQuestions(on)
	accounts := []struct{ brands, fans, acts, removed int }{{6, 150, 20_000, 80}, {4, 40, 3_000, 20}, {3, 5, 400, 10}}
	if full {
		accounts[0].fans, accounts[0].acts, accounts[0].removed = 2_000, 400_000, 2_000
	}
	accounts[0].acts = on.some(accounts[0].acts)
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	n := on.start(t)
	var all []*model
	var load [][]act
	for i, size := range accounts {
		p := newModel(rnd, fmt.Sprint("generated ", i), sizes{brands: size.brands, fans: size.fans})
		p.tracks = true
		p.enter(n, 16)
		all, load = append(all, p), append(load, p.loadWithTies(rnd, size.acts))
	}
	n.publishParts(rnd, all, load, 0, 3)
	for i, p := range all {
		if err := p.removeSome(ctx(t), p.api(n), rnd, accounts[i].removed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	n.publishParts(rnd, all, load, 2, 4) // again what was deleted, and what was not there
	if err := all[0].retire(ctx(t), all[0].api(n), 3, 2); err != nil {
		t.Fatal(err)
	}
	requireServing(n)
	began := time.Now()
	for i, p := range all {
		some := questions / 6
		if i == 0 {
			some = questions - (len(all)-1)*some
		}
		p.askAll(t, seed, p.api(n).At(p.visible), rnd, last(months+1), some)
	}
	t.Logf("%d questions in %v", questions, time.Since(began).Round(time.Millisecond))
	t.Run("I12TheSameQuestionHasTheSameNumbersEverywhere", func(t *testing.T) {
		for _, p := range all {
			p.sameNumbers(t, seed, p.api(n).At(p.visible), rnd, last(months+1), questions/10)
		}
	})
}
