package actors

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// lagging is a reader of a stream who began somewhere.
type lagging struct {
	follower
	begun []uint64
}

// page reads a page of random size, where a shard answers.
func (l *lagging) page(n *Node, rnd *rand.Rand) error {
	q := l.question
	q.Stream.Limit = 1 + rnd.IntN(60)
	a, err := n.Ask(context.Background(), &q, domain.Position{})
	if errors.Is(err, domain.ErrUnavailable) {
		return nil
	}
	if err != nil {
		return err
	}
	l.events = append(l.events, a.Stream.Events...)
	l.question.Stream.Above = a.Stream.Next
	return nil
}

// streaming is members who merge and part, beside readers who lag.
type streaming struct {
	*merges
	readers []*lagging
}

// join adds a reader of a brand, or with 0 of all, who begins now, or at the beginning.
func (x *streaming) join(brand domain.BrandID, now bool) {
	x.t.Helper()
	l := &lagging{follower{question: streamOf(brand)}, make([]uint64, x.journal.Partitions())}
	if now {
		q := l.question
		q.Stream.Start = domain.StreamNow
		l.begun = x.ask(&q).Stream.Next
	}
	l.question.Stream.Above = l.begun
	x.readers = append(x.readers, l)
}

// pagesBeside is how many pages readers read beside a round, at most: the round is not to wait for them.
const pagesBeside = 100

// beside does something while readers read, some more often than others.
func (x *streaming) beside(do func()) {
	x.t.Helper()
	stop, ended := make(chan struct{}), make(chan error, 1)
	rnd := rand.New(rand.NewPCG(x.rnd.Uint64(), 2))
	go func() {
		for range pagesBeside {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if err := x.readers[rnd.IntN(1+rnd.IntN(len(x.readers)))].page(x.node, rnd); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	do()
	close(stop)
	x.must(<-ended)
}

// round acts, merges, parts, deletes and erases while readers read.
func (x *streaming) round(n int) {
	x.t.Helper()
	x.beside(func() {
		for range 6 {
			x.act(20 + x.rnd.IntN(60))
			x.merge()
			if x.rnd.IntN(2) == 0 {
				x.act(20)
				x.unmerge()
			}
		}
		x.remove()
		if n%3 == 2 && len(x.fans) > 6 {
			x.erase()
		}
		x.act(30)
	})
	x.join(domain.BrandID(x.rnd.IntN(x.brands+1)), x.rnd.IntN(3) > 0)
	switch n % 4 {
	case 1:
		x.restart()
	case 3:
		x.crash(x.rnd)
	}
}

// done has all readers read all, and checks what they have. The first began at the beginning, and reads all brands.
func (x *streaming) done() {
	x.t.Helper()
	x.rested()
	for _, l := range x.readers {
		l.drain(x.harness, x.rnd)
	}
	x.wantAll(x.left(x.readers[0]))
	x.wantRemovals(x.readers[0].events)
	x.wantMerges()
	all := x.left(x.readers[0])
	for i, l := range x.readers {
		var want []domain.StreamEvent
		for _, e := range all {
			if e.Item.Row.Seq > l.begun[e.Shard] && (l.question.Brand == 0 || e.Item.Row.Brand == l.question.Brand) {
				want = append(want, e)
			}
		}
		if got := x.left(l); !slices.Equal(got, want) {
			x.t.Fatalf("reader %d of brand %d, who began at %d, has %d actions, want %d", i, l.question.Brand, l.begun, len(got), len(want))
		}
	}
	for i, r := range notices(x.readers[0].events) {
		if i%3 == 0 {
			x.beginAt(all, r.At+int64(x.rnd.IntN(2)))
		}
	}
	for range 8 {
		x.beginAt(all, x.recorded(all[x.rnd.IntN(len(all))])+int64(x.rnd.IntN(2)))
	}
}

// recorded is when an action was recorded, in ms.
func (x *streaming) recorded(e domain.StreamEvent) int64 { return x.shown(e.Item)[0].Content.Recorded }

// beginAt requires of a reader who begins at a time of recording what was recorded then and later, of all that there is.
func (x *streaming) beginAt(all []domain.StreamEvent, ms int64) {
	x.t.Helper()
	l := &lagging{follower{question: streamOf(0)}, make([]uint64, x.journal.Partitions())}
	l.question.Stream = domain.StreamQuery{Kinds: domain.FeedEvents, Start: domain.StreamRecorded, From: ms}
	l.read(x.harness, 0)
	l.question.Stream.Start = domain.StreamAbove
	l.drain(x.harness, x.rnd)
	var want []domain.StreamEvent
	for _, e := range all {
		if x.recorded(e) >= ms {
			want = append(want, e)
		}
	}
	if got, want := removedFrom(l.events, ms), removedFrom(x.readers[0].events, ms); !slices.Equal(got, want) {
		x.t.Fatalf("from %d on came %+v, want %+v", ms, got, want)
	}
	if got := x.left(l); !slices.Equal(got, want) {
		x.t.Fatalf("%d actions were recorded at %d or later, want %d of %d", len(got), ms, len(want), len(all))
	}
}

// mirrored is what a client keeps of events, in their order, that takes back what is removed and erased.
func mirrored(events []domain.StreamEvent) (kept []domain.StreamEvent) {
	for _, e := range events {
		switch e.Kind() {
		case domain.EventRemoved:
			kept = slices.DeleteFunc(kept, func(k domain.StreamEvent) bool { return k.Item.Row.ID() == e.Notice.Action })
		case domain.EventErased:
			kept = slices.DeleteFunc(kept, func(k domain.StreamEvent) bool { return k.Item.Member == e.Notice.Member })
		default:
			kept = append(kept, e)
		}
	}
	return kept
}

// notices are those of events.
func notices(events []domain.StreamEvent) (all []domain.Notice) {
	for _, e := range events {
		if e.Kind() != domain.EventActivity {
			all = append(all, e.Notice)
		}
	}
	return all
}

// removedFrom are the notices from a time on, in ms, in one order.
func removedFrom(events []domain.StreamEvent, ms int64) []domain.Notice {
	all := slices.DeleteFunc(notices(events), func(r domain.Notice) bool { return r.At < ms })
	slices.SortFunc(all, func(a, b domain.Notice) int {
		return cmp.Or(cmp.Compare(a.Member.Slot(), b.Member.Slot()), cmp.Compare(a.Seq, b.Seq))
	})
	return all
}

// left is what a reader has of actions that are there still, shard by shard; in each it has them in order, each once. They
// are those that are not taken back, but for one-time actions that an earlier one has replaced.
func (x *streaming) left(l *lagging) (left []domain.StreamEvent) {
	x.t.Helper()
	byShard := make([][]domain.StreamEvent, x.journal.Partitions())
	last := slices.Clone(l.begun)
	for _, e := range l.events {
		if e.Sequence() <= last[e.Shard] {
			x.t.Fatalf("shard %d: sequence %d comes after %d", e.Shard, e.Sequence(), last[e.Shard])
		}
		last[e.Shard] = e.Sequence()
		byShard[e.Shard] = append(byShard[e.Shard], e)
	}
	for shard, events := range byShard {
		events = mirrored(events)
		items := make([]domain.FeedItem, len(events))
		for i := range events {
			items[i] = events[i].Item
		}
		for i, s := range x.shown(items...) {
			switch {
			case s.Content != nil && s.Member != nil:
				left = append(left, events[i])
			case items[i].Row.Definition != 101:
				x.t.Fatalf("shard %d: %+v is not taken back", shard, items[i])
			}
		}
	}
	return left
}

// wantAll requires that events are all actions that are stored, each once, of those who did them. Of one-time actions
// of one member and brand those may be among them that an earlier one, which came later, has replaced.
func (x *streaming) wantAll(events []domain.StreamEvent) {
	x.t.Helper()
	times := map[string]int{}
	items := make([]domain.FeedItem, len(events))
	for i := range events {
		items[i] = events[i].Item
	}
	home := map[string]domain.MemberID{}
	for i := range x.acts {
		home[x.acts[i].Content.Content] = x.acts[i].Member
	}
	for i, s := range x.shown(items...) {
		what := s.Content.Content
		if times[what]++; times[what] > 1 || home[what] != items[i].Member || x.gone[what] || s.Content.Action != 0 {
			x.t.Fatalf("%s of %d comes %d times, of %d, as a copy of %d; deleted: %t",
				what, home[what], times[what], items[i].Member, s.Content.Action, x.gone[what])
		}
	}
	type pair struct {
		member domain.MemberID
		brand  domain.BrandID
	}
	once := map[pair]bool{}
	for i := range x.acts {
		a := &x.acts[i]
		got := times[a.Content.Content]
		if a.Definition == 101 {
			p := pair{a.Member, a.Brand}
			once[p] = once[p] || got > 0 || x.gone[a.Content.Content]
			continue
		}
		if got == 0 && !x.gone[a.Content.Content] {
			x.t.Fatalf("%s of %d, brand %d, does not come", a.Content.Content, a.Member, a.Brand)
		}
	}
	for p, came := range once {
		if !came {
			x.t.Fatalf("no one-time action of %d for brand %d comes", p.member, p.brand)
		}
	}
}

// wantMerges requires that who reads merges and partings alone ends with the merges that there are, and that those of two members take
// turns.
func (x *streaming) wantMerges() {
	x.t.Helper()
	l := &lagging{follower{question: streamOf(0)}, make([]uint64, x.journal.Partitions())}
	l.question.Stream.Kinds = domain.EventKindsOf(domain.EventMerged, domain.EventUnmerged)
	l.drain(x.harness, x.rnd)
	merged := map[domain.Notice]bool{} // of two members
	for i := range l.events {
		n := &l.events[i].Notice
		two := domain.Notice{Member: n.Member, Other: n.Other}
		if is := n.Kind == domain.EventMerged; !is && n.Kind != domain.EventUnmerged || is == merged[two] || l.events[i].Shard != n.Member.Slot().Shard(len(l.begun)) {
			x.t.Fatalf("%+v comes where merged is %t", l.events[i], merged[two])
		}
		merged[two] = n.Kind == domain.EventMerged
	}
	for two, is := range merged {
		if slices.Contains(x.fans, two.Member) && slices.Contains(x.fans, two.Other) && is != (x.into[two.Other] == two.Member) {
			x.t.Fatalf("%d is merged into %d: %t", two.Other, x.into[two.Other], is)
		}
	}
	for other, into := range x.into {
		if !merged[domain.Notice{Member: into, Other: other}] {
			x.t.Fatalf("that %d is merged into %d does not come", other, into)
		}
	}
}

// wantRemovals requires one notice of each action that was deleted, and of each member who was erased.
func (x *streaming) wantRemovals(events []domain.StreamEvent) {
	x.t.Helper()
	actions, erased := map[domain.ActionID]int{}, map[domain.MemberID]int{}
	for _, r := range notices(events) {
		if actions[r.Action]++; r.Kind == domain.EventErased {
			delete(actions, r.Action)
			erased[r.Member]++
		}
		if r.Copied || actions[r.Action] > 1 || erased[r.Member] > 1 && r.Kind == domain.EventErased || r.Kind == domain.EventErased && slices.Contains(x.fans, r.Member) {
			x.t.Fatalf("%+v comes", r)
		}
	}
	if len(actions) != x.removed || len(erased) != 10-len(x.fans) {
		x.t.Fatalf("%d actions are removed and %d members erased, want %d and %d", len(actions), len(erased), x.removed, 10-len(x.fans))
	}
}

// Over merges, partings, merges of merges, deletions, erasures, restarts and power cuts, each reader has each stored
// action once, in the order in which its member did it, however far behind it reads.
func TestMerge_StreamsHaveEachActionOnce(t *testing.T) {
	for range mergeStreams {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			x := &streaming{merges: newMerges(t, seeded(t), 10, 300)}
			x.join(0, false)
			x.join(0, true)
			for n := range mergeStreamRounds {
				x.round(n)
			}
			x.done()
		})
	}
}
