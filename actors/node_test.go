package actors

import (
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The engine counts as a naive model does, with members that are unloaded all the
// time, columns that are evicted all the time, and restarts in between.
func TestNode_CountsMatchTheReferenceModel(t *testing.T) {
	rnd := seeded(t)
	const fans, brands = 40, 6
	r := furnished(t, 2, brands, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000, CachedIdentities: 4}})
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
		for range 600 + sampled(2400) {
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
		for range sampled(60) {
			r.compareRankings(rnd, want, ids, brands)
			r.compareMembers(rnd, want, ids, brands)
		}
	}
	r.replaysEqual(t)
	var evicted, unloaded int64
	for _, s := range r.node.running {
		evicted += s.Stats.Evicted.Load()
		unloaded += s.Stats.Members.Evicted.Load()
	}
	if evicted == 0 || unloaded == 0 {
		t.Fatalf("%d columns evicted, %d members unloaded: the test shows nothing", evicted, unloaded)
	}
	for _, outcome := range []string{"new", "met", "conflict"} {
		if known.counts[outcome] == 0 {
			t.Fatalf("outcomes %v: the test shows nothing", known.counts)
		}
	}
}

// A record on which applying panics is applied again alone, then set aside in the catalog:
// it becomes a dead letter, here and in a replay, and stops no shard.
func TestPoison_IsSetAside(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	ids := r.members(4)
	act := func(m int, hash uint64) domain.Activity { return r.actOf(ids[m], hash) }
	sick := ids[0].Slot().Shard(2)
	var batch []domain.Record
	for i := range 50 {
		batch = append(batch, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: act(0, uint64(i))})
	}
	batch = append(batch[:25], append([]domain.Record{poison()}, batch[25:]...)...)
	r.append(sick, batch...)
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

	r.close() // a replay from nothing sets the same record aside
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
