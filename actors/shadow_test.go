package actors

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/store"
)

// shadowOf replays a shard's journal in pieces, beside the running node, and gives both
// as they are at the position of the shard's last commit.
func (r *rig) shadowOf(t testing.TB, id int) (have, replay *audit.Audit) {
	t.Helper()
	store, err := store.Open(fmt.Sprint("shadow-", id), store.Options{FS: vfs.NewMem(), CacheBytes: 1 << 20, MemTableBytes: 1 << 20, SealRows: 333, Throwaway: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s, err := r.node.Shadow(t.Context(), id, ShadowOptions{AwakeBytes: 12_000, ResidentBytes: 30_000, Open: func() (shard.Store, error) {
		sh, err := store.Shard(id)
		return rigStore{sh, r}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []int64{3, 2, 1} {
		applied, err := r.node.Applied(id)
		if err == nil {
			err = s.To(t.Context(), applied/part)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if have, err = r.store.Audit(id, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { have.Close() })
	if err := s.To(t.Context(), have.State().Next); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if replay, err = store.Audit(id, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { replay.Close() })
	return have, replay
}

// replaysEqual requires that a replay of each shard gives what is stored, all of it, and
// the same state hash at every mark.
func (r *rig) replaysEqual(t testing.TB) {
	t.Helper()
	for i := range r.node.shards {
		have, replay := r.shadowOf(t, i)
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
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := replay.Marks()
		if err != nil {
			t.Fatal(err)
		}
		if len(ours) < int(have.State().Next/r.node.o.markEvery/2) || fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Fatalf("shard %d at %d: %d marks, the replay has %d", i, have.State().Next, len(ours), len(theirs))
		}
		have.Close()
	}
}

// What a replay applies leaves it nowhere: no log grows and no letter is published.
func TestAReplayBesideTheNodeSendsNothing(t *testing.T) {
	r := newRig(t, 2, Options{})
	r.furnish(1)
	home, partner := identityOf(0), identityOf(1) // of two shards: forwards
	id := r.submit(domain.Submission{Account: 1, Slot: home.Slot(), Command: &domain.RegisterMember{
		Application: 1, Identity: home, Service: domain.LastFM, UID: "u", Partner: partner, PartnerCode: "acme", PartnerID: "1",
	}}).Member
	for i := range uint64(300) {
		a := domain.Activity{Identity: partner, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: i}
		if i%10 == 0 {
			a.Identity = identityOf(7) // a dead letter
		}
		r.publish(a)
	}
	r.settled()
	r.eventually("trimmed outboxes", func() bool {
		for _, s := range r.node.shared {
			state, err := r.store.Audit(s.ID, nil)
			if err != nil {
				t.Fatal(err)
			}
			done := state.State().Published+state.State().DeadUpTo > 0 || state.State().Outbox == 0
			state.Close()
			if !done {
				return false
			}
		}
		return true
	})
	r.settled()
	letters := len(r.letters.all)
	ends := [2]int64{}
	for i := range ends {
		ends[i], _ = r.journal.End(context.Background(), i)
	}
	r.replaysEqual(t)
	for i := range ends {
		if end, _ := r.journal.End(context.Background(), i); end != ends[i] {
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

// A replay that comes upon a record that panics says so, and appends no word: the live
// shard's is the only one.
func TestAReplaySaysWhyItStopped(t *testing.T) {
	r := newRig(t, 1, Options{})
	r.furnish(1)
	id := r.register(0)
	r.publish(domain.Activity{Member: id, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: 1})
	r.settled()
	store, err := store.Open("broken", store.Options{FS: vfs.NewMem(), Throwaway: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := r.node.Shadow(t.Context(), 0, ShadowOptions{Open: func() (shard.Store, error) {
		sh, err := store.Shard(0)
		return panicking{rigStore{sh, r}}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	next, _ := r.node.Applied(0)
	before, _ := r.catalog.End(t.Context(), 0)
	var why *ReplayError
	if err := s.To(t.Context(), next); !errors.As(err, &why) || why.Gap != nil {
		t.Fatalf("replayed with %v", err)
	}
	if after, _ := r.catalog.End(t.Context(), 0); after != before {
		t.Error("the replay sent a word to the catalog")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	other, err := r.node.Shadow(t.Context(), 0, ShadowOptions{Pace: func(ctx context.Context, _ int) error { return ctx.Err() }, Open: func() (shard.Store, error) { return nil, errors.New("unused") }})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Stop()
	if err := other.To(ctx, next); err == nil {
		t.Error("a replay that was given up has ended well")
	}
}

// panicking is a store on which putting a row panics.
type panicking struct{ rigStore }

func (p panicking) Stage(changes []domain.Change) error {
	for i := range changes {
		if changes[i].Kind == domain.RowAdded {
			panic("a row")
		}
	}
	return p.rigStore.Stage(changes)
}

// The marks of the state hash do not hang on how records come in pages, nor on where a
// node was killed.
func TestI6MarksFollowFromTheRecordsAlone(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 6))
	r := newRig(t, 1, Options{markEvery: 64})
	r.furnish(2)
	ids := []domain.MemberID{r.register(0), r.register(1), r.register(2)}
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
