package actors

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The engine counts as a naive model does, with members that fall asleep all the
// time, columns that are evicted all the time, and restarts in between.
func TestTheNodeCountsAsANaiveModelDoes(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 4))
	const fans, brands = 40, 6
	r := newRig(t, 2, Options{Memory: Memory{AwakeBytes: 12_000, ResidentBytes: 30_000, CachedIdentities: 4}})
	r.furnish(brands)
	for i, value := range worths {
		r.submit(domain.Submission{Account: 1, Command: &domain.PutDefinition{
			Definition: domain.Definition{ID: domain.DefinitionID(100 + i), Value: value}, Given: []string{"Value"},
		}})
	}
	ids := make([]domain.MemberID, fans)
	known := newCircle(r, rnd, 2)
	for i := range ids {
		ids[i] = r.register(i)
		known.met(i, ids[i])
	}
	var acts []domain.Activity
	var who []int
	for round := range 4 {
		var fresh []domain.Activity
		for range 3000 {
			m := rnd.IntN(fans)
			a := domain.Activity{
				Definition: domain.DefinitionID(100 + rnd.IntN(5)/4), Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
				Time: 1_600_000_000 + rnd.Int64N(9_000_000), Hash: rnd.Uint64(),
			}
			if rnd.IntN(2) == 0 {
				a.Member = ids[m]
			} else {
				a.Identity = known.address(known.fans[m])
			}
			if len(acts) > 0 && rnd.IntN(20) == 0 { // a repeat
				i := rnd.IntN(len(acts))
				if a, m = acts[i], who[i]; a.Member == 0 && !known.fans[m].has(a.Identity) { // a name it has no more
					a.Member, a.Identity = ids[m], domain.IdentityHash{}
				}
			}
			fresh, who = append(fresh, a), append(who, m)
			acts = append(acts, a)
		}
		r.publish(fresh...)
		if round%2 == 1 {
			r.close() // wherever it is
			r.open()
		}
		r.settled()
		for range 40 { // what names members changes hands
			known.step(t)
		}
		if round == 2 {
			r.crash(rnd)
		}
		known.check(t)
		ids = known.ids()
		done := slices.Clone(acts)
		for i := range done {
			done[i].Member = ids[who[i]]
		}
		want := modelOf(r.membersOf(ids), done, worths[:]...)
		r.identify(want)
		for b := range domain.BrandID(brands + 1) {
			r.compare(want, allOf(domain.ShapeTally, b))
		}
		for range 60 {
			r.compareRankings(rnd, want, ids, brands)
			r.compareMembers(rnd, want, ids, brands)
		}
	}
	r.replaysEqual(t)
	var evicted, slept int64
	for _, s := range r.node.running {
		evicted += s.Stats.Evicted.Load()
		slept += s.Stats.Members.Slept.Load()
	}
	if evicted == 0 || slept == 0 {
		t.Fatalf("%d columns evicted, %d members asleep: the test shows nothing", evicted, slept)
	}
	for _, outcome := range []string{"new", "met", "conflict"} {
		if known.counts[outcome] == 0 {
			t.Fatalf("outcomes %v: the test shows nothing", known.counts)
		}
	}
}

// A record on which applying panics is tried again alone, then set aside by a word in
// the catalog: it becomes a dead letter, here and in a replay, and stops nobody.
func TestAPoisonRecordIsSetAside(t *testing.T) {
	r := newRig(t, 2, Options{})
	r.furnish(1)
	ids := []domain.MemberID{r.register(0), r.register(1), r.register(2), r.register(3)}
	act := func(m int, hash uint64) domain.Activity {
		return domain.Activity{Member: ids[m], Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: hash}
	}
	sick := ids[0].Slot().Shard(2)
	poison := domain.Record{
		Kind: domain.KindRegister, Account: 1, Command: (*domain.RegisterMember)(nil),
		Origin: domain.Origin{Topic: domain.TopicID{9}, Offset: 77},
	}
	var batch []domain.Record
	for i := range 50 {
		batch = append(batch, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: act(0, uint64(i))})
	}
	batch = append(batch[:25], append([]domain.Record{poison}, batch[25:]...)...)
	if _, err := r.journal.Append(t.Context(), sick, batch); err != nil {
		t.Fatal(err)
	}
	for m := range 4 {
		r.publish(act(m, 1000), act(m, 1001))
	}
	r.eventually("recovery", func() bool {
		return r.node.running[sick].Stats.Dead[domain.Poison].Load() == 1 && r.node.Ready() == nil
	})
	r.settled()
	if got := r.tally(1).Total; got.Actions != 50+8 || got.Members != 4 {
		t.Fatalf("%+v", got)
	}
	if got := r.letters.reasons(); got[domain.Poison] != 1 || len(got) != 1 {
		t.Fatalf("%v", got)
	}
	if n := r.node.running[sick].Panics.Load(); n < 2 {
		t.Fatalf("%d panics: it was not tried alone", n)
	}
	r.replaysEqual(t)
	facts := *r.node.running[sick].Stats.Facts.Load()

	r.close() // a replay from nothing meets the same word
	r.fs = vfs.NewMem()
	r.letters.all = nil
	r.open()
	r.settled()
	if got := *r.node.running[sick].Stats.Facts.Load(); got != facts {
		t.Fatalf("a replay gives the state hash %s, was %s", got, facts)
	}
	if got := r.letters.reasons(); got[domain.Poison] != 1 {
		t.Fatalf("%v after a replay", got)
	}
}
