package actors

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// share switches the sharing of a fan's LastFM activities on or off.
func (r *rig) share(n int, on string) {
	r.t.Helper()
	id := identityOf(n)
	r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.LastFM, UID: fmt.Sprint(n), Record: domain.Fields{{Field: domain.RecordSharing, Value: on}},
	}})
}

// An activity that is not one-time wakes no member, and meets its sharing switch all the
// same, also after a start.
func TestShard_PlainActivityWakesNobody(t *testing.T) {
	r := newRig(t, 2, Options{})
	r.furnish(1)
	const fans = 40
	for n := range fans {
		r.register(n)
	}
	r.share(3, "0")
	r.settled()
	r.close()
	r.open()
	for i := range uint64(10) {
		for n := range fans {
			a := r.actOf(0, i<<32|uint64(n))
			a.Identity, a.Service = identityOf(n), domain.LastFM
			r.publish(a)
		}
	}
	r.settled()
	woken := func() (n int64) {
		for _, s := range r.node.Status().Shards {
			n += s.Woken
		}
		return n
	}
	if got := woken(); got != 0 {
		t.Errorf("%d members were woken", got)
	}
	if got := r.tally(1).Total.Actions; got != 10*(fans-1) || r.letters.reasons()[domain.SharingDisabled] != 10 {
		t.Errorf("%d actions, letters %v", got, r.letters.reasons())
	}
	once := r.onceOf(0, 1<<40)
	once.Identity = identityOf(5)
	r.publish(once)
	r.settled()
	if got := woken(); got != 1 {
		t.Errorf("a one-time activity woke %d members", got)
	}
}

// Members that sleep and members that are awake do the same with plain and one-time
// activities, repeats and switched sharing, however these follow each other in a slice.
func TestI6MembersAsleepDoAsThoseAwake(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 12))
	r := newRig(t, 2, Options{Memory: Memory{AwakeBytes: 1_000}})
	r.furnish(1)
	const fans = 6
	for n := range fans {
		r.register(n)
	}
	for range 6 {
		if rnd.IntN(2) == 0 {
			r.share(rnd.IntN(fans), []string{"0", "1"}[rnd.IntN(2)])
		}
		var acts []domain.Activity
		for range 300 {
			a := r.actOf(0, uint64(rnd.IntN(250)))
			a.Identity, a.Service = identityOf(rnd.IntN(fans)), domain.LastFM
			a.Time += int64(a.Hash % 50)
			if a.Hash%5 == 0 {
				a.Definition, a.OneTime = 101, true
			}
			acts = append(acts, a)
		}
		r.publish(acts...)
		r.settled()
		if rnd.IntN(3) == 0 {
			r.crash(rnd)
		}
	}
	r.settled()
	r.replaysEqual(t)
	want := r.tally(1).Total
	r.close()
	facts := r.factsOf(t)
	for _, o := range []struct {
		awake int
		page  int64
	}{{1 << 20, 300}, {1, 1}, {20_000, 7}} {
		r.options.AwakeBytes, r.journal.page, r.fs = o.awake, o.page, vfs.NewCrashableMem()
		r.open()
		r.settled()
		if d := cmp.Diff(want, r.tally(1).Total); d != "" {
			t.Errorf("%+v: %s", o, d)
		}
		r.close()
		if d := cmp.Diff(facts, r.factsOf(t)); d != "" {
			t.Errorf("%+v: other facts: %s", o, d)
		}
	}
}
