package actors

import (
	"context"
	"errors"
	"strings"
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
	r := newHarness(t, 2, Options{Logs: Logs{DeadLetters: out}, outboxDepth: 100})
	r.letters = out.letters
	r.furnish(1)
	ids := r.memberOfEach()
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
	r.wantActions(good)
	if got := out.reasons()[domain.BadTime]; got != bad {
		t.Errorf("%d of %d letters", got, bad)
	}
	if r.node.running[0].Detached.Load() {
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
	r := furnished(t, 2, 1, o)
	ids := r.memberOfEach()
	r.close()
	r.source.kept = map[int]domain.Routed{0: {Topic: r.source.id}, 1: {Topic: r.source.id}} // routers need no mark of the shard's
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
			cutter := &retention{o: &r.node.o, shards: r.node.shards, marks: r.node.routing.marks, trimmer: tr}
			cutter.trim(t.Context())
			now.Add(int64(2 * time.Hour))
		}
	}
	trimThrice()
	r.node.health.retention.trim(t.Context())
	if why := r.node.Status().Uncut; !strings.Contains(why, "shard 0 does not serve") {
		t.Errorf("status says %q", why)
	}
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

// Dead letters are completed member by member, forwards when their record is met: in the
// outbox both stand in the order of their records, wherever micro-batches end, since a sequence
// is an origin and must be the same in every replica.
func TestI6_OutboxFollowsTheOrderOfTheRecords(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	_, partner := r.forwarded()
	var members []domain.MemberID
	for n := 2; len(members) < 3; n++ {
		if id := identityOf(n); id.Slot().Shard(2) == partner.Slot().Shard(2) {
			members = append(members, r.register(n))
		}
	}
	shard := partner.Slot().Shard(2)
	var batch []domain.Record
	for i := range 60 {
		a := domain.Activity{Member: members[i%3], Definition: 100, Brand: 1, Time: 1_600_000_000 + int64(i), Hash: 7} // conflicts
		if i%4 == 3 {
			a.Member, a.Identity, a.Hash = 0, partner, uint64(100+i) // a forward
		}
		batch = append(batch, domain.Record{
			Kind: domain.KindActivity, Account: 1, Activity: a, Origin: domain.Origin{Topic: domain.TopicID{8}, Offset: int64(i)},
		})
	}
	r.append(shard, batch...)
	r.settled()
	last := int64(-1)
	for _, l := range r.letters.all {
		if l.Origin.Offset <= last {
			t.Fatalf("the letter of record %d comes behind that of %d", l.Origin.Offset, last)
		}
		last = l.Origin.Offset
	}
	if len(r.letters.all) != 42 {
		t.Errorf("%d letters, want 42", len(r.letters.all))
	}
	// A forward's origin counts the letters before it, too.
	other := r.end(1 - shard)
	seen := 0
	for _, rec := range r.journal.parts[1-shard][:other] {
		if rec.Kind != domain.KindForward {
			continue
		}
		i := int(rec.Activity.Hash - 100)
		want := r.claimed(shard) + int64(i) + 1 - 3 // the first of each member counts
		if rec.Origin.Offset != want {
			t.Errorf("the forward of record %d has sequence %d, want %d", i, rec.Origin.Offset, want)
		}
		seen++
	}
	if seen != 15 {
		t.Errorf("%d forwards, want 15", seen)
	}
}

// claimed is how many entries a shard had sent for claims before anything else.
func (r *harness) claimed(shard int) (n int64) {
	for _, other := range r.journal.parts {
		for _, rec := range other {
			if rec.Kind == domain.KindClaim && rec.Origin.Topic == r.journal.id && int(rec.Origin.Partition) == shard {
				n = max(n, rec.Origin.Offset)
			}
		}
	}
	return n
}
