package e2e

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/ovation-analytics/ovation/deploy/harness"
)

// TestI9_AnyOrderAndRepetitionGiveTheSameState brings the same actions, which carry
// their time, to two nodes of one installation's secrets: shuffled differently, with
// other repeats, in other forms and to other addresses of the same fans. The members of a
// slot are registered in the same order, so their ids agree; nothing else is alike. What the
// actions add to the state hash of every shard, and every number, must be equal, and equal to the
// naive model.
func TestI9_AnyOrderAndRepetitionGiveTheSameState(t *testing.T) {
	t.Parallel()
	onBothLogs(t, anyOrder)
}

func anyOrder(t *testing.T, on site) {
	accounts, fans, acts, questions := on.some(4), 30, 1_500, 2
	if full {
		accounts, fans, acts, questions = 40, 60, 5_000, 20
	}
	secrets := filepath.Join(t.TempDir(), "secrets.yaml")
	a, b := on.start(t, "--secrets", secrets), on.start(t, "--secrets", secrets)
	seed := rand.Uint64()
	var all []*model
	for i := range accounts {
		rnd := rand.New(rand.NewPCG(seed, uint64(i)))
		p := newModel(rnd, fmt.Sprintf("account %d", i), sizes{brands: 3, fans: fans})
		for f := range p.fans {
			p.fans[f].email = "" // an address is a fact together with the moment that it was given at
		}
		p.enter(a, 16)
		p.enter(b, 16)
		for k := range acts {
			act := p.act(rnd, fmt.Sprintf("act-%d", k), last(400))
			if k%3 > 0 { // many for one pair, and many in one second
				act.fan, act.at = act.fan%3, act.at/(3*day)*(3*day)
			}
			p.note(act)
		}
		all = append(all, p)
	}
	var sent [2]int64
	entered := [2]harness.Status{a.status(), b.status()} // registrations are facts with their time
	for i, n := range []*node{a, b} {
		sent[i] = shuffle(n, all, rand.New(rand.NewPCG(seed, uint64(1000+i))))
	}
	alike(t, seed, "on the other node", since(entered[0], a.status()), since(entered[1], b.status()))
	was := b.status()
	if code := b.Stop(); code != 0 {
		t.Fatalf("stopped with %d:\n%s", code, b.Log())
	}
	if err := os.RemoveAll(filepath.Join(b.Data, "store")); err != nil {
		t.Fatal(err)
	}
	b.start() // all state is made of the log: here of nothing else
	b.settled(sent[1])
	alike(t, seed, "rebuilt from the log", was, b.status())
	for i, p := range all {
		for _, n := range []*node{a, b} {
			p.checkAll(t, seed, p.api(n), rand.New(rand.NewPCG(seed, uint64(i))), last(400), questions)
		}
	}
}

// since is a status whose state hashes are what was added to those of another one: a state hash is a
// sum modulo 2^128.
func since(first, second harness.Status) harness.Status {
	second.Shards = slices.Clone(second.Shards)
	modulus := new(big.Int).Lsh(big.NewInt(1), 128)
	for i := range second.Shards {
		x, _ := new(big.Int).SetString(first.Shards[i].Facts, 16)
		y, _ := new(big.Int).SetString(second.Shards[i].Facts, 16)
		second.Shards[i].Facts = y.Sub(y, x).Mod(y, modulus).Text(16)
	}
	return second
}

// alike requires the same facts of every shard, and that nothing was refused.
func alike(t *testing.T, seed uint64, where string, first, second harness.Status) {
	t.Helper()
	for i := range first.Shards {
		x, y := first.Shards[i], second.Shards[i]
		if x.Facts != y.Facts || x.Rows != y.Rows {
			t.Errorf("seed %d: shard %d: facts %s of %d rows, %s %s of %d", seed, i, x.Facts, x.Rows, where, y.Facts, y.Rows)
		}
		if len(x.DeadLetters)+len(y.DeadLetters) > 0 {
			t.Errorf("seed %d: shard %d: dead letters %v, %s %v", seed, i, x.DeadLetters, where, y.DeadLetters)
		}
	}
}

// shuffle publishes every action of everybody at least once, in an order of its own,
// in two parts with all caught up between, so that repeats also come long after. It
// gives the number of records.
func shuffle(n *node, all []*model, rnd *rand.Rand) (end int64) {
	n.t.Helper()
	type doing struct {
		p *model
		a *act
	}
	var list []doing
	for _, p := range all {
		for i := range p.acts {
			for range 1 + skewed(rnd, 4) {
				list = append(list, doing{p, &p.acts[i]})
			}
		}
	}
	rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	to := n.publisher()
	defer to.close()
	for _, part := range [][]doing{list[:len(list)/2], list[len(list)/2:]} {
		to.publish(n.t, apply(part, func(d doing) *kgo.Record { return d.p.anyRecord(rnd, d.a) })...)
		end = to.end(n.t)
		n.settled(end)
	}
	return end
}
