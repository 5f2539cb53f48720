package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// While a poison record cannot be set aside, since the catalog takes no record, its shard
// alone is stopped: the others reach their ends and answer. When the catalog takes the record,
// the shard continues by itself.
func TestPoison_StopsItsShardAlone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		catalog, said := newFaultyLog(2, 1), &logLines{}
		r := furnished(t, 4, 1, Options{Logs: Logs{Catalog: catalog}, Log: said.log()})
		var ids []domain.MemberID
		for shard := range 4 {
			ids = append(ids, r.memberOf(shard))
		}
		r.settled()
		const sick, each = 2, 2000
		catalog.off.Store(true)
		r.append(sick, poison())
		for i := range 4 * each {
			r.publish(r.actOf(ids[i%4], uint64(i)))
		}
		r.eventually("routing past the stopped shard", r.routed)
		r.eventually("others at their ends", func() bool { return r.atEnds(sick) })

		st := r.node.Status()
		if s := st.Shards[sick]; s.Behaviour != "stopped" || !strings.Contains(s.Stopped, "cannot be applied: waiting for it to be set aside") || s.Panics != 2 {
			t.Errorf("%+v", s)
		}
		if st.Ready || !strings.Contains(st.Why, "shard 2") || !strings.Contains(st.Catalog.Waiting, "no broker") || st.Catalog.Failures == 0 {
			t.Errorf("%v %q %+v", st.Ready, st.Why, st.Catalog)
		}
		for i, s := range st.Shards {
			if i != sick && (s.Stopped != "" || s.Recorded != each) {
				t.Errorf("%+v", s)
			}
			m, _, err := r.node.Member(t.Context(), 1, ids[i], domain.Position{})
			if i == sick && !errors.Is(err, domain.ErrUnavailable) || i != sick && (err != nil || m.ID != ids[i]) {
				t.Errorf("a member of shard %d: %v %v", i, m, err)
			}
		}
		if n := said.lines("shard stopped", "shard=2"); n != 1 {
			t.Errorf("%d lines of the stop", n)
		}

		catalog.off.Store(false)
		r.eventually("recovery", func() bool { return r.node.Ready() == nil })
		r.settled()
		if got := r.tally(1).Total; got.Actions != 4*each || got.Members != 4 {
			t.Errorf("%+v", got)
		}
		if st := r.node.Status().Shards[sick]; st.Stopped != "" || st.Panics != 2 || st.Dead["poison"] != 1 {
			t.Errorf("%+v", st)
		}
	})
}

// A hundred records an hour may be set aside; what is wrong with more is not the records.
func TestPoison_IsSetAsideAHundredTimesAnHour(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		said := &logLines{}
		r := furnished(t, 2, 1, Options{Log: said.log()})
		sick := r.memberOf(1)
		var batch []domain.Record
		for i := range maxSetAside + 1 {
			bad := poison()
			bad.Origin = domain.Origin{}
			batch = append(batch, bad, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: r.actOf(sick, uint64(i))})
		}
		r.append(1, batch...)
		stopped := func() string { return r.node.Status().Shards[1].Stopped }
		r.eventually("refusal", func() bool { return strings.Contains(stopped(), "100 records were set aside within an hour") })
		if n := r.node.running[1].Stats.Dead[domain.Poison].Load(); n != maxSetAside {
			t.Fatalf("%d records were set aside", n)
		}
		r.close()
		time.Sleep(time.Hour)
		r.open() // which is what an operator does
		r.settled()
		r.wantActions(maxSetAside + 1)
	})
}

var errChecksum = errors.New("checksum mismatch")

// What the store cannot read stops the shard whose it is, and no other, whether the shard
// meets it or a question does: which is answered as one that comes at a bad time.
func TestShard_StopsOnAReadError(t *testing.T) {
	for _, byQuestion := range []bool{false, true} {
		t.Run(fmt.Sprint("met by a question ", byQuestion), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				said := &logLines{}
				r := furnished(t, 2, 1, Options{Memory: Memory{MemberBytes: 1_000}, Log: said.log()})
				ids := r.memberOfEach()
				r.publish(r.actOf(ids[0], 1), r.actOf(ids[1], 2))
				r.settled()
				var byShard, byAsk atomic.Bool
				r.close()
				illegible := func(on *atomic.Bool) func() error {
					return func() error {
						if on.Load() {
							return errChecksum
						}
						return nil
					}
				}
				r.wrapShard(0, func(s shard.Store) shard.Store {
					return hookedStore{Store: s, member: illegible(&byShard), asked: illegible(&byAsk)}
				})
				r.open()
				byShard.Store(!byQuestion)
				byAsk.Store(byQuestion)
				if byQuestion {
					if _, _, err := r.node.Member(t.Context(), 1, ids[0], domain.Position{}); !errors.Is(err, domain.ErrUnavailable) {
						t.Errorf("answered with %v", err)
					}
				}
				r.publish(r.onceOf(ids[0], 3), r.onceOf(ids[1], 4)) // a plain one reads no member
				r.eventually("stop", func() bool { return strings.Contains(r.node.Status().Shards[0].Stopped, "checksum mismatch") })
				r.eventually("the other shard", func() bool { return r.node.Status().Shards[1].Recorded == 1 })
				if m, _, err := r.node.Member(t.Context(), 1, ids[1], domain.Position{}); err != nil || m.ID != ids[1] {
					t.Errorf("a member of the other shard: %v %v", m, err)
				}
				if _, err := r.node.Ask(t.Context(), &domain.Question{Account: 1, Shape: domain.ShapeTally, Range: domain.Range{To: 1}}, domain.Position{}); !errors.Is(err, domain.ErrUnavailable) {
					t.Errorf("half of the shards answered: %v", err)
				}
				if n := said.lines("shard stopped", "shard=0", "checksum mismatch"); n != 1 || r.node.Ready() == nil {
					t.Errorf("%d lines of the stop; ready: %v", n, r.node.Ready())
				}
				byShard.Store(false)
				byAsk.Store(false)
				r.restart()
				r.settled()
				r.wantActions(4)
			})
		})
	}
}

// On a full disk nothing is applied, and all that was is answered; when there is room
// again, shards go on by themselves.
func TestShard_WaitsForDiskHeadroom(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		said, full := &logLines{}, &atomic.Bool{}
		r := furnished(t, 2, 1, Options{Log: said.log()})
		ids := r.memberOfEach()
		r.publish(r.actOf(ids[0], 1), r.actOf(ids[1], 2))
		r.settled()
		r.close()
		r.wrap = func(_ int, s shard.Store) shard.Store { return fullDisk{s, full} }
		r.open()
		full.Store(true)
		for i := range 3000 {
			r.publish(r.actOf(ids[i%2], uint64(10+i)))
		}
		r.eventually("routing", func() bool { return r.node.Status().Routers[0].Routed > 0 })
		time.Sleep(90 * time.Second)
		for _, s := range r.node.Status().Shards {
			if s.Recorded != 0 || s.Behaviour != "serving" || s.Stopped != "" || s.Waiting != "nothing is applied: the disk is nearly full" || s.LagMs < 85_000 {
				t.Errorf("%+v", s)
			}
		}
		r.wantActions(2)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		a := r.actOf(ids[0], 9)
		if _, err := r.node.Submit(ctx, domain.Submission{Account: 1, Slot: ids[0].Slot(), Request: domain.RequestID{9}, Activity: &a}); !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("a write is answered with %v", err)
		}
		if n := said.lines("level=WARN", "nothing is applied", "shard=0"); n != 2 {
			t.Errorf("%d lines in 90 s", n)
		}
		full.Store(false)
		r.settled()
		r.wantActions(3003)
		if n := said.lines("recovered: nothing is applied", "shard=0"); n != 1 {
			t.Errorf("%d lines of its end", n)
		}
	})
}

// A broker that is away for minutes: what was applied is answered, ever older; a write
// meets its deadline and is applied all the same, once; no operator has to act.
func TestNode_BrokerAwayForMinutes(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		journal, catalog, said := newFaultyLog(1, 2), newFaultyLog(2, 1), &logLines{}
		r := furnished(t, 2, 1, Options{Logs: Logs{Journal: journal, Catalog: catalog}, Log: said.log()})
		id := r.memberOf(0)
		r.publish(r.actOf(id, 1))
		r.settled()
		journal.off.Store(true)
		catalog.off.Store(true)
		a := r.actOf(id, 2)
		sub := domain.Submission{Account: 1, Slot: id.Slot(), Request: domain.RequestID{9}, Activity: &a}
		last := int64(-1)
		for minute := range 5 {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			if _, err := r.node.Submit(ctx, sub); !errors.Is(err, domain.ErrUnavailable) {
				t.Errorf("a write is answered with %v", err)
			}
			cancel()
			time.Sleep(time.Until(time.Now().Add(58 * time.Second)))
			q := &domain.Question{Account: 1, Shape: domain.ShapeTally, Range: domain.Range{To: 1<<32 - 1}, Groups: []domain.Group{{Definition: 100, Group: 100}}}
			ans, err := r.node.Ask(t.Context(), q, domain.Position{})
			if err != nil || ans.Tally.Total.Actions != 1 || ans.LagMs < last+59_000 {
				t.Fatalf("minute %d: %+v %v", minute, ans, err)
			}
			last = ans.LagMs
		}
		st := r.node.Status()
		if !st.Ready || !strings.Contains(st.Catalog.Waiting, "the catalog cannot be read: no broker") {
			t.Errorf("%+v", st)
		}
		if s := st.Shards[0]; !strings.HasPrefix(s.Waiting, "the journal cannot be read: no broker; ") || !strings.HasSuffix(s.Waiting, "; commands cannot be appended: no broker") || s.Failures < 500 || s.Behaviour != "serving" {
			t.Errorf("%+v", s)
		}
		if n := said.lines("level=WARN", "the journal cannot be read", "shard=0"); n != 5 {
			t.Errorf("%d lines in five minutes", n)
		}
		journal.off.Store(false)
		catalog.off.Store(false)
		out, err := r.node.Submit(t.Context(), sub)
		if err != nil || out.Row.Hash != 2 {
			t.Errorf("the write again: %+v %v", out, err)
		}
		r.settled()
		r.wantActions(2)
		r.eventually("the end of it", func() bool {
			st := r.node.Status()
			return st.LagMs < 1000 && st.Shards[0].Waiting == "" && st.Shards[1].Waiting == "" && st.Catalog.Waiting == ""
		})
	})
}

// The view of a shard in which nothing happens is renewed, so that it keeps nothing of
// what the other shards rewrite, and is the same view to who reads it.
func TestShard_IdleViewIsRenewed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newHarness(t, 3, Options{}) // the first two keep the marks of what was routed
		r.furnish(1)
		ids := []domain.MemberID{r.memberOf(2), r.memberOf(1)}
		r.publish(r.actOf(ids[0], 1), r.actOf(ids[1], 2))
		r.settled()
		idle := r.node.running[2]
		held := idle.View.Acquire()
		for i := range 10 {
			before := idle.View.Peek()
			r.publish(r.actOf(ids[1], uint64(100+i)))
			time.Sleep(shard.ViewLasts + 2*shard.RenewEvery)
			if after := idle.View.Peek(); after == before || after.Version != before.Version || after.Next != before.Next {
				t.Fatalf("version %d of %d, was %d of %d", after.Version, after.Next, before.Version, before.Next)
			}
		}
		st, err := r.store.Stats()
		if err != nil || st.Snapshots != 4 { // one of each shard, and the one held here
			t.Errorf("%d snapshots %v", st.Snapshots, err)
		}
		place, _ := held.Roster.Find(ids[0])
		if m, err := held.Snapshot.Member(1, place.Ord); err != nil || m.ID != ids[0] {
			t.Errorf("a view that is held: %v %v", m, err)
		}
		held.Release()
		if st, _ := r.store.Stats(); st.Snapshots != 3 {
			t.Errorf("%d snapshots", st.Snapshots)
		}
	})
}
