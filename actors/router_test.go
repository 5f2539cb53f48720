package actors

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/router"
)

// forgetful is a public topic whose group offsets are forgotten, and whose partitions'
// starts move.
type forgetful struct {
	*faultySource
	starts [2]atomic.Int64
}

func newForgetful() *forgetful {
	s := &forgetful{faultySource: &faultySource{memSource: newMemSource()}}
	s.start = func(p int) int64 { return s.starts[p].Load() }
	return s
}

func (s *forgetful) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.kept)
}

func (s *forgetful) cut(partition int, before int64) { s.starts[partition].Store(before) }

// sourceHarness is a node with some members and a forgetful public topic.
type sourceHarness struct {
	*harness
	source *forgetful
	acts   int
}

func newSourceHarness(t *testing.T, journal journal.Log) *sourceHarness {
	s := newForgetful()
	r := &sourceHarness{harness: newHarness(t, 2, Options{Logs: Logs{Source: s.faultySource, Journal: journal}}), source: s}
	r.furnish(1)
	r.members(8)
	return r
}

// act is a new activity of a fan, spread over both shards.
func (r *sourceHarness) act() domain.Record {
	r.acts++
	return domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{
		Identity: identityOf(r.acts % 8), Definition: 100, Brand: 1, Time: 1_700_000_000, Hash: uint64(r.acts),
	}}
}

// put publishes new activities to a partition, as one page.
func (r *sourceHarness) put(partition, n int) {
	r.t.Helper()
	var records []domain.Record
	for range n {
		records = append(records, r.act())
	}
	_, _ = r.source.Append(context.Background(), partition, records)
}

// stops waits until the router of partition 0 stopped at a gap, and gives its bounds.
func (r *sourceHarness) stops() *domain.AcceptGap {
	r.t.Helper()
	r.eventually("stop of the router", func() bool {
		all := r.node.routing.List()
		return len(all) == 2 && all[0].Stopped.Load() != nil
	})
	at := r.node.routing.List()[0]
	if why := *at.Stopped.Load(); !strings.Contains(why, "retention") {
		r.t.Fatalf("stopped for another reason: %s", why)
	}
	return at.Gap.Load()
}

// routes requires that neither router stops.
func (r *sourceHarness) routes() {
	r.t.Helper()
	r.eventually("the routers", func() bool { return len(r.node.routing.List()) == 2 })
	for _, s := range r.node.routing.List() {
		if why := s.Stopped.Load(); why != nil {
			r.t.Fatalf("partition %d: %s", s.Partition, *why)
		}
	}
}

// restart stops the node; what happens meanwhile is in f.
func (r *sourceHarness) restart(f func()) {
	r.t.Helper()
	r.close()
	f()
	r.open()
}

func TestRouter_ForgottenOffsetReportsWhatWasCut(t *testing.T) {
	r := newSourceHarness(t, nil)
	r.put(0, 5)
	r.put(1, 5)
	r.counts(10)
	r.restart(func() {
		r.source.forget()
		r.put(0, 4)
		r.source.cut(0, 7)
	})
	if w := r.stops(); w.From != 5 || w.To != 7 {
		t.Fatalf("%+v, want from 5 to 7", w)
	}
	r.put(1, 1)
	r.counts(11) // the other partition goes on
	_, err := r.node.AcceptGap(context.Background(), false, 0, false)
	r.must(err)
	r.counts(13)
	r.restart(r.source.forget) // the gap stays accepted
	r.put(0, 1)
	r.counts(14)
	r.routes()
}

func TestRouter_ForgottenOffsetOfWhatWasRouted(t *testing.T) {
	for _, before := range []int64{0, 3, 5} { // all of it, some of it, none
		r := newSourceHarness(t, nil)
		r.put(0, 5)
		r.counts(5)
		repeats := func() (n int64) {
			for _, s := range r.node.running {
				n += s.Stats.Repeats.Load()
			}
			return n
		}
		r.restart(func() {
			r.source.forget()
			r.source.cut(0, before)
		})
		r.put(0, 2)
		r.counts(7)
		r.routes()
		if n := repeats(); n != 0 {
			t.Errorf("cut before %d: %d records were read again", before, n)
		}
		r.close()
	}
}

func TestRouter_FirstInstallationBeginsAtTheLogsStart(t *testing.T) {
	s := newForgetful()
	s.cut(0, 3)
	for range 5 {
		_, _ = s.Append(context.Background(), 0, []domain.Record{{Kind: domain.KindActivity, Account: 1}})
	}
	r := &sourceHarness{harness: newHarness(t, 2, Options{Logs: Logs{Source: s.faultySource}}), source: s}
	r.settled()
	r.routes()
	if n := len(r.letters.all); n != 2 { // of an account that is not there
		t.Errorf("%d records were read, want 2", n)
	}
}

func TestRouter_ForgottenOffsetOfAnEmptyPartition(t *testing.T) {
	r := newSourceHarness(t, nil)
	r.settled()
	r.eventually("first page", func() bool { return r.node.routing.List()[0].Fresh.Reached() })
	r.restart(func() {
		r.source.forget()
		r.put(0, 4)
		r.source.cut(0, 4)
	})
	if w := r.stops(); w.From != 0 || w.To != 4 {
		t.Fatalf("%+v, want from 0 to 4", w)
	}
}

// A router that dies in the midst of a page has appended a part of it. The shard that has
// its part knows the page's last origin, and the log that was emptied begins after it: yet
// the other shard's part is lost.
func TestRouter_ForgottenOffsetOfAPageAppendedInPart(t *testing.T) {
	journal := newFaultyLog(1, 2)
	var off atomic.Bool // partition 1 takes nothing
	journal.refuse = func(p int) error {
		if p == 1 && off.Load() {
			return errAway
		}
		return nil
	}
	r := newSourceHarness(t, journal)
	r.put(0, 6)
	r.counts(6)
	off.Store(true)
	var last domain.Record // of a fan on shard 0
	for last = r.act(); last.Activity.Identity.Slot().Shard(2) != 0; last = r.act() {
	}
	other := r.act()
	for ; other.Activity.Identity.Slot().Shard(2) != 1; other = r.act() {
	}
	_, _ = r.source.Append(context.Background(), 0, []domain.Record{other, last})
	r.counts(7)
	r.restart(func() {
		off.Store(false)
		r.source.forget()
		r.source.cut(0, 8) // where the highest origin ends
	})
	if w := r.stops(); w.From > 6 || w.To != 8 { // of the first six there may be no mark yet
		t.Fatalf("%+v, want from 6 at most to 8", w)
	}
}

// What the group has forgotten of a partition it knows again soon, though nothing comes:
// lag tools go by it.
func TestRouter_ForgottenOffsetIsCommittedAnew(t *testing.T) {
	r := newSourceHarness(t, nil)
	r.put(0, 5)
	r.counts(5)
	r.restart(r.source.forget)
	r.eventually("the group's offset", func() bool {
		next, _, ok, err := r.source.Committed(context.Background(), 0)
		return err == nil && ok && next == 5
	})
}

// recreatedTopic is a public topic that can be deleted and made again.
type recreatedTopic struct {
	mu   sync.Mutex
	all  []*memSource           // the last is there now
	read map[int]domain.TopicID // what a partition is read of
	kept map[int]domain.Routed
}

func newRecreatedTopic(partitions int) *recreatedTopic {
	return &recreatedTopic{
		all:  []*memSource{{memLog: newMemLog(100, partitions)}},
		read: map[int]domain.TopicID{}, kept: map[int]domain.Routed{},
	}
}

// again deletes the topic and makes it with so many partitions.
func (s *recreatedTopic) again(partitions int) *memSource {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &memSource{memLog: newMemLog(byte(100+len(s.all)), partitions)}
	s.all = append(s.all, m)
	return m
}

func (s *recreatedTopic) now() *memSource {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[len(s.all)-1]
}

func (s *recreatedTopic) Topic() domain.TopicID                   { return s.now().id }
func (s *recreatedTopic) Partitions(context.Context) (int, error) { return len(s.now().parts), nil }

func (s *recreatedTopic) End(ctx context.Context, p int) (int64, error) {
	if m := s.now(); p < len(m.parts) {
		return m.End(ctx, p)
	}
	return 0, errAway
}

func (s *recreatedTopic) Committed(_ context.Context, p int) (int64, int32, bool, error) {
	now := s.now().id
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read[p] = now
	k, ok := s.kept[p]
	if ok && k.Topic != now {
		return 0, 0, false, &domain.GapError{Kind: domain.GapRecreated, TopicID: now, Partition: p, Want: k.Next}
	}
	return k.Next, 0, ok, nil
}

func (s *recreatedTopic) Commit(_ context.Context, p int, at domain.Routed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[p] = at
	return nil
}

func (s *recreatedTopic) Kept(_ context.Context, partitions []int) ([]domain.Routed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return keptOf(s.kept, partitions), nil
}

func (s *recreatedTopic) Reader(p int) router.SourceReader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return recreatedReader{s, s.read[p], p}
}

type recreatedReader struct {
	s     *recreatedTopic
	topic domain.TopicID
	p     int
}

func (r recreatedReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Arrival) (domain.SourcePage, error) {
	m := r.s.now()
	if m.id != r.topic {
		return domain.SourcePage{}, &domain.GapError{Kind: domain.GapRecreated, TopicID: m.id, Partition: r.p, Want: next}
	}
	if r.p >= len(m.parts) {
		return domain.SourcePage{}, errAway // its leader is not known
	}
	return memSourceReader{m, r.p}.Read(ctx, next, epoch, spare)
}

// In a public topic that was made again with fewer partitions the routers of the others end
// once the gaps are accepted, and start again when such partitions are added.
func TestRouter_EndsWithItsPartition(t *testing.T) {
	s := newRecreatedTopic(3)
	r := newHarness(t, 1, Options{Logs: Logs{Source: s}})
	r.submit(domain.Submission{Command: &domain.Layout{Shards: 1, Journal: domain.TopicID{1}, Source: s.Topic()}})
	r.furnish(1)
	id := r.register(1)
	for p := range 3 {
		appendTo(t, s.now().memLog, p, r.activitiesOf(id, p*10, 10)...)
	}
	r.counts(30)
	m := s.again(2)
	appendTo(t, m.memLog, 0, r.activitiesOf(id, 100, 5)...)
	appendTo(t, m.memLog, 1, r.activitiesOf(id, 200, 5)...)
	r.eventually("stop of all routers", func() bool {
		for _, o := range r.node.Status().Routers {
			if !strings.Contains(o.Stopped, "recreated") {
				return false
			}
		}
		return true
	})
	for p := range 3 {
		if _, err := r.node.AcceptGap(t.Context(), false, p, false); err != nil {
			t.Fatalf("partition %d: %v", p, err)
		}
	}
	r.counts(40)
	if all := r.node.Status().Routers; len(all) != 2 || all[0].Partition != 0 || all[1].Partition != 1 {
		t.Errorf("%+v", all)
	}
	if _, err := r.node.AcceptGap(t.Context(), false, 2, false); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("a partition that is not there: %v", err)
	}
	m.grow(3)
	appendTo(t, m.memLog, 2, r.activitiesOf(id, 300, 5)...)
	r.node.system.Root.Send(r.node.routing.pid, &router.PartitionsFound{Count: 3})
	r.counts(45)
}

// grow adds partitions.
func (l *memLog) grow(partitions int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.parts) < partitions {
		l.parts = append(l.parts, nil)
	}
}

// Gaps of the public topic that lie side by side are passed one by one, and at a start that
// does not know how far it was routed once more, without being accepted again.
func TestRouter_PassesAcceptedGapsInARow(t *testing.T) {
	s := &faultySource{memSource: newMemSource()}
	s.change = func(p int, next int64, page domain.SourcePage) (domain.SourcePage, error) {
		for _, lost := range []stretch{{5, 7}, {7, 9}} {
			switch {
			case p > 0:
			case next >= lost.from && next < lost.to && page.Next > next:
				return domain.SourcePage{}, &domain.GapError{Kind: domain.GapRetention, TopicID: s.id, Want: next, Start: lost.to, End: page.End}
			case next < lost.from && page.Next > lost.from:
				page.Arrivals, page.Next = page.Arrivals[:lost.from-next], lost.from
			}
		}
		return page, nil
	}
	r := furnished(t, 1, 1, Options{Logs: Logs{Source: s}})
	id := r.register(1)
	appendTo(t, s.memLog, 0, r.activitiesOf(id, 0, 20)...)
	gap := func() *domain.AcceptGap { return r.node.routing.List()[0].Gap.Load() }
	r.eventually("stop", func() bool { return gap() != nil })
	if w, err := r.node.AcceptGap(t.Context(), false, 0, false); w.From != 5 || w.To != 7 || domain.CodeOf(err) != domain.Conflict {
		t.Fatalf("%+v %v", w, err)
	}
	if w, err := r.node.AcceptGap(t.Context(), false, 0, false); w.From != 7 || w.To != 9 || err != nil {
		t.Fatalf("%+v %v", w, err)
	}
	r.eventually("count", func() bool { return r.tally(1).Total.Actions == 16 })
	r.close()
	s.kept = map[int]domain.Routed{0: {Next: 2, Topic: s.id}}
	r.open()
	r.settled()
	r.wantActions(16)
}
