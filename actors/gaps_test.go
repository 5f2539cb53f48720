package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
)

// gappy is a log of which stretches cannot be read.
type gappy struct {
	*memLog
	below int64 // by how much a damaged batch claims to begin below where it is met

	mu   sync.Mutex
	lost map[int][]stretch
}

// stretch are the offsets [from, to).
type stretch struct{ from, to int64 }

func newGappy(id byte, partitions int) *gappy {
	return &gappy{memLog: newMemLog(id, partitions), lost: map[int][]stretch{}}
}

// lose makes a stretch of a partition unreadable.
func (l *gappy) lose(partition int, from, to int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost[partition] = append(l.lost[partition], stretch{from, to})
}

func (l *gappy) Appender() journal.Appender  { return l }
func (l *gappy) Reader(p int) journal.Reader { return gappyReader{l, l.memLog.Reader(p), p} }

type gappyReader struct {
	l *gappy
	journal.Reader
	p int
}

func (r gappyReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	p, err := r.Reader.Read(ctx, next, epoch, spare)
	r.l.mu.Lock()
	defer r.l.mu.Unlock()
	for _, s := range r.l.lost[r.p] {
		switch {
		case next >= s.from && next < s.to && err == nil && p.Next > next:
			return domain.Page{}, &domain.GapError{
				Kind: domain.GapCorrupt, Topic: "journal", TopicID: r.l.id, Partition: r.p,
				Want: next - r.l.below, Start: next - r.l.below, End: s.to, Detail: "checksum",
			}
		case err == nil && next < s.from && p.Next > s.from:
			p.Records, p.Next = p.Records[:s.from-next], s.from
			p.Epoch = r.l.epochOf(s.from - 1)
		}
	}
	return p, err
}

// stopped waits until the shard stopped at a gap and gives the word that would let it go on.
func (r *rig) stoppedAt(shard int) *domain.AcceptGap {
	r.t.Helper()
	s := r.node.running[shard]
	r.eventually("stop of the shard", func() bool { return s.Stopped.Load() != nil })
	w := s.Gap.Load()
	if w == nil {
		r.t.Fatalf("stopped, but at no gap: %s", *s.Stopped.Load())
	}
	return w
}

// accept gives the operator's word on a gap of the journal.
func (r *rig) accept(shard int) (domain.AcceptGap, error) {
	return r.node.AcceptGap(context.Background(), true, shard)
}

// rebuild throws the stores of the shards away and opens the node on its logs.
func (r *rig) rebuild() {
	r.t.Helper()
	r.close()
	if err := r.fs.RemoveAll("store"); err != nil {
		r.t.Fatal(err)
	}
	r.open()
}

// stateOf is what a shard stored last.
func (r *rig) stateOf(shard int) domain.ShardState {
	r.t.Helper()
	a, err := r.store.Audit(shard, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	defer a.Close()
	return a.State()
}

// applied waits until the shards have applied all that is in the journal.
func (r *rig) applied() {
	r.t.Helper()
	r.eventually("all applied", func() bool {
		for i, s := range r.node.running {
			if end, _ := r.journal.End(context.Background(), i); s.Applied.Load() < end {
				return false
			}
		}
		return true
	})
}

// begun waits until the first mark of every router is in the journal of one shard: behind
// it a router of an empty partition appends nothing, also in later lives.
func (r *rig) begun() {
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
func (r *rig) activitiesOf(id domain.MemberID, first, n int) (out []domain.Record) {
	for i := range n {
		out = append(out, domain.Record{Kind: domain.KindActivity, Account: 1, Activity: domain.Activity{
			Member: id, Definition: 100, Brand: 1, Time: 1_600_000_000 + int64(first+i), Hash: uint64(first + i + 1),
		}})
	}
	return out
}

// A gap that lies behind a backlog is reported where the shard is once the backlog is
// applied, and one word lets it go on.
func TestShard_AcceptsAGapBehindABacklog(t *testing.T) {
	j := newGappy(1, 1)
	j.page = 2048
	r := newRig(t, 1, Options{Logs: Logs{Journal: j}})
	r.furnish(1)
	id := r.register(1)
	r.close()
	end, _ := j.End(t.Context(), 0)
	if _, err := j.Append(t.Context(), 0, r.activitiesOf(id, 0, 3000)); err != nil {
		t.Fatal(err)
	}
	at := end + 1500
	j.lose(0, at, at+1)
	r.boot()
	w := r.stoppedAt(0)
	if got := r.node.running[0].Applied.Load(); w.From != at || w.To != at+1 || got != at {
		t.Fatalf("%+v with %d applied, the gap is at %d", w, got, at)
	}
	if _, err := r.accept(0); err != nil {
		t.Fatal(err)
	}
	r.applied()
	if got := r.tally(1).Total.Actions; got != 2999 {
		t.Errorf("%d of 2999 count", got)
	}
}

// A damaged batch that begins below what the shard has applied is a gap where the shard is.
func TestShard_AcceptsAGapWithinABatch(t *testing.T) {
	j := newGappy(1, 1)
	j.below = 7
	r := newRig(t, 1, Options{Logs: Logs{Journal: j}})
	r.furnish(1)
	id := r.register(1)
	r.close()
	end, _ := j.End(t.Context(), 0)
	if _, err := j.Append(t.Context(), 0, r.activitiesOf(id, 0, 20)); err != nil {
		t.Fatal(err)
	}
	j.lose(0, end, end+5)
	r.boot()
	if w := r.stoppedAt(0); w.From != end || w.To != end+5 {
		t.Fatalf("%+v, want from %d to %d", w, end, end+5)
	}
	if _, err := r.accept(0); err != nil {
		t.Fatal(err)
	}
	r.applied()
	if got := r.tally(1).Total.Actions; got != 15 {
		t.Errorf("%d of 15 count", got)
	}
}

// Of gaps side by side each needs a word; every answer but the last names the next gap.
func TestShard_AcceptsGapsSideBySide(t *testing.T) {
	for _, n := range []int{2, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			j := newGappy(1, 1)
			r := newRig(t, 1, Options{Logs: Logs{Journal: j}})
			r.furnish(1)
			id := r.register(1)
			end, _ := j.End(t.Context(), 0)
			for i := range n {
				j.lose(0, end+3+int64(i), end+4+int64(i))
			}
			if _, err := j.Append(t.Context(), 0, r.activitiesOf(id, 0, 20)); err != nil {
				t.Fatal(err)
			}
			r.stoppedAt(0)
			for i := range n {
				w, err := r.accept(0)
				if w.From != end+3+int64(i) || w.To != w.From+1 {
					t.Fatalf("word %d: %+v %v", i, w, err)
				}
				if next := fmt.Sprintf("want %d,", w.To); i < n-1 && (domain.CodeOf(err) != domain.Conflict || !strings.Contains(err.Error(), next)) {
					t.Fatalf("word %d does not name the next gap: %v", i, err)
				} else if i == n-1 && err != nil {
					t.Fatal(err)
				}
			}
			r.eventually("readiness", func() bool { return r.node.Ready() == nil })
			if _, err := r.accept(0); domain.CodeOf(err) != domain.NotFound {
				t.Fatalf("accepted without a gap: %v", err)
			}
			r.rebuild()
			r.applied()
			if got := r.tally(1).Total.Actions; got != uint64(20-n) {
				t.Errorf("%d of %d count", got, 20-n)
			}
			r.replaysEqual(t)
		})
	}
}

// A start after a kill, a rebuild from nothing and a replay beside the node pass the words
// that the first pass was given: same facts, same life, same outbox numbers.
func TestI6_EveryPassUsesTheSameWords(t *testing.T) {
	j := newGappy(1, 2)
	r := newRig(t, 2, Options{Logs: Logs{Journal: j}})
	r.furnish(1)
	home, partner := identityOf(0), identityOf(1) // of two shards: forwards
	id := r.submit(domain.Submission{Account: 1, Slot: home.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: home, Service: domain.LastFM, UID: "u", Partner: partner, PartnerCode: "acme", PartnerID: "1",
	}}).Member
	if home.Slot().Shard(2) == partner.Slot().Shard(2) {
		t.Fatal("both identities are of one shard")
	}
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
		end, _ := j.End(t.Context(), sender)
		j.lose(sender, end, end+width)
		if _, err := j.Append(t.Context(), sender, r.activitiesOf(id, 1_000_000, int(width))); err != nil {
			t.Fatal(err)
		}
		r.stoppedAt(sender)
		if _, err := r.accept(sender); err != nil {
			t.Fatal(err)
		}
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
	if got := r.tally(1).Total.Actions; got != uint64(n) {
		t.Errorf("%d of %d count", got, n)
	}
	r.replaysEqual(t)
}

// shorten takes the end off a partition's log.
func (l *memLog) shorten(p int, to int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts[p] = l.parts[p][:to:to]
}

// shortened tells a log that ends below what was read.
type shortened struct{ *memLog }

func (l shortened) Reader(p int) journal.Reader {
	return shortenedReader{l.memLog.Reader(p), l.memLog, p}
}

type shortenedReader struct {
	journal.Reader
	l *memLog
	p int
}

func (r shortenedReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	if end, _ := r.l.End(ctx, r.p); next > end {
		return domain.Page{}, &domain.GapError{Kind: domain.GapTruncated, Topic: "journal", TopicID: r.l.id, Partition: r.p, Want: next, End: end}
	}
	return r.Reader.Read(ctx, next, epoch, spare)
}

// The word on a log that was cut answers that gap only, and not a later start at which the
// log has grown to exactly where it was.
func TestShard_UsesAWordOnACutLogOnce(t *testing.T) {
	l := newMemLog(1, 1)
	r := newRig(t, 1, Options{Logs: Logs{Journal: shortened{l}}})
	r.close()
	r.journal = l
	r.open()
	r.furnish(1)
	id := r.register(1)
	end := func() int64 { e, _ := l.End(t.Context(), 0); return e }
	more := func(n int) {
		t.Helper()
		if _, err := l.Append(t.Context(), 0, r.activitiesOf(id, int(end())*1000, n)); err != nil {
			t.Fatal(err)
		}
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
	if _, err := r.accept(0); err != nil {
		t.Fatal(err)
	}
	r.eventually("readiness", func() bool { return r.node.Ready() == nil })
	more(int(was - end()))
	r.applied()
	life, facts := r.stateOf(0).Life, r.stateOf(0).Facts
	r.close()
	r.open()
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
	// the same gap once more, at the same place: the word that answered it is behind
	if _, err := r.accept(0); err != nil {
		t.Fatal(err)
	}
	more(1)
	r.applied()
	r.close()
	l.shorten(0, was)
	r.boot()
	if w := r.stoppedAt(0); w.From != was+1 {
		t.Fatalf("%+v", w)
	}
}
