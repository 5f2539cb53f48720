package actors

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/router"
)

// forgetful is a public topic whose group offsets are forgotten, and whose partitions'
// starts move.
type forgetful struct {
	*memSource
	starts [2]atomic.Int64
}

func newForgetful() *forgetful {
	return &forgetful{memSource: &memSource{memLog: newMemLog(3, 2), kept: map[int]int64{}}}
}

func (s *forgetful) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.kept)
}

func (s *forgetful) cut(partition int, before int64) { s.starts[partition].Store(before) }

func (s *forgetful) Reader(p int) router.SourceReader {
	return forgetfulReader{s, s.memSource.Reader(p), p}
}

type forgetfulReader struct {
	s *forgetful
	router.SourceReader
	p int
}

func (r forgetfulReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Arrival) (domain.SourcePage, error) {
	start := r.s.starts[r.p].Load()
	if next >= 0 && next < start {
		end, _ := r.s.End(ctx, r.p)
		return domain.SourcePage{}, &domain.GapError{Kind: domain.GapRetention, TopicID: r.s.id, Partition: r.p, Want: next, Start: start, End: end}
	}
	return r.SourceReader.Read(ctx, max(next, start), epoch, spare)
}

// forgottenRig is a node with some members and a forgetful public topic.
type forgottenRig struct {
	*rig
	source *forgetful
	acts   int
}

func newForgottenRig(t *testing.T, journal journal.Log) *forgottenRig {
	s := newForgetful()
	r := &forgottenRig{rig: newRig(t, 2, Options{Logs: Logs{Source: s, Journal: journal}}), source: s}
	r.rig.source = s.memSource
	r.furnish(1)
	for i := range 8 {
		r.register(i)
	}
	return r
}

// act is a new activity of a fan, spread over both shards.
func (r *forgottenRig) act() domain.Record {
	r.acts++
	return domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{
		Identity: identityOf(r.acts % 8), Definition: 100, Brand: 1, Time: 1_700_000_000, Hash: uint64(r.acts),
	}}
}

// put publishes new activities to a partition, as one page.
func (r *forgottenRig) put(partition, n int) {
	r.t.Helper()
	var records []domain.Record
	for range n {
		records = append(records, r.act())
	}
	_, _ = r.source.Append(context.Background(), partition, records)
}

// counts waits until so many are counted.
func (r *forgottenRig) counts(want uint64) {
	r.t.Helper()
	r.eventually("count", func() bool { return r.tally(1).Total.Actions == want })
}

// stands waits until the router of partition 0 stopped for a gap and gives its bounds.
func (r *forgottenRig) stands() *domain.AcceptGap {
	r.t.Helper()
	var at RouterStatus
	r.eventually("stop of the router", func() bool {
		all := r.node.Status().Routers
		if len(all) == 2 {
			at = all[0]
		}
		return at.Stopped != ""
	})
	if !strings.Contains(at.Stopped, "retention") {
		r.t.Fatalf("stopped for another reason: %s", at.Stopped)
	}
	return r.node.routing.List()[0].Gap.Load()
}

func (r *forgottenRig) goesOn() {
	r.t.Helper()
	r.eventually("the routers", func() bool {
		all := r.node.routing.List()
		for _, s := range all {
			if s.Stopped.Load() != nil {
				r.t.Fatalf("partition %d: %s", s.Partition, *s.Stopped.Load())
			}
		}
		return len(all) == 2
	})
}

// restart stops the node; what happens meanwhile is in f.
func (r *forgottenRig) restart(f func()) {
	r.t.Helper()
	r.close()
	f()
	r.open()
}

func TestAForgottenOffsetLosesNothingThatWasCutBeforeItWasRouted(t *testing.T) {
	r := newForgottenRig(t, nil)
	r.put(0, 5)
	r.put(1, 5)
	r.counts(10)
	r.restart(func() {
		r.source.forget()
		r.put(0, 4)
		r.source.cut(0, 7)
	})
	if w := r.stands(); w.From != 5 || w.To != 7 {
		t.Fatalf("%+v, want from 5 to 7", w)
	}
	r.put(1, 1)
	r.counts(11) // the other partition goes on
	if _, err := r.node.AcceptGap(context.Background(), false, 0); err != nil {
		t.Fatal(err)
	}
	r.counts(13)
	r.restart(r.source.forget) // the word stands
	r.put(0, 1)
	r.counts(14)
	r.goesOn()
}

func TestAForgottenOffsetIsNoGapWhereAllThatWasCutHadBeenRouted(t *testing.T) {
	for _, before := range []int64{0, 3, 5} { // all of it, some of it, none
		r := newForgottenRig(t, nil)
		r.put(0, 5)
		r.counts(5)
		repeats := func() (n int64) {
			for _, s := range r.node.running {
				n += s.Stats.Records.Repeats.Load()
			}
			return n
		}
		r.restart(func() {
			r.source.forget()
			r.source.cut(0, before)
		})
		r.put(0, 2)
		r.counts(7)
		r.goesOn()
		if n := repeats(); n != 0 {
			t.Errorf("cut before %d: %d records were read again", before, n)
		}
		r.close()
	}
}

func TestAFirstInstallationBeginsAtTheLogsStartWhereverThatIs(t *testing.T) {
	s := newForgetful()
	s.cut(0, 3)
	for range 5 {
		_, _ = s.Append(context.Background(), 0, []domain.Record{{Kind: domain.KindActivity, Account: 1}})
	}
	r := &forgottenRig{rig: newRig(t, 2, Options{Logs: Logs{Source: s}}), source: s}
	r.rig.source = s.memSource
	r.settled()
	r.goesOn()
	if n := len(r.letters.all); n != 2 { // of an account that is not there
		t.Errorf("%d records were read, want 2", n)
	}
}

func TestAPartitionThatWasBegunWhenItWasEmptyHasAGap(t *testing.T) {
	r := newForgottenRig(t, nil)
	r.settled()
	r.eventually("first page", func() bool { return r.node.routing.List()[0].Fresh.Reached() })
	r.restart(func() {
		r.source.forget()
		r.put(0, 4)
		r.source.cut(0, 4)
	})
	if w := r.stands(); w.From != 0 || w.To != 4 {
		t.Fatalf("%+v, want from 0 to 4", w)
	}
}

// halved is a journal of which one partition takes nothing while it is off.
type halved struct {
	*memLog
	off atomic.Bool
}

func (l *halved) Appender() journal.Appender { return l }

func (l *halved) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	if p == 1 && l.off.Load() {
		return 0, errors.New("nobody there")
	}
	return l.memLog.Append(ctx, p, records)
}

func (l *halved) AppendEach(ctx context.Context, batches [][]domain.Record, done func(int, int64)) {
	appendEach(ctx, l, batches, done)
}

// A router that dies in the midst of a page has appended a part of it. The shard that has
// its part knows the page's last origin, and the log that was emptied begins behind it: yet
// the other shard's part is lost.
func TestAPageThatWasAppendedInPartIsLostAloud(t *testing.T) {
	journal := &halved{memLog: newMemLog(1, 2)}
	r := newForgottenRig(t, journal)
	r.put(0, 6)
	r.counts(6)
	journal.off.Store(true)
	var last domain.Record // of a fan on shard 0
	for last = r.act(); last.Activity.Identity.Slot().Shard(2) != 0; last = r.act() {
	}
	other := r.act()
	for ; other.Activity.Identity.Slot().Shard(2) != 1; other = r.act() {
	}
	_, _ = r.source.Append(context.Background(), 0, []domain.Record{other, last})
	r.counts(7)
	r.restart(func() {
		journal.off.Store(false)
		r.source.forget()
		r.source.cut(0, 8) // where the highest origin ends
	})
	if w := r.stands(); w.From > 6 || w.To != 8 { // of the first six there may be no mark yet
		t.Fatalf("%+v, want from 6 at most to 8", w)
	}
}

// What the group has forgotten of a partition it knows again soon, though nothing comes:
// lag tools go by it.
func TestAForgottenOffsetIsCommittedAnewByAnIdleRouter(t *testing.T) {
	r := newForgottenRig(t, nil)
	r.put(0, 5)
	r.counts(5)
	r.restart(r.source.forget)
	r.eventually("the group's offset", func() bool {
		next, _, ok, err := r.source.Committed(context.Background(), 0)
		return err == nil && ok && next == 5
	})
}
