package actors

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/replay"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/store"
)

// replayTo replays a shard's journal beside the running node, up to each of the offsets.
func (r *harness) replayTo(t testing.TB, id int, o replay.Options, offsets ...int64) *audit.Audit {
	t.Helper()
	return r.replayed(t, id, o, offsets...).Audit
}

// replayed is what a replay of a shard's journal has made.
type replayed struct {
	*audit.Audit
	*effectsOf
}

// effectsOf is what a shard had its store stage beside what is stored for good: entries of the outbox, also
// those that were trimmed since, and as whose rows count.
type effectsOf struct {
	mu      sync.Mutex
	sent    map[uint64]string // as they are stored, by sequence
	counted map[member.Place]domain.CountedAs
}

func newEffects() *effectsOf {
	return &effectsOf{sent: map[uint64]string{}, counted: map[member.Place]domain.CountedAs{}}
}

// heard is a store that notes what its shard does.
type heard struct {
	shard.Store
	*effectsOf
}

func (s heard) Stage(changes []domain.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range changes {
		switch v := changes[i].Value.(type) {
		case *domain.Outgoing:
			stored, err := format.AppendMessage(nil, v)
			if err != nil {
				return err
			}
			s.sent[v.Sequence] = string(stored)
		case *domain.CountedAs:
			s.count(*v)
		}
	}
	return s.Store.Stage(changes)
}

// count notes as whose the rows of an ordinal count; usually they do as its own.
func (e *effectsOf) count(c domain.CountedAs) {
	at := member.Place{Account: c.Account, Ord: c.Ord}
	if c.Rows = nil; c.As == c.Ord && !c.Hidden && len(c.Covered) == 0 {
		delete(e.counted, at)
		return
	}
	c.Covered = append([]uint64(nil), c.Covered...)
	e.counted[at] = c
}

// replayed is replayTo with what the shard did beside.
func (r *harness) replayed(t testing.TB, id int, o replay.Options, offsets ...int64) replayed {
	t.Helper()
	store, err := store.Open(fmt.Sprint("shadow-", id), store.Options{FS: vfs.NewMem(), CacheBytes: 1 << 20, MemTableBytes: 1 << 20, SealRows: 333, Throwaway: true})
	r.must(err)
	t.Cleanup(func() { store.Close() })
	effects := newEffects()
	o.Open = func() (shard.Store, error) {
		s, err := store.Shard(id)
		return heard{checkedStore{s, r}, effects}, err
	}
	s, err := r.node.Replay(t.Context(), id, o)
	r.must(err)
	for _, offset := range offsets {
		r.must(s.To(t.Context(), offset))
	}
	s.Stop()
	return replayed{audited(t, store, id), effects}
}

// inPages replays a shard's journal up to each of the offsets, in pages of the sizes given.
func (r *harness) inPages(t testing.TB, id int, page func() int64, offsets ...int64) replayed {
	t.Helper()
	r.journal.mu.Lock()
	r.journal.cut = page
	r.journal.mu.Unlock()
	return r.replayed(t, id, replay.Options{MemberBytes: 12_000}, offsets...)
}

// sameEntries requires that another shard has sent the same.
func (e *effectsOf) sameEntries(t testing.TB, other *effectsOf) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if maps.Equal(e.sent, other.sent) {
		return
	}
	decoded := func(sent map[uint64]string, sequence uint64) (o *domain.Outgoing) {
		if stored, is := sent[sequence]; is {
			o = new(domain.Outgoing)
			if err := format.DecodeMessage([]byte(stored), o); err != nil {
				t.Error(err)
			}
		}
		return o
	}
	for sequence := range uint64(max(len(e.sent), len(other.sent)) + 1) {
		if e.sent[sequence] != other.sent[sequence] {
			t.Errorf("other entries: %s", cmp.Diff(decoded(e.sent, sequence), decoded(other.sent, sequence)))
		}
	}
}

// same requires that another replay has made and done the same.
func (m replayed) same(t testing.TB, other replayed) {
	t.Helper()
	if diff := cmp.Diff(m.State(), other.State()); diff != "" {
		t.Errorf("another state: %s", diff)
	}
	m.sameEntries(t, other.effectsOf)
	if diff := cmp.Diff(m.counted, other.counted); diff != "" {
		t.Errorf("rows count otherwise: %s", diff)
	}
	f, err := audit.Compare(m.Audit, other.Audit)
	if err != nil || f.Total != 0 {
		t.Errorf("%d differences: %+v %v", f.Total, f.First, err)
	}
}

// audited is a shard of a store, until the test ends.
func audited(t testing.TB, store *store.Store, id int) *audit.Audit {
	t.Helper()
	a, err := store.Audit(id, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// replaysEqual requires that a replay of each shard gives what is stored, all of it, and
// the same state hash at every mark.
func (r *harness) replaysEqual(t testing.TB) {
	t.Helper()
	for i := range r.node.count {
		have := audited(t, r.store, i)
		next := have.State().Next
		replay := r.replayTo(t, i, replay.Options{MemberBytes: 12_000, ResidentBytes: 30_000}, next/3, next/2, next)
		f, err := audit.Compare(have, replay)
		if err != nil || f.Total != 0 {
			t.Fatalf("shard %d: %d differences to a replay: %+v %v", i, f.Total, f.First, err)
		}
		if from, to, apart, err := audit.Stretch(have, replay); apart || err != nil {
			t.Fatalf("shard %d: apart in [%d, %d): %v", i, from, to, err)
		}
		if f, err = have.Consistent(); err != nil || f.Total != 0 {
			t.Fatalf("shard %d: %d differences to itself: %+v %v", i, f.Total, f.First, err)
		}
		ours, err := have.Marks()
		theirs, wrong := replay.Marks()
		if err = errors.Join(err, wrong); err != nil {
			t.Fatal(err)
		}
		if len(ours) < int(have.State().Next/r.node.o.markEvery/2) || fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Fatalf("shard %d at %d: %d marks, the replay has %d", i, have.State().Next, len(ours), len(theirs))
		}
		have.Close()
	}
}

// What a replay applies leaves it nowhere: no log grows and no letter is published.
func TestReplay_SendsNothing(t *testing.T) {
	r := furnished(t, 2, 1, Options{})
	id, partner := r.forwarded()
	for i := range uint64(300) {
		a := domain.Activity{Identity: partner, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: i}
		if i%10 == 0 {
			a.Identity = identityOf(7) // a dead letter
		}
		r.publish(a)
	}
	r.settled()
	r.eventually("trimmed outboxes", func() bool {
		for _, s := range r.node.running {
			st := r.stateOf(s.ID)
			if st.Published+st.DeadUpTo == 0 && st.Outbox > 0 {
				return false
			}
		}
		return true
	})
	r.settled()
	letters := len(r.letters.all)
	ends := [2]int64{}
	for i := range ends {
		ends[i] = r.end(i)
	}
	r.replaysEqual(t)
	for i := range ends {
		if end := r.end(i); end != ends[i] {
			t.Errorf("the journal of shard %d has grown from %d to %d", i, ends[i], end)
		}
	}
	if len(r.letters.all) != letters || letters == 0 {
		t.Errorf("%d letters, were %d", len(r.letters.all), letters)
	}
	if got := r.tally(1).Total; got.Actions != 270 || id == 0 {
		t.Errorf("%+v", got)
	}
}

// A replay of a record that panics reports so, and sets nothing aside: the live shard does.
func TestReplay_ReportsWhyItStopped(t *testing.T) {
	r := furnished(t, 1, 1, Options{})
	id := r.register(0)
	r.publish(domain.Activity{Member: id, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: 1})
	r.settled()
	store, err := store.Open("broken", store.Options{FS: vfs.NewMem(), Throwaway: true})
	r.must(err)
	defer store.Close()
	s, err := r.node.Replay(t.Context(), 0, replay.Options{Open: func() (shard.Store, error) {
		sh, err := store.Shard(0)
		return panicking{checkedStore{sh, r}}, err
	}})
	r.must(err)
	defer s.Stop()
	next, _ := r.node.Applied(0)
	before, _ := r.catalog.End(t.Context(), 0)
	var why *replay.Error
	if err := s.To(t.Context(), next); !errors.As(err, &why) || why.Gap != nil {
		t.Fatalf("replayed with %v", err)
	}
	if after, _ := r.catalog.End(t.Context(), 0); after != before {
		t.Error("the replay appended to the catalog")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	other, err := r.node.Replay(t.Context(), 0, replay.Options{Pace: func(ctx context.Context, _ int) error { return ctx.Err() }, Open: func() (shard.Store, error) { return nil, errors.New("unused") }})
	r.must(err)
	defer other.Stop()
	if err := other.To(ctx, next); err == nil {
		t.Error("a replay that was given up has ended well")
	}
}

// panicking is a store on which putting a row panics.
type panicking struct{ checkedStore }

func (p panicking) Stage(changes []domain.Change) error {
	for i := range changes {
		if changes[i].Kind == domain.RowAdded {
			panic("a row")
		}
	}
	return p.checkedStore.Stage(changes)
}

// The marks of the state hash do not hang on how records come in pages, nor on where a
// node was killed.
func TestI6_MarksFollowFromTheRecordsAlone(t *testing.T) {
	rnd := seeded(t)
	r := furnished(t, 1, 2, Options{markEvery: 64})
	ids := r.members(3)
	for range 6 {
		for range 1 + rnd.IntN(400) {
			r.publish(domain.Activity{Member: ids[rnd.IntN(3)], Definition: 100 + domain.DefinitionID(rnd.IntN(2)), Brand: 1, Time: 1_600_000_000 + rnd.Int64N(9000), Hash: uint64(rnd.IntN(2000))})
		}
		if rnd.IntN(2) == 0 {
			r.settled()
		}
		r.crash(rnd)
	}
	r.settled()
	r.replaysEqual(t)
}
