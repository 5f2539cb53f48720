package actors

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// refusing refuses dead letters while it is on.
type refusing struct {
	*letters
	on    atomic.Bool
	tries atomic.Int64
}

func (l *refusing) Publish(ctx context.Context, all []domain.DeadLetter) error {
	if l.on.Load() {
		l.tries.Add(1)
		return errors.New("not authorised")
	}
	return l.letters.Publish(ctx, all)
}

// A shard that cannot publish its dead letters applies no more, and holds back no other:
// routers append on. When the letters go it applies what waits for it in the journal, and
// routers wait for it again.
func TestRouter_ShardWithAFullOutboxHoldsBackNoOther(t *testing.T) {
	out := &refusing{letters: &letters{}}
	r := newRig(t, 2, Options{Logs: Logs{DeadLetters: out}, outboxDepth: 100})
	r.letters = out.letters
	r.furnish(1)
	ids := []domain.MemberID{r.memberOf(0), r.memberOf(1)}
	out.on.Store(true)
	const good, bad = 3000, 5000
	hash := uint64(0)
	for i := range bad + good {
		hash++
		a := r.actOf(ids[1], hash)
		if i < bad {
			a = r.actOf(ids[0], hash)
			a.Time = 1 // before 2000: a dead letter
		}
		r.publish(a)
	}
	r.eventually("routing of all", r.routed)
	r.eventually("shard 1", func() bool { return r.atEnds(0) })
	if n := r.node.running[0].Applied.Load(); n > 2000 {
		t.Errorf("shard 0 applied %d records with a full outbox", n)
	}
	if why := r.node.Degraded(); why == nil {
		t.Error("the node does not say that a shard waits for its outbox")
	}
	out.on.Store(false)
	r.settled()
	if got := r.tally(1).Total.Actions; got != good {
		t.Errorf("%d of %d activities count", got, good)
	}
	if got := out.reasons()[domain.BadTime]; got != bad {
		t.Errorf("%d of %d letters", got, bad)
	}
	if r.node.running[0].Apart.Load() {
		t.Error("routers do not wait for the shard any more")
	}
	if why := r.node.Degraded(); why != nil {
		t.Errorf("the node says %v", why)
	}
}

// Originals of dead letters are not cut while a shard is stopped, however long: what it
// has not applied may become letters.
func TestTrim_WaitsForAStoppedShard(t *testing.T) {
	var cut atomic.Int64
	var now atomic.Int64
	start := time.Now()
	o := Options{Now: func() time.Time { return start.Add(time.Duration(now.Load())) }}
	o.Trim = func(_ context.Context, p int, before int64) error { cut.Store(max(cut.Load(), before)); return nil }
	o.TrimAfter = time.Hour
	r := newRig(t, 2, o)
	r.furnish(1)
	ids := []domain.MemberID{r.memberOf(0), r.memberOf(1)}
	r.close()
	r.source.kept = map[int]int64{0: 0, 1: 0} // routers need no mark of the shard's
	r.bar = func(i int) error {
		if i == 0 {
			return errors.New("a block is damaged")
		}
		return nil
	}
	r.boot()
	r.eventually("stop", func() bool {
		return shard.Behaviour(r.node.running[0].Behaviour.Load()) == shard.Stopped && shard.Behaviour(r.node.running[1].Behaviour.Load()) == shard.Serving
	})
	for i := range 50 {
		r.publish(r.actOf(ids[0], uint64(2*i+1)), r.actOf(ids[1], uint64(2*i+2)))
	}
	r.eventually("routing", r.routed)
	tr := newTrimmer(time.Hour)
	trimThrice := func() {
		for range 3 {
			cutter := &retention{&r.node.o, r.node.shards, r.node.routing.Handles, tr}
			cutter.trim(t.Context())
			now.Add(int64(2 * time.Hour))
		}
	}
	trimThrice()
	if n := cut.Load(); n > 0 || len(tr.marks) > 0 {
		t.Errorf("cut below %d, %d marks, while a shard is stopped", n, len(tr.marks))
	}
	r.close()
	r.bar = nil
	r.open()
	r.settled()
	trimThrice()
	if n := cut.Load(); n != 50 {
		t.Errorf("cut below %d of 50", n)
	}
}
