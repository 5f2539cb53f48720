package actors

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/replay"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/store"
)

// newBrand is the record of the catalog that makes a brand.
func newBrand(name string) domain.Record {
	return domain.Record{Kind: domain.KindPutBrand, Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": name, "Slug": name}}}
}

// A shard that meets a brand which its node cannot read of the catalog yet pauses: the view stays, the lag grows,
// status says what is waited for, and other shards and routers go on. It goes on by itself.
func TestShard_PausesForANewerCatalog(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		catalog, said := newFaultyLog(2, 1), &logLines{}
		r := furnished(t, 2, 1, Options{Logs: Logs{Catalog: catalog}, Log: said.log()})
		ids := r.memberOfEach()
		before := r.actOf(ids[0], 1)
		r.publish(before)
		r.settled()
		catalog.off.Store(true)
		appendTo(t, catalog.memLog, 0, newBrand("next")) // by another node
		ahead := r.actOf(ids[0], 2)
		ahead.Brand = 2
		r.append(0, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: r.actOf(ids[0], 3)},
			domain.Record{Kind: domain.KindActivity, Account: 1, Activity: ahead})
		r.counts(2) // what stands before it is applied
		const many = 3000
		for i := range uint64(many) {
			r.publish(r.actOf(ids[i%2], 10+i))
		}
		r.eventually("the other shard", func() bool { return r.node.Status().Shards[1].Recorded == many/2 })
		r.eventually("cause", func() bool {
			return strings.Contains(r.node.Status().Shards[0].Waiting, "a record is of a brand that this node has not read of the catalog yet")
		})
		time.Sleep(10 * time.Second)
		st := r.node.Status()
		if s := st.Shards[0]; !st.Ready || s.Stopped != "" || s.Behaviour != "serving" || s.LagMs < 10_000 || s.Recorded != 2 {
			t.Errorf("%+v", st)
		}
		if !strings.Contains(st.Degraded, "shard 0: nothing is applied: a record is of a brand") {
			t.Errorf("degraded: %q", st.Degraded)
		}
		if !r.routed() {
			t.Error("routers wait for the shard that is paused")
		}
		if got := r.tally(1).Total.Actions; got != 2+many/2 {
			t.Errorf("%d actions are shown", got)
		}
		catalog.off.Store(false)
		r.settled()
		if got, all := r.tally(2).Total.Actions, r.tally(0).Total.Actions; got != 1 || all != 3+many {
			t.Errorf("%d actions of the new brand, %d of all", got, all)
		}
		st = r.node.Status()
		if s := st.Shards[0]; s.Waiting != "" || st.Degraded != "" || r.node.running[0].Detached.Load() {
			t.Errorf("%+v", st)
		}
		if n := said.lines("shard stopped"); n != 0 {
			t.Errorf("%d stops", n)
		}
	})
}

// A brand that the catalog does not have at its end was lost: the shard stops, and says what to do. A record that
// counts nothing may name any brand.
func TestShard_StopsAtALostBrand(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := furnished(t, 2, 1, Options{})
		ids := r.memberOfEach()
		lost := r.actOf(ids[0], 1)
		lost.Brand = 7
		refused := lost
		refused.Refusal = domain.UnknownBrand
		r.append(0, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: refused})
		r.append(1, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: lost}) // of another partition
		r.settled()
		r.append(0, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: lost})
		r.eventually("stop", func() bool {
			why := r.node.Status().Shards[0].Stopped
			return strings.Contains(why, "does not have brand 7") && strings.Contains(why, "To do: bring back the records")
		})
		if s := r.node.Status().Shards[1]; s.Behaviour != "serving" {
			t.Errorf("the other shard: %+v", s)
		}
	})
}

// A replay obeys the same: it pauses for a catalog that is behind, and makes what the shard made.
func TestReplay_PausesForANewerCatalog(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		catalog := newFaultyLog(2, 1)
		r := furnished(t, 1, 1, Options{Logs: Logs{Catalog: catalog}})
		id := r.register(0)
		disk, err := store.Open("shadow", store.Options{FS: vfs.NewMem(), Throwaway: true})
		r.must(err)
		defer disk.Close()
		shadow, err := r.node.Replay(t.Context(), 0, replay.Options{Open: func() (shard.Store, error) {
			s, err := disk.Shard(0)
			return checkedStore{s, r}, err
		}})
		r.must(err)
		r.settled()
		r.must(shadow.To(t.Context(), r.end(0)))
		catalog.off.Store(true)
		appendTo(t, catalog.memLog, 0, newBrand("next"))
		ahead := r.actOf(id, 2)
		ahead.Brand = 2
		r.append(0, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: r.actOf(id, 1)},
			domain.Record{Kind: domain.KindActivity, Account: 1, Activity: ahead})
		end := r.end(0)
		short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := shadow.To(short, end); !errors.Is(err, context.DeadlineExceeded) || shadow.Applied() != end-1 {
			t.Errorf("without the catalog: %v, applied %d of %d", err, shadow.Applied(), end)
		}
		catalog.off.Store(false)
		r.settled()
		made := audited(t, r.store, 0)
		r.must(shadow.To(t.Context(), made.State().Next))
		shadow.Stop()
		f, err := audit.Compare(made, audited(t, disk, 0))
		if err != nil || f.Total != 0 {
			t.Errorf("%d differences: %+v %v", f.Total, f.First, err)
		}
	})
}

// lateBeside is another node on the same logs, whose catalog comes as late as delay says, at every page.
func (r *harness) lateBeside(delay func() time.Duration) *harness {
	r.t.Helper()
	late := &faultyLog{memLog: r.catalog}
	late.gap = func(int, int64) error {
		time.Sleep(delay())
		return nil
	}
	return r.beside(Options{Logs: Logs{Catalog: late}, Memory: r.options.Memory})
}

// sameAs requires that both nodes have stored, and keep in memory, the same.
func (r *harness) sameAs(t *testing.T, other *harness) {
	t.Helper()
	r.settled()
	other.settled()
	for id := range r.node.count {
		have, want := audited(t, other.store, id), audited(t, r.store, id)
		ours, theirs := want.State(), have.State()
		if ours.Facts != theirs.Facts || ours.Sequence != theirs.Sequence || ours.Outbox != theirs.Outbox || ours.Rows != theirs.Rows {
			t.Errorf("shard %d: %+v, the other has %+v", id, ours, theirs)
		}
		if f, err := audit.Compare(have, want); err != nil || f.Total != 0 {
			t.Errorf("shard %d: %d differences: %+v %v", id, f.Total, f.First, err)
		}
	}
	if a, b := r.tally(0).Total, other.tally(0).Total; a != b {
		t.Errorf("%+v, the other answers %+v", a, b)
	}
}

// Brands that are made at one node and used at once stop no shard of another node whose catalog comes a second
// later: no store is opened again, and every question is answered.
func TestCatalog_DelayedOnOneNode(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := furnished(t, 2, 1, Options{})
		ids := r.memberOfEach()
		other := r.lateBeside(func() time.Duration { return time.Second })
		opened := 0
		other.bar = func(int) error { opened++; return nil }
		for i := range 100 {
			r.putBrand(fmt.Sprint("made ", i))
			a := r.actOf(ids[i%2], uint64(i))
			a.Brand = domain.BrandID(2 + i)
			r.append(i%2, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: a})
			time.Sleep(10 * time.Millisecond)
			if _, err := other.node.Ask(context.Background(), allOf(domain.ShapeTally, 0), domain.Position{}); err != nil {
				t.Fatalf("after %d brands: %v", i, err)
			}
			for _, s := range other.node.running {
				if s.Stopped.Load() != nil || shard.Behaviour(s.Behaviour.Load()) != shard.Serving {
					t.Fatalf("after %d brands: %+v", i, other.node.Status())
				}
			}
		}
		r.sameAs(t, other)
		if got := other.tally(0).Total.Actions; got != 100 || opened != 0 {
			t.Errorf("%d actions, %d stores opened again", got, opened)
		}
	})
}

// What is applied does not hang on when the catalog comes, nor on where pages end: nodes whose catalogs come late
// make the same of a history, in which brands are made and used at once, also by what merged members lend (I6).
func TestI6_CatalogsApart(t *testing.T) {
	for range sampled(catalogHistories) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			rnd := seeded(t)
			inBubble(t, func(t *testing.T) { catalogsApart(t, rnd) })
		})
	}
}

func catalogsApart(t *testing.T, rnd *rand.Rand) {
	x := newHistory(t, rnd)
	pages, delays := rand.New(rand.NewPCG(rnd.Uint64(), 1)), rand.New(rand.NewPCG(rnd.Uint64(), 2)) // of other goroutines
	other := x.lateBeside(func() time.Duration { return time.Duration(delays.Int64N(1 << delays.IntN(33))) })
	other.close()
	effects := [3]*effectsOf{newEffects(), newEffects(), newEffects()}
	other.wrap = func(i int, s shard.Store) shard.Store { return heard{s, effects[i]} }
	other.rebuild()
	x.journal.mu.Lock()
	x.journal.cut = []func() int64{singly, func() int64 { return 3 }, whole, func() int64 { return 1 + pages.Int64N(40) }}[rnd.IntN(4)]
	x.journal.mu.Unlock()
	for brand := 4; brand < 24; brand++ {
		x.putBrand(fmt.Sprint("made ", brand))
		for range 1 + rnd.IntN(4) {
			x.step()
			a := x.actOf(x.fan(), rnd.Uint64())
			a.Brand, a.Definition = domain.BrandID(brand+1-rnd.IntN(2)), domain.DefinitionID(100+rnd.IntN(2))
			x.publish(a)
		}
	}
	x.rested()
	x.sameAs(t, other)
	for id := range effects {
		x.effects[id].sameEntries(t, effects[id])
		if diff := cmp.Diff(x.counted(id), effects[id].counted); diff != "" {
			t.Errorf("shard %d: rows count otherwise: %s", id, diff)
		}
	}
}
