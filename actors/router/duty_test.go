package router

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// A node that does not route takes another one's partition when it was not routed for so long. Its own one it takes when who
// routed has ended, or is silent, or does nothing, and after lastTake.
func TestWatch_TakesOverWhatIsIdle(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	other := domain.Routed{Next: 10, Node: domain.NodeID{2}, Counter: 1}
	moves := func(_ int, k *domain.Routed) { k.Counter++ }
	for _, c := range []struct {
		what  string
		rank  int
		end   int64
		each  func(i int, kept *domain.Routed) // before each look, a second apart
		looks int                              // after which it takes over; 0: not within 60
		want  verdict
	}{
		{"its duty, and another node routes", 0, 1000, moves, 11, takes}, // the first look shows no second of waiting
		{"its duty, and nothing to route", 0, 10, nil, 11, takes},
		{"its duty, and another node does nothing", 0, 11, nil, 4, takes},
		{"its duty, and never begun", 0, 10, func(_ int, k *domain.Routed) { *k = domain.Routed{Next: -1} }, 1, takes},
		{"its duty, and the other node ends", 0, 1000, func(i int, k *domain.Routed) {
			k.Counter++
			k.Ended = i == 5
		}, 5, takes},
		{"nothing to route", 1, 10, nil, 0, 0},
		{"idle", 1, 11, nil, 4, takesOver},
		{"idle, of rank 2", 2, 11, nil, 7, takesOver},
		{"the offset moves", 1, 1000, func(i int, k *domain.Routed) { k.Next++ }, 0, 0},
		{"the counter moves", 1, 11, moves, 0, 0},
		{"the counter moves every third look", 1, 11, func(i int, k *domain.Routed) {
			if i%3 == 0 {
				k.Counter++
			}
		}, 0, 0},
		{"it ends moving", 1, 11, func(i int, k *domain.Routed) {
			if i < 10 {
				k.Counter++
			}
		}, 12, takesOver},
		{"never begun, and empty", 1, 0, func(i int, k *domain.Routed) { *k = domain.Routed{Next: -1} }, 0, 0},
		{"never begun", 1, 1, func(i int, k *domain.Routed) { *k = domain.Routed{Next: -1} }, 4, takesOver},
	} {
		kept := other
		w := &watch{kept: kept, at: at}
		took, got := 0, asBefore
		for i := 1; i <= 60 && took == 0; i++ {
			if c.each != nil {
				c.each(i, &kept)
			}
			l := looked{kept: kept, end: c.end, rank: c.rank, rankOf: 0, beats: true}
			if got = w.see(at.Add(time.Duration(i-1)*time.Second), l); got == takes || got == takesOver {
				took = i
			}
		}
		if took != c.looks || took > 0 && got != c.want {
			t.Errorf("%s: %d after %d looks, want %d after %d", c.what, got, took, c.want, c.looks)
		}
	}
}

// A reader that was paused has not looked: its silence counts two seconds at most.
func TestWatch_OwnPauseIsNoSilence(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	l := looked{kept: domain.Routed{Next: 10}, end: 11, rank: 1}
	w := &watch{kept: l.kept, at: at}
	if got := w.see(at.Add(time.Hour), l); got != asBefore {
		t.Errorf("%d after a pause", got)
	}
	if got := w.see(at.Add(time.Hour+time.Second), l); got != takesOver {
		t.Errorf("%d a second later", got)
	}
}

// A node whose duty a partition is does not wait for itself, nor for a node that is silent.
func TestWatch_WaitsForNobody(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	for _, l := range []looked{{own: true, beats: true}, {beats: false}} {
		l.kept, l.end = domain.Routed{Next: 10, Counter: 1}, 10
		w := &watch{kept: l.kept, at: at}
		if got := w.see(at, l); got != takes {
			t.Errorf("%+v: %d", l, got)
		}
	}
}

// A node that has routed what is its duty leaves when it is not any more; one that took over goes on.
func TestWatch_LeavesWhatIsNotItsDuty(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	for _, first := range []int{0, 1} {
		w := &watch{at: at}
		for i, rank := range []int{first, first, 1, 2} {
			want := asBefore
			if first == 0 && rank > 0 {
				want = leaves
			}
			l := looked{own: true, holding: true, rank: rank, rankOf: rank}
			l.kept = domain.Routed{Next: 10, Counter: uint64(i)}
			if got := w.see(at.Add(time.Duration(i)*time.Second), l); got != want {
				t.Errorf("first rank %d, rank %d: %d, want %d", first, rank, got, want)
			}
		}
	}
}

// A node that routes leaves to one of a lower rank that does it, goes on above what another one routed, and repeats
// what the group has while it waits.
func TestWatch_OfANodeThatRoutes(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	own := domain.Routed{Next: 10, Node: domain.NodeID{1}, Counter: 1}
	for _, c := range []struct {
		what         string
		kept         domain.Routed
		own          bool
		rank, rankOf int
		next, end    int64
		want         verdict
	}{
		{"it works", domain.Routed{Next: 12, Node: own.Node, Counter: 2}, true, 0, 0, 12, 12, asBefore},
		{"it waits", own, true, 0, 0, 10, 20, repeats},
		{"it has nothing to do", own, true, 0, 0, 10, 10, asBefore},
		{"a lower rank works", domain.Routed{Next: 10, Node: domain.NodeID{2}, Counter: 1}, false, 1, 0, 10, 10, leaves},
		{"a lower rank has ended", domain.Routed{Next: 10, Node: domain.NodeID{2}, Counter: 1, Ended: true}, false, 1, 0, 10, 10, repeats},
		{"a higher rank works", domain.Routed{Next: 10, Node: domain.NodeID{2}, Counter: 1}, false, 0, 1, 10, 10, repeats},
		{"a higher rank was further", domain.Routed{Next: 15, Node: domain.NodeID{2}, Counter: 1}, false, 0, 1, 10, 10, follows},
		{"nothing is kept", domain.Routed{Next: -1}, false, 0, 0, 10, 20, asBefore},
	} {
		w := &watch{kept: own, at: at}
		l := looked{kept: c.kept, own: c.own, holding: true, rank: c.rank, rankOf: c.rankOf, next: c.next, end: c.end}
		if got := w.see(at.Add(time.Second), l); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

// group is what a group has of one partition.
type group struct {
	Source
	kept domain.Routed
	away error // why nothing can be read; nil: it can
}

func (g *group) Kept(context.Context, []int) ([]domain.Routed, error) {
	return []domain.Routed{g.kept}, g.away
}

func (g *group) Commit(_ context.Context, _ int, at domain.Routed) error {
	g.kept = at
	return nil
}

// several is node 1 among others, of which node 3 comes before it.
type several struct{ Nodes }

func (several) Alone() bool         { return false }
func (several) Self() domain.NodeID { return domain.NodeID{1} }
func (several) Rank(int) int        { return 1 }
func (several) RankOf(id domain.NodeID, _ int) int {
	if id == (domain.NodeID{3}) {
		return 0
	}
	return 2
}

// A node of a lower rank that commits while this one routes is found before the next commit; what it committed before this
// one began, or when it ended, is not meant.
func TestGroupOffset_OfALowerRank(t *testing.T) {
	lower := domain.Routed{Next: 10, Node: domain.NodeID{3}, Counter: 7}
	s := &group{kept: lower}
	g := newGroupOffset(&Options{Source: s, Nodes: several{}}, 0)
	g.begin(domain.TopicID{}, 10, 0)
	if err := g.commit(t.Context(), 20, 0); err != nil || s.kept.Next != 20 {
		t.Fatal(err, s.kept)
	}
	for _, c := range []struct {
		kept domain.Routed
		want error
	}{
		{domain.Routed{Next: 15, Node: domain.NodeID{3}}, errElsewhere},
		{domain.Routed{Next: 50, Node: domain.NodeID{3}}, errElsewhere},
		{domain.Routed{Next: 50, Node: domain.NodeID{3}, Ended: true}, errAbove},
		{domain.Routed{Next: 50, Node: domain.NodeID{2}}, errAbove},
		{domain.Routed{Next: 15, Node: domain.NodeID{3}, Ended: true}, nil},
		{domain.Routed{Next: 15, Node: domain.NodeID{2}}, nil},
	} {
		s.kept = c.kept
		if err := g.commit(t.Context(), 30, 0); !errors.Is(err, c.want) || (err == nil) != (s.kept.Next == 30) {
			t.Errorf("%+v: %v, and the group has %+v", c.kept, err, s.kept)
		}
	}
	s.kept = domain.Routed{Next: 50, Node: domain.NodeID{3}}
	g.begin(domain.TopicID{}, 40, 0)
	if err := g.commit(t.Context(), 45, 0); !errors.Is(err, errElsewhere) { // it moved since this node began
		t.Error(err)
	}
}

// After its end a node repeats nothing until it begins again.
func TestGroupOffset_Ends(t *testing.T) {
	s := &group{kept: domain.Routed{Next: -1}}
	g := newGroupOffset(&Options{Source: s, Nodes: several{}}, 0)
	g.begin(domain.TopicID{}, 10, 0)
	if err := g.end(t.Context(), 20, 3, true); err != nil || s.kept.Next != 20 || !s.kept.Ended {
		t.Fatal(err, s.kept)
	}
	if err := g.repeat(t.Context()); err != nil || !s.kept.Ended {
		t.Error(err, s.kept)
	}
	g.begin(domain.TopicID{}, 20, 3)
	if err := g.repeat(t.Context()); err != nil || s.kept.Ended || s.kept.Next != 20 {
		t.Error(err, s.kept)
	}
	if err := g.end(t.Context(), 20, 3, false); err != nil || s.kept.Ended {
		t.Error(err, s.kept)
	}
}

// What a paused node committed below is put right by the one that ends, and what this one repeats is never below.
func TestGroupOffset_IsPutRight(t *testing.T) {
	s := &group{kept: domain.Routed{Next: 10}}
	g := newGroupOffset(&Options{Source: s, Nodes: several{}}, 0)
	g.begin(domain.TopicID{}, 10, 0)
	if err := g.commit(t.Context(), 1000, 3); err != nil || s.kept.Next != 1000 {
		t.Fatal(err, s.kept)
	}
	s.kept = domain.Routed{Next: 11, Node: domain.NodeID{2}, Counter: 4}
	if err := g.end(t.Context(), 1000, 3, true); err != nil || s.kept.Next != 1000 || s.kept.Epoch != 3 || s.kept.Node != (domain.NodeID{1}) {
		t.Errorf("%v %+v", err, s.kept)
	}
	s.kept = domain.Routed{Next: 1200, Epoch: 4, Node: domain.NodeID{2}, Counter: 5}
	if err := g.end(t.Context(), 1000, 3, true); !errors.Is(err, errAbove) || s.kept.Next != 1200 || s.kept.Node != (domain.NodeID{2}) {
		t.Errorf("%v %+v", err, s.kept)
	}
	g.begin(domain.TopicID{}, 1000, 3)
	if err := g.repeat(t.Context()); err != nil || s.kept.Next != 1200 || s.kept.Epoch != 4 || s.kept.Node != (domain.NodeID{1}) {
		t.Errorf("%v %+v", err, s.kept)
	}
	if err := g.commit(t.Context(), 1100, 4); err != nil { // it has repeated 1200 itself
		if !errors.Is(err, errAbove) {
			t.Error(err)
		}
	} else {
		t.Errorf("%+v", s.kept)
	}
}

// Before the router knows where it begins, the supervisor repeats what the group has of the topic, and commits nothing else.
func TestGroupOffset_IsRepeatedBeforeTheRouterBegins(t *testing.T) {
	topic, deleted := domain.TopicID{1}, domain.TopicID{2}
	for _, c := range []struct {
		what  string
		begun domain.TopicID // zero: not even of which topic
		kept  domain.Routed
		want  int64
	}{
		{"no topic", domain.TopicID{}, domain.Routed{Next: 840, Topic: topic}, 840},
		{"the topic", topic, domain.Routed{Next: 840, Topic: topic}, 840},
		{"of a deleted topic", topic, domain.Routed{Next: 840, Topic: deleted}, 840},
		{"nothing is kept", topic, domain.Routed{Next: -1}, -1},
	} {
		s := &group{kept: c.kept}
		g := newGroupOffset(&Options{Source: s, Nodes: several{}}, 0)
		if !c.begun.IsZero() {
			g.begin(c.begun, -1, -1)
		}
		err := g.repeat(t.Context())
		if own := s.kept.Node == (several{}).Self(); err != nil || s.kept.Next != c.want || s.kept.Topic != c.kept.Topic || own != (c.what == "the topic") {
			t.Errorf("%s: %v %+v", c.what, err, s.kept)
		}
	}
}

// An offset is committed as of the topic that it was read of, whatever topic begins meanwhile.
func TestGroupOffset_IsOfItsTopic(t *testing.T) {
	s := &group{kept: domain.Routed{Next: -1}}
	g := newGroupOffset(&Options{Source: s, Nodes: several{}}, 0)
	g.begin(domain.TopicID{1}, 10, 0)
	if err := g.commit(t.Context(), 40, 0); err != nil || s.kept.Topic != (domain.TopicID{1}) {
		t.Fatal(err, s.kept)
	}
	g.begin(domain.TopicID{2}, -1, -1)
	if err := g.repeat(t.Context()); err != nil || s.kept.Next != 40 || s.kept.Topic != (domain.TopicID{1}) {
		t.Errorf("%v: the new topic has %+v", err, s.kept)
	}
}

// The router commits, and the supervisor repeats for it: both tell how it went, and status reads it.
func TestGroupOffset_FailsFromTwoSides(t *testing.T) {
	s := &group{kept: domain.Routed{Next: 10}, away: errors.New("the broker is away")}
	h := newHandle(0, &Options{Source: s, Nodes: several{}, Log: slog.New(slog.DiscardHandler)}, make(chan struct{}, 1))
	h.offset.begin(domain.TopicID{}, 10, 0)
	const each = 100
	var both sync.WaitGroup
	both.Go(func() {
		for range each {
			_ = h.offset.commit(t.Context(), 20, 0)
		}
	})
	both.Go(func() {
		for range each {
			_ = h.offset.repeat(t.Context())
		}
	})
	both.Wait()
	if n, why := retry.Failures(h.CommittingOffset), h.CommittingOffset.Why(); n != 2*each || !strings.HasSuffix(why, "the broker is away") {
		t.Errorf("%d failures: %q", n, why)
	}
	s.away = nil
	if err := h.offset.commit(t.Context(), 20, 0); err != nil || h.CommittingOffset.Why() != "" {
		t.Errorf("%v %q", err, h.CommittingOffset.Why())
	}
}

// Where this node's router has stopped and another node routes, the partition is as far as that one has come.
func TestHandle_StoppedHereRoutedElsewhere(t *testing.T) {
	h := newHandle(0, &Options{}, make(chan struct{}, 1))
	why := "its router panicked"
	h.Stopped.Store(&why)
	if err := h.Reaches(t.Context(), 0); err == nil {
		t.Error("no node routes the partition, and it is reached")
	}
	h.left(&domain.Routed{Next: 100, Node: domain.NodeID{2}}, 100, false)
	if err := h.Reaches(t.Context(), 100); err != nil {
		t.Error(err)
	}
}

// The newest end that the group has reached is that of the ends seen so far, however these and the group move.
func TestWatch_ReachedEnds(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		w := &watch{}
		var all []endSeen // of the naive model
		end, next, at := int64(0), int64(0), time.Unix(0, 0)
		var model, got time.Time
		for range 50 {
			end += rnd.Int64N(10)
			next = min(next+rnd.Int64N(12), end)
			at = at.Add(time.Second)
			all = append(all, endSeen{end, at})
			for _, e := range all {
				if e.end <= next {
					model = e.at
				}
			}
			if e, ok := w.reached(next, end, at); ok {
				got = e.at
			}
			if !got.Equal(model) {
				t.Fatalf("seed %d: reached %v, want %v", seed, got, model)
			}
		}
	}
}
