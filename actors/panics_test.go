package actors

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// poisonedSource gives one record of partition 0 a slot that is none: routing it panics.
// Where reading is set, decoding it panics instead.
type poisonedSource struct {
	*memSource
	at      atomic.Int64 // the record's offset; below zero: none
	reading bool
}

func newPoisonedSource() *poisonedSource {
	s := &poisonedSource{memSource: &memSource{memLog: newMemLog(3, 2), kept: map[int]int64{}}}
	s.at.Store(-1)
	return s
}

func (s *poisonedSource) Reader(p int) router.SourceReader {
	return poisonedReader{s, s.memSource.Reader(p), p}
}

type poisonedReader struct {
	s *poisonedSource
	router.SourceReader
	p int
}

func (r poisonedReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Arrival) (domain.SourcePage, error) {
	page, err := r.SourceReader.Read(ctx, next, epoch, spare)
	for i := range page.Arrivals {
		if r.p == 0 && page.Arrivals[i].Record.Origin.Offset == r.s.at.Load() {
			if r.s.reading {
				panic("a record that decoding does not survive")
			}
			page.Arrivals[i].Slot = 60_000
		}
	}
	return page, err
}

// A panic in a router, or in what decodes for it, stops its partition alone and visibly;
// no page behind it is routed, and what was not routed is when the process starts again.
func TestI2_RouterPanicLosesNothing(t *testing.T) {
	for name, reading := range map[string]bool{"routing": false, "decoding": true} {
		t.Run(name, func(t *testing.T) {
			src := newPoisonedSource()
			src.page, src.reading = 1100, reading
			r := newRig(t, 1, Options{Logs: Logs{Source: src}})
			r.source = src.memSource
			r.furnish(1)
			id := r.register(1)
			src.at.Store(2500)
			const some = 6000
			for p := range 2 {
				var acts []domain.Record
				for i := range some {
					acts = append(acts, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: r.actOf(id, uint64(p*some+i+1))})
				}
				_, _ = src.Append(context.Background(), p, acts)
			}
			r.eventually("stop", func() bool {
				all := r.node.Status().Routers
				return len(all) == 2 && strings.Contains(all[0].Stopped, "panicked") && all[1].Next == some
			})
			r.submit(domain.Submission{Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": "x", "Slug": "x"}}})
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
			if src.kept[0] > 2500 {
				t.Errorf("the group offset %d is behind the record that was not routed", src.kept[0])
			}
			src.at.Store(-1) // a newer binary
			r.close()
			r.open()
			r.settled()
			if got := r.tally(1).Total.Actions; got != 2*some {
				t.Errorf("%d of %d activities count", got, 2*some)
			}
		})
	}
}

// badStore panics once at a commit, or at the end of the log of entities of the catalog.
type badStore struct {
	shard.Store
	once *atomic.Bool
}

func (s badStore) Commit(state domain.ShardState, o []domain.Origin) error {
	if s.once.CompareAndSwap(true, false) {
		panic("a defect in commit")
	}
	return s.Store.Commit(state, o)
}

// A shard that panics outside of a record stops with the reason, its store is given back,
// and the next process applies what was not committed.
func TestShard_PanicAtCommit(t *testing.T) {
	r := newRig(t, 2, Options{})
	r.close()
	var once atomic.Bool
	r.spoil = func(i int, s shard.Store) shard.Store {
		if i == 0 {
			return badStore{s, &once}
		}
		return s
	}
	r.open()
	r.furnish(1)
	ids := []domain.MemberID{r.memberOf(0), r.memberOf(1)}
	once.Store(true)
	for i, id := range ids {
		r.publish(r.actOf(id, uint64(i+1)), r.actOf(id, uint64(i+11)))
	}
	r.eventually("stop", func() bool { return r.node.running[0].Stopped.Load() != nil })
	r.eventually("the other shard's end", func() bool { return r.routed() && r.atEnds(0) })
	s := r.node.running[0]
	why := *s.Stopped.Load()
	if !strings.Contains(why, "a defect in commit") || !strings.Contains(why, "Effect: shard 0") || !strings.Contains(why, "To do: restart") || strings.Contains(why, "open already") {
		t.Errorf("it stopped with %q", why)
	}
	r.submit(domain.Submission{Account: 1, Command: &domain.PutBrand{Given: domain.BrandFields{"Name": "x", "Slug": "x"}}})
	if shard.Behaviour(s.Behaviour.Load()) != shard.Stopped || s.View.Peek() != nil {
		t.Error("it started again")
	}
	if err := r.node.Ready(); err == nil {
		t.Error("the node is ready")
	}
	r.close()
	r.open()
	if got := r.tally(1).Total.Actions; got != 4 {
		t.Errorf("%d of 4 activities count", got)
	}
}

// A record of the catalog on which applying panics is not passed over: the catalog stops
// before it, nobody sees half of it, and the next process applies it.
func TestCatalog_PanicStopsBeforeTheRecord(t *testing.T) {
	r := newRig(t, 1, Options{})
	r.furnish(1)
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
