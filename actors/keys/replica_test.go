package keys

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	keystore "github.com/ovation-analytics/ovation/storage/keys"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// faked is a log of keys whose answers a test decides.
type faked struct {
	topic domain.TopicID

	mu      sync.Mutex // guards what follows
	keys    []domain.WrappedKey
	batches int
	moved   chan struct{}
	err     error // of the next calls
	hold    bool  // Read gives nothing new
	refuse  error // of the next calls of Append
	unknown bool  // Append does not know where
}

func newFaked() *faked { return &faked{topic: domain.TopicID{1}, moved: make(chan struct{})} }

func (f *faked) Topic() domain.TopicID { return f.topic }

func (f *faked) End(context.Context) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(len(f.keys)), f.err
}

func (f *faked) Append(_ context.Context, keys []domain.WrappedKey) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := cmp.Or(f.err, f.refuse); err != nil {
		return 0, err
	}
	f.keys = append(f.keys, keys...)
	f.batches++
	f.wake()
	if f.unknown {
		return -1, nil
	}
	return int64(len(f.keys)), nil
}

func (f *faked) wake() {
	close(f.moved)
	f.moved = make(chan struct{})
}

// set changes the log's answers.
func (f *faked) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	f.wake()
}

func (f *faked) Read(ctx context.Context, next int64, _ int32) (domain.KeyPage, error) {
	f.mu.Lock()
	next = max(next, 0)
	for ctx.Err() == nil && f.err == nil && (f.hold || next >= int64(len(f.keys))) && len(f.keys) > 0 {
		moved := f.moved
		f.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond): // as a fetch does
			f.mu.Lock()
			p := domain.KeyPage{Next: next, End: int64(len(f.keys))}
			f.mu.Unlock()
			return p, nil
		}
		f.mu.Lock()
	}
	defer f.mu.Unlock()
	if err := errors.Join(ctx.Err(), f.err); err != nil {
		return domain.KeyPage{}, err
	}
	end := int64(len(f.keys))
	return domain.KeyPage{Keys: f.keys[next:end:end], Next: end, End: end}, nil
}

// replicaOn opens a replica of the log, and a keeper over it.
func replicaOn(t *testing.T, f *faked, store *keystore.Store, slots *seal.SlotKeys) (*Replica, *Keeper) {
	t.Helper()
	r, err := OpenReplica(t.Context(), optionsOf(f, store))
	ok(t, err)
	t.Cleanup(func() { ok(t, r.Close()) })
	k := New(Options{Source: r, Slots: slots, CacheBytes: 1 << 20})
	r.OnDelete(k.Forget)
	return r, k
}

func optionsOf(f *faked, store *keystore.Store) ReplicaOptions {
	return ReplicaOptions{Log: f, Copy: store, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Waiting: func(error) {}}
}

// A key that one node puts is given by every node, at once by its own, also where what it
// follows is behind, and after another start.
func TestReplica_KeysOfEveryNode(t *testing.T) {
	f, slots := newFaked(), newSlots()
	store := newStore(t)
	_, a := replicaOn(t, f, store, slots)
	_, b := replicaOn(t, f, newStore(t), slots)
	keys := newDataKeys(20)
	f.set(func() { f.hold = true })
	ok(t, a.Put(t.Context(), keys[:10]))
	a.Forget(idsOf(keys)) // the copy has them
	given(t, a, keys[:10])
	go f.set(func() { f.hold = false })
	given(t, b, keys[:12], 10, 11)
	f.set(func() { f.unknown = true })
	ok(t, b.Put(t.Context(), keys[10:]))
	given(t, b, keys)
	c, again := replicaOn(t, f, newStore(t), slots)
	given(t, again, keys)
	if st := c.Stats(); st.Next != 20 {
		t.Errorf("%+v", st)
	}
}

// Puts side by side share batches of the log, and each returns when its own keys are there.
func TestReplica_PutsShareBatches(t *testing.T) {
	f, slots := newFaked(), newSlots()
	_, k := replicaOn(t, f, newStore(t), slots)
	const writers, each = 16, 20
	keys := newDataKeys(writers * each)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := k.Put(t.Context(), keys[w*each+i:][:1]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	given(t, k, keys)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.keys) != len(keys) || f.batches > len(keys) {
		t.Errorf("%d keys in %d batches", len(f.keys), f.batches)
	}
}

// A batch takes as many keys as it may, and no Put is split.
func TestAppends_BatchIsBounded(t *testing.T) {
	var a appends
	for _, n := range []int{batchKeys - 1, 1, 1, 2 * batchKeys, 3} {
		a.pending = append(a.pending, &pendingAppend{keys: make([]domain.WrappedKey, n)})
		a.keys += n
	}
	var sizes []int
	for {
		batch, keys := a.next()
		if len(batch) == 0 {
			break
		}
		sizes = append(sizes, len(keys))
	}
	if got := fmt.Sprint(sizes); got != fmt.Sprint([]int{batchKeys, 1, 2 * batchKeys, 3}) || a.keys != 0 || a.active {
		t.Errorf("batches of %v, %d keys left", sizes, a.keys)
	}
}

// A key that the log deletes is gone from copy and cache, and stays so though the node that put
// it has not followed that far.
func TestReplica_DeletedKeyIsGone(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	f, slots := newFaked(), newSlots()
	r, k := replicaOn(t, f, newStore(t), slots)
	for range 30 {
		keys := newDataKeys(2)
		hold := rnd.IntN(2) == 0
		f.set(func() { f.hold = hold })
		ok(t, k.Put(t.Context(), keys))
		f.set(func() {
			f.keys = append(f.keys, domain.WrappedKey{ID: keys[0].ID})
			f.hold = false
		})
		end, err := f.End(t.Context())
		ok(t, err)
		ok(t, r.await(t.Context(), end))
		given(t, k, keys, 0)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A Put that was given up may reach the log after the tombstone, also when the node has started again since: it is
// deleted again, in the log too, before the copy moves past it, and is not given meanwhile.
func TestReplica_KeyThatComesBackIsDeletedAgain(t *testing.T) {
	for _, c := range []struct{ restarted, late, away bool }{{}, {restarted: true}, {late: true}, {restarted: true, away: true}} {
		f, slots := newFaked(), newSlots()
		store := newStore(t)
		r, k := replicaOn(t, f, store, slots)
		key := newDataKeys(1)
		ok(t, k.Put(t.Context(), key))
		value := f.keys[0]
		if c.late { // in one page with its tombstone
			f.set(func() { f.hold = true })
		}
		ok(t, k.Delete(t.Context(), idsOf(key)))
		if !c.late {
			ok(t, r.await(t.Context(), 2))
		}
		if c.restarted {
			ok(t, r.Close())
		}
		f.set(func() { f.keys, f.hold = append(f.keys, value), false })
		if c.away {
			f.set(func() { f.refuse = errors.New("not now") })
		}
		if c.restarted && !c.away {
			r, k = replicaOn(t, f, store, slots)
		}
		if c.away {
			o := optionsOf(f, store)
			o.Waiting = func(error) { f.set(func() { f.refuse = nil }) }
			var err error
			r, err = OpenReplica(t.Context(), o)
			ok(t, err)
			defer r.Close()
			k = New(Options{Source: r, Slots: slots, CacheBytes: 1 << 20})
		}
		ok(t, r.await(t.Context(), 4))
		given(t, k, key, 0)
		if end, _ := f.End(t.Context()); end != 4 || f.keys[3].ID != key[0].ID || f.keys[3].Wrapped != nil {
			t.Errorf("%+v: the log ends with %+v at %d", c, f.keys[len(f.keys)-1], end)
		}
	}
}

// fullDisk is a copy without room.
type fullDisk struct {
	*keystore.Store
	err atomic.Pointer[error]
}

func (f *fullDisk) Room() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// A copy without room has keys refused before they are in the log, waits with those of other nodes, and goes on by
// itself; deletions go through.
func TestReplica_NoRoom(t *testing.T) {
	f, slots := newFaked(), newSlots()
	disk := &fullDisk{Store: newStore(t)}
	o := optionsOf(f, nil)
	o.Copy = disk
	r, err := OpenReplica(t.Context(), o)
	ok(t, err)
	defer r.Close()
	k := New(Options{Source: r, Slots: slots, CacheBytes: 1 << 20})
	keys := newDataKeys(2)
	ok(t, k.Put(t.Context(), keys[:1]))
	full := errors.New("the disk is nearly full")
	disk.err.Store(&full)
	if err := k.Put(t.Context(), keys[1:]); domain.CodeOf(err) != domain.Unavailable || !errors.Is(err, full) {
		t.Errorf("put: %v", err)
	}
	if end, _ := f.End(t.Context()); end != 1 || r.Stats().Refused != 1 {
		t.Errorf("%d keys in the log, %+v", end, r.Stats())
	}
	ok(t, k.Delete(t.Context(), idsOf(keys[:1])))
	f.set(func() { f.keys = append(f.keys, newFakedKey(slots)) })
	for r.Stats().Waiting == "" {
		runtime.Gosched()
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	disk.err.Store(nil)
	ok(t, r.await(t.Context(), 3))
}

// While the log is away, keys that the node has are given, others are not known, and nothing is
// put; it goes on by itself.
func TestReplica_LogAway(t *testing.T) {
	f, slots := newFaked(), newSlots()
	r, k := replicaOn(t, f, newStore(t), slots)
	keys := newDataKeys(3)
	ok(t, k.Put(t.Context(), keys[:1]))
	away := errors.New("the broker is away")
	f.set(func() { f.err = away })
	given(t, k, keys[:1])
	k.Forget(idsOf(keys))
	given(t, k, keys[:1])
	if err := k.Put(t.Context(), keys[1:]); domain.CodeOf(err) != domain.Unavailable || !errors.Is(err, away) {
		t.Errorf("put: %v", err)
	}
	if _, err := k.Get(t.Context(), nil, idsOf(keys)); domain.CodeOf(err) != domain.Unavailable || !errors.Is(err, away) {
		t.Errorf("get: %v", err)
	}
	for r.Stats().Waiting == "" {
		runtime.Gosched()
	}
	f.set(func() { f.err = nil })
	ok(t, k.Put(t.Context(), keys[1:]))
	given(t, k, keys)
	if st := r.Stats(); st.Failures == 0 {
		t.Errorf("%+v", st)
	}
}

// A gap in the log stops the replica, which says so: it puts nothing, and gives what it has.
func TestReplica_GapStops(t *testing.T) {
	f, slots := newFaked(), newSlots()
	r, k := replicaOn(t, f, newStore(t), slots)
	keys := newDataKeys(2)
	ok(t, k.Put(t.Context(), keys[:1]))
	f.set(func() { f.err = &domain.GapError{Kind: domain.GapRetention, Topic: "keys"} })
	for r.Err() == nil {
		runtime.Gosched()
	}
	f.set(func() { f.err = nil })
	var stopped *StoppedError
	if err := r.Err(); !errors.As(err, &stopped) || !strings.Contains(err.Error(), "no member can be registered") || !strings.Contains(err.Error(), "restart") {
		t.Errorf("%v", r.Err())
	}
	if err := k.Put(t.Context(), keys[1:]); !errors.As(err, &stopped) {
		t.Errorf("put: %v", err)
	}
	given(t, k, keys[:1])
	if _, err := k.Get(t.Context(), nil, idsOf(keys)); !errors.As(err, &stopped) {
		t.Errorf("get: %v", err)
	}
}

// A copy of another topic is left as it is and refused; one that is too old is made again, and
// what was deleted meanwhile is not in it.
func TestReplica_AnotherTopicAndAge(t *testing.T) {
	f, slots := newFaked(), newSlots()
	store := newStore(t)
	first, k := replicaOn(t, f, store, slots)
	keys := newDataKeys(2)
	ok(t, k.Put(t.Context(), keys))
	ok(t, first.await(t.Context(), 2))
	ok(t, first.Close())
	other := newFaked()
	other.topic = domain.TopicID{2}
	var stopped *StoppedError
	if _, err := OpenReplica(t.Context(), optionsOf(other, store)); !errors.As(err, &stopped) || !strings.Contains(err.Error(), "made again") {
		t.Fatalf("another topic: %v", err)
	}
	found := 0
	ok(t, store.Get(t.Context(), idsOf(keys), func(int, []byte) error { found++; return nil }))
	if found != 2 {
		t.Fatalf("%d of 2 keys are left in the copy", found)
	}
	f.keys = f.keys[1:] // compacted, and the mark is gone
	f.keys = append(f.keys, newFakedKey(slots))
	o := optionsOf(f, store)
	o.Now = func() time.Time { return time.Now().Add(maxAge - time.Hour) }
	young, err := OpenReplica(t.Context(), o)
	ok(t, err)
	ok(t, young.Close())
	given(t, New(Options{Source: stored{store}, Slots: slots, CacheBytes: 1 << 20}), keys)
	// Its place is that of a clock that is ahead.
	o.Now = func() time.Time { return time.Now().Add(3 * maxAge) }
	old, err := OpenReplica(t.Context(), o)
	ok(t, err)
	ok(t, old.Close())
	given(t, New(Options{Source: stored{store}, Slots: slots, CacheBytes: 1 << 20}), keys, 0)
}

func newFakedKey(slots *seal.SlotKeys) domain.WrappedKey {
	k := newDataKeys(1)[0]
	return domain.WrappedKey{ID: k.ID, Wrapped: slots.Wrap(nil, &k)}
}

// A Put that has seen that the replica is open begins its batch before Close ends it, and Close waits for that.
func TestReplica_CloseWaitsForAPutThatBegins(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	r := &Replica{ctx: ctx, end: end}
	r.appends.mu.Lock() // as such a Put
	closed := make(chan error, 1)
	go func() { closed <- r.Close() }()
	for range 10_000 {
		runtime.Gosched()
	}
	if len(closed) > 0 || ctx.Err() != nil {
		t.Error("closed beside a Put that has not begun its batch")
	}
	r.appends.mu.Unlock()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := r.enqueue(&pendingAppend{done: make(chan error, 1)}); !errors.Is(err, errClosed) {
		t.Errorf("after it: %v", err)
	}
}

// What waits when the replica is closed gets an error, and nothing is taken after.
func TestReplica_Close(t *testing.T) {
	f, slots := newFaked(), newSlots()
	r, k := replicaOn(t, f, newStore(t), slots)
	ok(t, k.Put(t.Context(), newDataKeys(1)))
	f.set(func() { f.hold = true })
	f.set(func() { f.keys = append(f.keys, newFakedKey(slots)) })
	failed := make(chan error, 1)
	go func() {
		_, err := k.Get(t.Context(), nil, idsOf(newDataKeys(1)))
		failed <- err
	}()
	ok(t, r.Close())
	if err := <-failed; err == nil {
		t.Error("a key of a closed replica")
	}
	if err := k.Put(t.Context(), newDataKeys(1)); domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("%v", err)
	}
}
