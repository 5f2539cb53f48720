package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// newPoisonedSource is a public topic that gives the record of partition 0 at an offset a slot that
// is none: routing it panics. Where reading is set, decoding it panics instead.
func newPoisonedSource(at *atomic.Int64, reading bool) *faultySource {
	at.Store(-1)
	s := &faultySource{memSource: newMemSource()}
	s.change = func(p int, _ int64, page domain.SourcePage) (domain.SourcePage, error) {
		for i := range page.Arrivals {
			if p == 0 && page.Arrivals[i].Record.Origin.Offset == at.Load() {
				if reading {
					panic("a record that decoding does not survive")
				}
				page.Arrivals[i].Slot = 60_000
			}
		}
		return page, nil
	}
	return s
}

// A panic in a router, or in what decodes for it, stops its partition alone and visibly;
// no page after it is routed, and what was not routed is when the process starts again.
func TestI2_RouterPanicLosesNothing(t *testing.T) {
	for name, reading := range map[string]bool{"routing": false, "decoding": true} {
		t.Run(name, func(t *testing.T) {
			var at atomic.Int64 // below zero: no record is poisoned
			src := newPoisonedSource(&at, reading)
			src.page = 1100
			r := furnished(t, 1, 1, Options{Logs: Logs{Source: src}})
			id := r.register(1)
			at.Store(2500)
			const some = 6000
			for p := range 2 {
				_, _ = src.Append(context.Background(), p, r.activitiesOf(id, p*some, some))
			}
			r.eventually("stop", func() bool {
				all := r.node.Status().Routers
				return len(all) == 2 && strings.Contains(all[0].Stopped, "panicked") && all[1].Next == some
			})
			r.putBrand("x")
			st := r.node.Status()
			if st.Routers[0].Next > 2500 || st.Routers[0].Stopped == "" || st.Routers[1].Stopped != "" {
				t.Errorf("the routers: %+v", st.Routers)
			}
			for _, part := range []string{"panicked", "Effect: what is published to partition 0 waits there", "To do: restart the node"} {
				if !strings.Contains(st.Routers[0].Stopped, part) || !strings.Contains(st.Degraded, part) {
					t.Errorf("status does not say %q: %s; %s", part, st.Routers[0].Stopped, st.Degraded)
				}
			}
			if !st.Ready {
				t.Errorf("the node answers and is not ready: %s", st.Why)
			}
			if kept, _, _, _ := src.Committed(t.Context(), 0); kept > 2500 {
				t.Errorf("the group offset %d is behind the record that was not routed", kept)
			}
			at.Store(-1) // a newer binary
			r.restart()
			r.settled()
			r.wantActions(2 * some)
		})
	}
}

// A shard that panics outside of a record stops with the reason, its store is given back,
// and the next process applies what was not committed.
func TestShard_PanicAtCommit(t *testing.T) {
	r := newHarness(t, 2, Options{})
	r.close()
	var once atomic.Bool
	r.wrapShard(0, func(s shard.Store) shard.Store {
		return hookedStore{Store: s, commit: func(domain.ShardState) {
			if once.CompareAndSwap(true, false) {
				panic("a defect in commit")
			}
		}}
	})
	r.open()
	r.furnish(1)
	ids := r.memberOfEach()
	once.Store(true)
	for i, id := range ids {
		r.publish(r.actOf(id, uint64(i+1)), r.actOf(id, uint64(i+11)))
	}
	s := r.node.running[0]
	stopped := func() bool { return shard.Behaviour(s.Behaviour.Load()) == shard.Stopped && s.View.Peek() == nil }
	r.eventually("stop", func() bool { return s.Stopped.Load() != nil && stopped() })
	r.eventually("the other shard's end", func() bool { return r.routed() && r.atEnds(0) })
	why := *s.Stopped.Load()
	if !strings.Contains(why, "a defect in commit") || !strings.Contains(why, "Effect: shard 0") || !strings.Contains(why, "To do: restart") || strings.Contains(why, "open already") {
		t.Errorf("it stopped with %q", why)
	}
	r.putBrand("x")
	if !stopped() {
		t.Error("it started again")
	}
	if err := r.node.Ready(); err == nil {
		t.Error("the node is ready")
	}
	r.restart()
	r.wantActions(4)
}

// A record of the catalog on which applying panics is not passed over: the catalog stops
// before it, no view has half of it, and the next process applies it.
func TestCatalog_PanicStopsBeforeTheRecord(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	before := r.node.Catalog().Next()
	_, _ = r.catalog.Append(context.Background(), 0, []domain.Record{
		{Kind: domain.KindPutBrand, Account: 1, Request: domain.RequestID{9}, Command: (*domain.PutBrand)(nil)},
		{Kind: domain.KindPutBrand, Account: 1, Request: domain.RequestID{10}, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": "y", "Slug": "y"}}},
	})
	r.eventually("stop", func() bool {
		err := r.node.Ready()
		return r.node.catalogReader.handle.Stopped.Load() != nil && err != nil && strings.Contains(err.Error(), "panicked")
	})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if err := r.node.catalogReader.await(ctx, before+1); err == nil {
		t.Error("a position that is not published was reached")
	}
	if next := r.node.Catalog().Next(); next != before {
		t.Errorf("the view is at %d, the record at %d", next, before)
	}
	r.close()
	r.catalog.parts[0][before].Command = &domain.PutBrand{Given: domain.BrandFields{"Name": "x", "Slug": "x"}} // a newer binary
	r.open()
	if got := len(r.node.Catalog().Brands(1)); got != 3 {
		t.Errorf("%d brands, 3 were made", got)
	}
}

// What sets a record aside names that record: another one at its offset, of a journal
// that was made again or of one that was cut and has grown again, is applied.
func TestSetAside_NamesARecordNotAPlace(t *testing.T) {
	for _, anew := range []bool{true, false} {
		t.Run(fmt.Sprint("made anew ", anew), func(t *testing.T) {
			r := furnished(t, 1, 1, Options{})
			id := r.register(1)
			r.settled()
			end := r.end(0)
			at := end + 20
			if anew {
				at = 20
			}
			place := catalog.RecordPlace{Topic: r.journal.id, Partition: 0, Offset: at, Epoch: r.journal.epochOf(at)}
			r.must(r.node.setAside(place))
			r.eventually("record of the catalog", func() bool { return r.node.Catalog().SetsAside(place) })
			r.close()
			if anew {
				r.journal = newMemLog(55, 1)
			} else {
				r.journal.moved = int64(len(r.journal.parts[0])) // the next record is of another leader
			}
			r.boot()
			if anew {
				r.eventually("stop", func() bool { return r.node.running[0].Stopped.Load() != nil })
				r.accepted(0)
			}
			r.ready()
			r.append(0, r.activitiesOf(id, 0, 60)...)
			r.settled()
			r.wantActions(60)
		})
	}
}

// A command that was set aside is answered, and so is its repeat: no second record fails.
func TestSetAside_AnswersTheRequest(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	r.register(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	poison := domain.Submission{Account: 1, Request: domain.RequestID{7}, BodyHash: 5, Slot: 1, Command: (*domain.OptOut)(nil)}
	submit := func() domain.Outcome { // as a client repeats with its Idempotency-Key
		for {
			out, err := r.node.Submit(ctx, poison)
			if !errors.Is(err, domain.ErrUnavailable) || ctx.Err() != nil {
				r.must(err)
				return out
			}
		}
	}
	for range 3 {
		if out := submit(); out.Code != domain.Internal || out.Message == "" {
			t.Fatalf("%+v", out)
		}
	}
	if out := submit(); !out.Replayed {
		t.Errorf("%+v is no replay", out)
	}
	st := r.node.Status().Shards[0]
	if st.Panics != 2 || st.Dead["poison"] != 1 {
		t.Errorf("%d panics, %d records set aside", st.Panics, st.Dead["poison"])
	}
	r.settled()
	r.replaysEqual(t)
}
