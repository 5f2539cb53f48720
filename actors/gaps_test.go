package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// stretch are the offsets [from, to).
type stretch struct{ from, to int64 }

// lostStretches makes stretches of a log unreadable.
type lostStretches struct {
	l     *faultyLog
	below int64 // by how much a damaged batch claims to begin below where it is met

	mu   sync.Mutex
	lost map[int][]stretch
}

func newGappyLog(id byte, partitions int) (*faultyLog, *lostStretches) {
	l := newFaultyLog(id, partitions)
	g := &lostStretches{l: l, lost: map[int][]stretch{}}
	l.change = g.read
	return l, g
}

// lose makes a stretch of a partition unreadable.
func (g *lostStretches) lose(partition int, from, to int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lost[partition] = append(g.lost[partition], stretch{from, to})
}

func (g *lostStretches) read(p int, next int64, page domain.Page) (domain.Page, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.lost[p] {
		switch {
		case next >= s.from && next < s.to && page.Next > next:
			return domain.Page{}, &domain.GapError{
				Kind: domain.GapCorrupt, Topic: "journal", TopicID: g.l.id, Partition: p,
				Want: next - g.below, Start: next - g.below, End: s.to, Detail: "checksum",
			}
		case next < s.from && page.Next > s.from:
			page.Records, page.Next = page.Records[:s.from-next], s.from
			page.Epoch = g.l.epochOf(s.from - 1)
		}
	}
	return page, nil
}

// stoppedAt waits until the shard stopped at a gap, and gives what would have to be accepted.
func (r *harness) stoppedAt(shard int) *domain.AcceptGap {
	r.t.Helper()
	s := r.node.running[shard]
	r.eventually("stop of the shard", func() bool { return s.Stopped.Load() != nil })
	w := s.Gap.Load()
	if w == nil {
		r.t.Fatalf("stopped, but at no gap: %s", *s.Stopped.Load())
	}
	return w
}

// accept accepts a gap of the journal.
func (r *harness) accept(shard int) (domain.AcceptGap, error) {
	return r.node.AcceptGap(context.Background(), true, shard, false)
}

// accepted accepts a gap of the journal after which the shard reads on.
func (r *harness) accepted(shard int) {
	r.t.Helper()
	_, err := r.accept(shard)
	r.must(err)
}

// rebuild throws the stores of the shards away and opens the node on its logs.
func (r *harness) rebuild() {
	r.t.Helper()
	r.close()
	r.must(r.fs.RemoveAll("store"))
	r.open()
}

// stateOf is what a shard stored last.
func (r *harness) stateOf(shard int) domain.ShardState {
	r.t.Helper()
	a := audited(r.t, r.store, shard)
	defer a.Close()
	return a.State()
}

// applied waits until the shards have applied all that is in the journal.
func (r *harness) applied() {
	r.t.Helper()
	r.eventually("all applied", func() bool { return r.atEnds(-1) })
}

// begun waits until the first mark of every router is in the journal of one shard: after
// it a router of an empty partition appends nothing, also in later lives.
func (r *harness) begun() {
	r.t.Helper()
	r.eventually("first marks", func() bool {
		l, marked := r.journal, map[int32]bool{}
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, d := range l.parts[0] {
			if d.Kind == domain.KindTick && !d.Origin.IsZero() {
				marked[d.Origin.Partition] = true
			}
		}
		return len(marked) == len(r.source.parts)
	})
}

// activitiesOf are n records of new activities of a member.
func (r *harness) activitiesOf(id domain.MemberID, first, n int) (out []domain.Record) {
	for i := range n {
		out = append(out, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{
			Member: id, Definition: 100, Brand: 1, Time: 1_600_000_000 + int64(first+i), Hash: uint64(first + i + 1),
		}})
	}
	return out
}

// A gap is reported where the shard is once all before it is applied, and one acceptance lets the
// shard go on: of a gap after a backlog, and of a damaged batch that begins below what the shard
// has applied.
func TestShard_AcceptsAGap(t *testing.T) {
	for _, c := range []struct {
		name                   string
		acts, at, width, below int64
	}{{"behind a backlog", 3000, 1500, 1, 0}, {"within a batch", 20, 0, 5, 7}} {
		t.Run(c.name, func(t *testing.T) {
			j, lost := newGappyLog(1, 1)
			j.page, lost.below = 2048, c.below
			r := furnished(t, 1, 1, Options{Logs: Logs{Journal: j}})
			id := r.register(1)
			r.close()
			at := r.end(0) + c.at
			r.append(0, r.activitiesOf(id, 0, int(c.acts))...)
			lost.lose(0, at, at+c.width)
			r.boot()
			w := r.stoppedAt(0)
			if got := r.node.running[0].Applied.Load(); w.From != at || w.To != at+c.width || got != at {
				t.Fatalf("%+v with %d applied, the gap is at %d", w, got, at)
			}
			r.accepted(0)
			r.applied()
			r.wantActions(int(c.acts - c.width))
		})
	}
}

// Of gaps side by side each has to be accepted; every answer but the last names the next gap.
func TestShard_AcceptsGapsSideBySide(t *testing.T) {
	for _, n := range []int{2, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			j, lost := newGappyLog(1, 1)
			r := furnished(t, 1, 1, Options{Logs: Logs{Journal: j}})
			id := r.register(1)
			end := r.end(0)
			for i := range n {
				lost.lose(0, end+3+int64(i), end+4+int64(i))
			}
			r.append(0, r.activitiesOf(id, 0, 20)...)
			r.stoppedAt(0)
			for i := range n {
				w, err := r.accept(0)
				if w.From != end+3+int64(i) || w.To != w.From+1 {
					t.Fatalf("gap %d: %+v %v", i, w, err)
				}
				if next := fmt.Sprintf("want %d,", w.To); i < n-1 && (domain.CodeOf(err) != domain.Conflict || !strings.Contains(err.Error(), next)) {
					t.Fatalf("gap %d: the answer does not name the next gap: %v", i, err)
				} else if i == n-1 && err != nil {
					t.Fatal(err)
				}
			}
			r.ready()
			if _, err := r.accept(0); domain.CodeOf(err) != domain.NotFound {
				t.Fatalf("accepted without a gap: %v", err)
			}
			r.rebuild()
			r.applied()
			r.wantActions(20 - n)
			r.replaysEqual(t)
		})
	}
}

// A start after a kill, a rebuild from nothing and a replay beside the node pass the gaps
// that were accepted in the first pass: same facts, same life, same outbox numbers.
func TestI6_EveryPassUsesTheSameAcceptedGaps(t *testing.T) {
	j, lost := newGappyLog(1, 2)
	r := furnished(t, 2, 1, Options{Logs: Logs{Journal: j}})
	id, partner := r.forwarded()
	sender, n := partner.Slot().Shard(2), 0
	forwards := func(count int) {
		t.Helper()
		for range count {
			n++
			r.publish(domain.Activity{Identity: partner, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: uint64(n)})
		}
	}
	forwards(50)
	r.settled()
	for _, width := range []int64{1, 3} {
		end := r.end(sender)
		lost.lose(sender, end, end+width)
		r.append(sender, r.activitiesOf(id, 1_000_000, int(width))...)
		r.stoppedAt(sender)
		r.accepted(sender)
		forwards(50)
		r.settled()
	}
	const seed = 15
	t.Logf("seed %d", seed)
	r.crash(rand.New(rand.NewPCG(seed, 1)))
	r.settled()
	before := r.stateOf(sender)
	if before.Life != 2 || before.Outbox == 0 {
		t.Fatalf("%+v, want life 2", before)
	}
	r.replaysEqual(t)
	r.rebuild()
	r.settled()
	after := r.stateOf(sender)
	if after.Life != before.Life || after.Facts != before.Facts || after.Outbox < before.Outbox {
		t.Errorf("rebuilt: %+v, before: %+v", after, before)
	}
	r.wantActions(n)
	r.replaysEqual(t)
}

// shorten takes the end off a partition's log.
func (l *memLog) shorten(p int, to int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts[p] = l.parts[p][:to:to]
}

// An accepted cut of a log answers that gap only, and not a later start at which the
// log has grown to exactly where it was.
func TestShard_UsesAnAcceptedCutOnce(t *testing.T) {
	l := newFaultyLog(1, 1)
	l.gap = func(p int, next int64) error {
		if end, _ := l.End(context.Background(), p); next > end {
			return &domain.GapError{Kind: domain.GapTruncated, Topic: "journal", TopicID: l.id, Partition: p, Want: next, End: end}
		}
		return nil
	}
	r := furnished(t, 1, 1, Options{Logs: Logs{Journal: l}})
	id := r.register(1)
	end := func() int64 { return r.end(0) }
	more := func(n int) {
		t.Helper()
		r.append(0, r.activitiesOf(id, int(end())*1000, n)...)
	}
	r.begun()
	more(20)
	r.applied()
	r.close()
	was := end()
	l.shorten(0, was-5)
	r.boot()
	w := r.stoppedAt(0)
	if w.From != was || w.To != was-5 || !w.Back() {
		t.Fatalf("%+v, was %d", w, was)
	}
	r.accepted(0)
	r.ready()
	more(int(was - end()))
	r.applied()
	life, facts := r.stateOf(0).Life, r.stateOf(0).Facts
	r.restart()
	more(1)
	r.applied()
	r.close()
	l.shorten(0, was)
	r.boot()
	if w := r.stoppedAt(0); w.From != was+1 || w.To != was {
		t.Fatalf("%+v, was %d", w, was)
	}
	if s := r.stateOf(0); s.Life != life || life != 1 || s.Facts == facts {
		t.Errorf("%+v, want life %d", s, life)
	}
	// the same gap once more, at the same place: the acceptance that answered it is behind
	r.accepted(0)
	more(1)
	r.applied()
	r.close()
	l.shorten(0, was)
	r.boot()
	if w := r.stoppedAt(0); w.From != was+1 {
		t.Fatalf("%+v", w)
	}
}

// A gap of the journal at one node is accepted without force only while no other node is alive: that node has what is
// missing here. Forced, the shard goes on; what the public topic lost needs no force.
func TestGaps_ForcedWhileAnotherNodeIsAlive(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		j, lost := newGappyLog(1, 1)
		r := furnished(t, 1, 1, Options{ID: domain.NodeID{1}, Incarnation: 1, Logs: Logs{Journal: j}})
		other := r.beside(Options{ID: domain.NodeID{2}, Incarnation: 2})
		beats := newMemBeats()
		other.join(beats)
		r.join(beats)
		r.eventually("both to see each other", func() bool { return r.sees(2) && other.sees(1) })
		id := r.register(1)
		stop := func(first int) {
			t.Helper()
			end := r.end(0)
			lost.lose(0, end, end+1)
			r.append(0, r.activitiesOf(id, first, 5)...)
			r.stoppedAt(0)
		}
		stop(0)
		_, err := r.accept(0)
		if domain.CodeOf(err) != domain.Conflict || !strings.Contains(err.Error(), "another node is alive") || !strings.Contains(err.Error(), "--force") {
			t.Fatalf("not forced: %v", err)
		}
		if why := r.node.running[0].Stopped.Load(); why == nil || !strings.Contains(*why, "takes --force, and ovation rebuild 0") {
			t.Fatalf("the shard goes on without a word, or does not ask for the force: %v", why)
		}
		if _, _, err := r.node.Member(t.Context(), 1, id, domain.Position{}); err != nil {
			t.Errorf("what was applied before the gap is not read: %v", err)
		}
		other.close()
		r.eventually("the other node away", func() bool { return !r.node.membership.current().AnotherAlive() })
		r.accepted(0)
		r.applied()

		again := r.beside(Options{ID: domain.NodeID{2}, Incarnation: 3})
		again.join(beats)
		r.eventually("the other node again", func() bool { return r.sees(2) })
		stop(10)
		if _, err := r.accept(0); domain.CodeOf(err) != domain.Conflict {
			t.Fatalf("not forced: %v", err)
		}
		if _, err := r.node.AcceptGap(t.Context(), true, 0, true); err != nil {
			t.Fatalf("forced: %v", err)
		}
		r.applied()
	})
}
