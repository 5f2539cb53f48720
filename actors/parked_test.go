package actors

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/shard/activity"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
	"github.com/ovation-analytics/ovation/storage/store"
)

// pendingHarness is a node of two shards, the second of which applies nothing while held.
func pendingHarness(t *testing.T) (r *harness, held *atomic.Bool) {
	t.Helper()
	held = new(atomic.Bool)
	r = furnished(t, 2, 1, Options{})
	r.close()
	r.wrapShard(1, func(s shard.Store) shard.Store { return fullDisk{s, held} })
	r.open()
	held.Store(true)
	return r, held
}

// partnerOf is the n-th partner identity of a shard of two.
func partnerOf(n, shard int) domain.IdentityHash {
	return domain.IdentityHash{byte(0x10 + 0xE0*shard), byte(n), 7, 7}
}

// fanOf is the n-th identity that has its slot in a shard of two.
func fanOf(n, shard int) domain.IdentityHash {
	for i := 0; ; i++ {
		if id := identityOf(i); id.Slot().Shard(2) == shard {
			if n--; n < 0 {
				return id
			}
		}
	}
}

// pend registers a member of shard 0 whose partner identity shard 1 judges. It waits until
// the registration is in the log.
func (r *harness) pend(id, partner domain.IdentityHash, n byte) {
	r.t.Helper()
	sub := registration(id, partner, fmt.Sprint(n))
	sub.Request, sub.Durable = domain.RequestID{7, n}, true
	_, err := r.node.Submit(context.Background(), sub)
	r.must(err)
}

// journalled appends activities of a fan to the journal of shard 0, each with the fan and a number
// in its hash, and waits until they are applied.
func (r *harness) journalled(n, from, some int) {
	r.t.Helper()
	var acts []domain.Record
	for i := from; i < from+some; i++ {
		a := r.actOf(0, uint64(n)<<32|uint64(i+1))
		a.Identity = fanOf(n, 0)
		a.Time += int64(i)
		a.Content.Content = fmt.Sprintf(`{"TrackName":"a song of usual length %d"}`, i)
		origin := domain.Origin{Topic: domain.TopicID{3}, Partition: int32(10 + n), Offset: int64(i)}
		acts = append(acts, domain.Record{Kind: domain.KindActivity, Account: 1, Origin: origin, Activity: a})
	}
	for part := range slices.Chunk(acts, 90) { // small pages, as they come
		r.append(0, part...)
	}
	r.eventually("apply", func() bool { return r.node.running[0].Applied.Load() >= r.end(0) })
}

// What is parked costs the store the same for each activity, however many are parked.
func TestParked_WorkIsLinear(t *testing.T) {
	r, _ := pendingHarness(t)
	r.pend(fanOf(0, 0), partnerOf(0, 1), 0)
	const some = 500
	var written [6]uint64
	for round := range written {
		before := r.stats()
		r.journalled(0, round*some, some)
		after := r.stats()
		written[round] = after.Written - before.Written
	}
	if got := r.node.Status().Shards[0].Parked; got != int64(some*len(written)) {
		t.Fatalf("%d activities are parked", got)
	}
	first, last := written[1], written[len(written)-1]
	if last > first+first/2 || last > some*1000 {
		t.Errorf("%d activities write %v bytes: more, the more are parked", some, written)
	}
}

// Beyond the bound of a member an activity is a dead letter; what was parked counts, in
// its order, once the member is active, and a replay gives the same.
func TestI6_ParkedActivitiesAreBounded(t *testing.T) {
	r, held := pendingHarness(t)
	r.pend(fanOf(0, 0), partnerOf(0, 1), 0)
	r.journalled(0, 0, tx.MaxParked+50)
	if got := r.node.Status().Shards[0].Parked; got != tx.MaxParked {
		t.Fatalf("%d activities are parked", got)
	}
	r.eventually("letters", func() bool { return r.letters.reasons()[domain.UnknownMember] == 50 })
	for _, l := range r.letters.all {
		if l.Detail != activity.BeyondParked || l.Origin.Offset < tx.MaxParked {
			t.Fatalf("%+v", l)
		}
	}
	r.replaysEqual(t)
	held.Store(false)
	r.eventually("settling", func() bool { return r.node.Status().Shards[0].Parked == 0 })
	r.settled()
	r.wantActions(tx.MaxParked)
	r.replaysEqual(t)
}

// Members that become active or are refused while their activities come, with power cuts
// in between: each activity is an action or a letter, a refused member's are letters, those
// parked count in their order, and a replay gives the same state at every mark.
func TestI6_ParkedActivitiesSurvivePowerCuts(t *testing.T) {
	rnd := seeded(t)
	r, held := pendingHarness(t)
	const fans, rounds = 8, 4
	for n := range fans / 2 { // shard 1 has another member with the partner of every other fan
		held.Store(false)
		r.pend(fanOf(n, 1), partnerOf(2*n, 1), byte(100+n))
		r.settled()
	}
	held.Store(true)
	published, before := [fans]int{}, [fans]int{}
	for round := range rounds {
		for n := range fans {
			if n%rounds == round {
				before[n] = published[n]
				r.pend(fanOf(n, 0), partnerOf(n, 1), byte(n))
				some := 1 + rnd.IntN(300)
				r.journalled(n, published[n], some)
				published[n] += some
			}
		}
		if r.node.Status().Shards[0].Parked == 0 {
			t.Fatal("nothing is parked: the test shows nothing")
		}
		for range 2 + rnd.IntN(4) {
			n := rnd.IntN(fans)
			some := 1 + rnd.IntN(700)
			r.journalled(n, published[n], some)
			published[n] += some
		}
		switch rnd.IntN(3) {
		case 0:
			held.Store(false) // claims on their way are answered, some of them before the cut
			r.crash(rnd)
			held.Store(true)
		case 1:
			r.fs = r.cut(rnd)
			r.boot()
			r.eventually("shard 0", func() bool { return shard.Behaviour(r.node.running[0].Behaviour.Load()) == shard.Serving })
		}
		if rnd.IntN(2) == 0 {
			r.replaysEqual(t)
		}
	}
	held.Store(false)
	r.eventually("settling", func() bool { return r.node.Status().Shards[0].Parked == 0 })
	r.settled()
	want, letters := 0, 0
	for n := range fans {
		count := published[n] - before[n]
		if n%2 == 0 && n/2 < fans/2 {
			count = 0
		}
		want += count
		letters += published[n] - count
	}
	if got := r.tally(1).Total.Actions; int(got) != want || r.letters.reasons()[domain.UnknownMember] != letters {
		t.Fatalf("%d actions and %v, want %d and %d", got, r.letters.reasons(), want, letters)
	}
	r.inOrder(t, fans)
	r.replaysEqual(t)
	r.close()
	facts := r.factsOf(t)
	r.fs, r.wrap = vfs.NewCrashableMem(), nil
	r.open()
	r.settled()
	r.close()
	if d := cmp.Diff(facts, r.factsOf(t)); d != "" {
		t.Fatalf("a replay gives other facts: %s", d)
	}
}

// inOrder requires that the sequences of each member's rows rise as its activities came.
func (r *harness) inOrder(t *testing.T, fans int) {
	t.Helper()
	v := r.node.running[0].View.Acquire()
	defer v.Release()
	for n := range fans {
		id, _, err := v.Snapshot.Identity(1, fanOf(n, 0))
		r.must(err)
		at, ok := v.Roster.Find(id.Member)
		if !ok {
			continue
		}
		sequences := map[domain.Second]uint64{}
		if err := v.Snapshot.MemberRows(1, at.Ord, domain.Range{To: 1<<32 - 1}, func(rows []domain.Row) {
			for i := range rows {
				sequences[rows[i].Time] = rows[i].Seq
			}
		}); err != nil {
			t.Fatal(err)
		}
		for at, seq := range sequences {
			if next, there := sequences[at+1]; there && next <= seq {
				t.Fatalf("fan %d: the action at %d has sequence %d, the next one %d", n, at, seq, next)
			}
		}
	}
}

// factsOf is each shard's state hash as the store of a stopped node has it.
func (r *harness) factsOf(t *testing.T) (facts [][16]byte) {
	t.Helper()
	r.stored(func(i int, s *store.Shard) {
		again, err := s.Recompute()
		if err != nil || again != s.State().Facts {
			t.Fatalf("shard %d: facts computed anew are others: %v", i, err)
		}
		facts = append(facts, again)
	})
	return facts
}
