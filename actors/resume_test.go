package actors

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/router"
)

// remade is a public topic that can be deleted and made again.
type remade struct {
	mu   sync.Mutex
	all  []*memSource           // the last is there now
	read map[int]domain.TopicID // what a partition is read of
	kept map[int]keptOffset
}

type keptOffset struct {
	topic domain.TopicID
	next  int64
}

func newRemade(partitions int) *remade {
	return &remade{
		all:  []*memSource{{memLog: newMemLog(100, partitions)}},
		read: map[int]domain.TopicID{}, kept: map[int]keptOffset{},
	}
}

// again deletes the topic and makes it with so many partitions.
func (s *remade) again(partitions int) *memSource {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &memSource{memLog: newMemLog(byte(100+len(s.all)), partitions)}
	s.all = append(s.all, m)
	return m
}

func (s *remade) now() *memSource {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[len(s.all)-1]
}

func (s *remade) Topic() domain.TopicID                   { return s.now().id }
func (s *remade) Partitions(context.Context) (int, error) { return len(s.now().parts), nil }

func (s *remade) End(ctx context.Context, p int) (int64, error) {
	if m := s.now(); p < len(m.parts) {
		return m.End(ctx, p)
	}
	return 0, errAway
}

func (s *remade) Committed(_ context.Context, p int) (int64, int32, bool, error) {
	now := s.now().id
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read[p] = now
	k, ok := s.kept[p]
	if ok && k.topic != now {
		return 0, 0, false, &domain.GapError{Kind: domain.GapRecreated, TopicID: now, Partition: p, Want: k.next}
	}
	return k.next, 0, ok, nil
}

func (s *remade) Commit(_ context.Context, p int, next int64, _ int32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[p] = keptOffset{s.read[p], next}
	return nil
}

func (s *remade) Reader(p int) router.SourceReader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return remadeReader{s, s.read[p], p}
}

type remadeReader struct {
	s     *remade
	topic domain.TopicID
	p     int
}

func (r remadeReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Arrival) (domain.SourcePage, error) {
	m := r.s.now()
	if m.id != r.topic {
		return domain.SourcePage{}, &domain.GapError{Kind: domain.GapRecreated, TopicID: m.id, Partition: r.p, Want: next}
	}
	if r.p >= len(m.parts) {
		return domain.SourcePage{}, errAway // its leader is not known
	}
	return memSourceReader{m, r.p}.Read(ctx, next, epoch, spare)
}

// put publishes new activities of a member.
func put(t *testing.T, r *rig, s *memSource, partition int, id domain.MemberID, first, n int) {
	t.Helper()
	if _, err := s.Append(t.Context(), partition, r.activitiesOf(id, first, n)); err != nil {
		t.Fatal(err)
	}
}

// In a public topic that was made again with fewer partitions the routers of the others end
// with the operator's word, and start again when such partitions are added.
func TestRouter_EndsWithItsPartition(t *testing.T) {
	s := newRemade(3)
	r := newRig(t, 1, Options{Logs: Logs{Source: s}})
	r.submit(domain.Submission{Command: &domain.Layout{Shards: 1, Journal: domain.TopicID{1}, Source: s.Topic()}})
	r.furnish(1)
	id := r.register(1)
	for p := range 3 {
		put(t, r, s.now(), p, id, p*10, 10)
	}
	counts := func(want uint64) {
		t.Helper()
		r.eventually("count", func() bool { return r.tally(1).Total.Actions == want })
	}
	counts(30)
	m := s.again(2)
	put(t, r, m, 0, id, 100, 5)
	put(t, r, m, 1, id, 200, 5)
	r.eventually("stop of all routers", func() bool {
		for _, o := range r.node.Status().Routers {
			if !strings.Contains(o.Stopped, "recreated") {
				return false
			}
		}
		return true
	})
	for p := range 3 {
		if _, err := r.node.AcceptGap(t.Context(), false, p); err != nil {
			t.Fatalf("partition %d: %v", p, err)
		}
	}
	counts(40)
	if all := r.node.Status().Routers; len(all) != 2 || all[0].Partition != 0 || all[1].Partition != 1 {
		t.Errorf("%+v", all)
	}
	if _, err := r.node.AcceptGap(t.Context(), false, 2); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("a partition that is not there: %v", err)
	}
	m.grow(3)
	put(t, r, m, 2, id, 300, 5)
	r.node.system.Root.Send(r.node.routing.pid, &router.PartitionsFound{Count: 3})
	counts(45)
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
// does not know how far it was routed once more, without another word.
func TestRouter_FollowsWordsInARow(t *testing.T) {
	s := &gappySource{
		memSource: &memSource{memLog: newMemLog(3, 2), kept: map[int]int64{}},
		lost:      []stretch{{5, 7}, {7, 9}},
	}
	r := newRig(t, 1, Options{Logs: Logs{Source: s}})
	r.source = s.memSource
	r.furnish(1)
	id := r.register(1)
	put(t, r, s.memSource, 0, id, 0, 20)
	gap := func() *domain.AcceptGap { return r.node.routing.List()[0].Gap.Load() }
	r.eventually("stop", func() bool { return gap() != nil })
	if w, err := r.node.AcceptGap(t.Context(), false, 0); w.From != 5 || w.To != 7 || domain.CodeOf(err) != domain.Conflict {
		t.Fatalf("%+v %v", w, err)
	}
	if w, err := r.node.AcceptGap(t.Context(), false, 0); w.From != 7 || w.To != 9 || err != nil {
		t.Fatalf("%+v %v", w, err)
	}
	r.eventually("count", func() bool { return r.tally(1).Total.Actions == 16 })
	r.close()
	s.kept = map[int]int64{0: 2}
	r.open()
	r.settled()
	if got := r.tally(1).Total.Actions; got != 16 {
		t.Errorf("%d of 16 count", got)
	}
}

// gappySource is a public topic whose partition 0 has gaps.
type gappySource struct {
	*memSource
	lost []stretch
}

func (s *gappySource) Reader(p int) router.SourceReader {
	return gappySourceReader{s, s.memSource.Reader(p), p}
}

type gappySourceReader struct {
	s *gappySource
	router.SourceReader
	p int
}

func (r gappySourceReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Arrival) (domain.SourcePage, error) {
	p, err := r.SourceReader.Read(ctx, next, epoch, spare)
	if r.p > 0 || err != nil {
		return p, err
	}
	next = max(next, 0)
	for _, l := range r.s.lost {
		switch {
		case next >= l.from && next < l.to && p.Next > next:
			return domain.SourcePage{}, &domain.GapError{Kind: domain.GapRetention, TopicID: r.s.id, Want: next, Start: l.to, End: p.End}
		case next < l.from && p.Next > l.from:
			p.Arrivals, p.Next = p.Arrivals[:l.from-next], l.from
		}
	}
	return p, nil
}
