package keys

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	keystore "github.com/ovation-analytics/ovation/storage/keys"
)

func newDataKeys(n int) []seal.DataKey {
	out := make([]seal.DataKey, n)
	for i := range out {
		var b [48]byte
		_, _ = rand.Read(b[:])
		out[i] = seal.DataKeyOf(b)
	}
	return out
}

func idsOf(keys []seal.DataKey) []domain.KeyID {
	out := make([]domain.KeyID, len(keys))
	for i := range keys {
		out[i] = keys[i].ID
	}
	return out
}

func newSlots() *seal.SlotKeys {
	var b [seal.SlotKeyBytes]byte
	_, _ = rand.Read(b[:])
	return seal.SlotKeysOf(&b)
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newStore is a store of data keys in memory.
func newStore(t testing.TB) *keystore.Store {
	t.Helper()
	s, err := keystore.Open("keys", keystore.Options{FS: vfs.NewMem()})
	ok(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// stored is a source of what a store has.
type stored struct{ *keystore.Store }

func (s stored) Put(_ context.Context, keys []domain.WrappedKey) error {
	return s.Follow(keys, domain.KeyPlace{}, time.Time{})
}

// same reports that a cipher is a key's.
func same(c seal.Cipher, k *seal.DataKey) bool {
	if c.IsZero() {
		return false
	}
	_, err := k.Cipher.Open(nil, seal.Scope{}, c.Seal(nil, seal.Scope{}, nil))
	return err == nil
}

// given fails unless the keeper gives each key, or none where absent says so.
func given(t testing.TB, k *Keeper, keys []seal.DataKey, absent ...int) {
	t.Helper()
	got, err := k.Get(t.Context(), nil, idsOf(keys))
	ok(t, err)
	if len(got) != len(keys) {
		t.Fatalf("%d keys for %d ids", len(got), len(keys))
	}
	missing := map[int]bool{}
	for _, i := range absent {
		missing[i] = true
	}
	for i := range got {
		if missing[i] && !got[i].IsZero() || !missing[i] && !same(got[i], &keys[i]) {
			t.Errorf("key %d is another one", i)
		}
	}
}

// Keys that were put are given in the order asked, and those of nothing are zero, whether the
// cache has them or the store alone.
func TestKeeper_GivesWhatWasPut(t *testing.T) {
	store, slots := stored{newStore(t)}, newSlots()
	k := New(Options{Source: store, Slots: slots, CacheBytes: 1 << 20})
	keys := newDataKeys(10)
	ok(t, k.Put(t.Context(), nil))
	ok(t, k.Put(t.Context(), keys[:8]))
	given(t, k, keys, 8, 9)
	if st := k.Stats(); st.Hits != 8 || st.Loaded != 0 || st.Missing != 2 || st.Put != 8 || st.Cached != 8 {
		t.Errorf("%+v", st)
	}
	cold := New(Options{Source: store, Slots: slots, CacheBytes: 1 << 20})
	given(t, cold, keys, 8, 9)
	given(t, cold, keys, 8, 9)
	if st := cold.Stats(); st.Hits != 8 || st.Loaded != 8 || st.Missing != 4 {
		t.Errorf("%+v", st)
	}
	got, err := cold.Get(t.Context(), []seal.Cipher{keys[9].Cipher}, []domain.KeyID{{}, keys[1].ID, keys[1].ID})
	ok(t, err)
	if len(got) != 4 || !same(got[0], &keys[9]) || !got[1].IsZero() || !same(got[2], &keys[1]) || !same(got[3], &keys[1]) {
		t.Error("appended wrongly, or the zero id has a key")
	}
	cold.Forget(idsOf(keys[:1]))
	given(t, cold, keys[:1])
	if st := cold.Stats(); st.Loaded != 9 {
		t.Errorf("%+v after one was forgotten", st)
	}
}

// What is opened with a key is forgotten with it: once the key is not given any more.
func TestKeeper_OnForget(t *testing.T) {
	k := New(Options{Source: stored{newStore(t)}, Slots: newSlots(), CacheBytes: 1 << 20})
	keys := newDataKeys(3)
	ok(t, k.Put(t.Context(), keys))
	var first, second []domain.KeyID
	k.OnForget(func(ids []domain.KeyID) {
		given(t, k, keys, 1)
		first = append(first, ids...)
	})
	k.OnForget(func(ids []domain.KeyID) { second = append(second, ids...) })
	ok(t, k.Delete(t.Context(), idsOf(keys[1:2])))
	if !slices.Equal(first, idsOf(keys[1:2])) || !slices.Equal(second, first) {
		t.Errorf("%v and %v are forgotten", first, second)
	}
}

// counting counts and delays what is asked of a source.
type counting struct {
	Source
	gate  chan struct{} // closed: go on
	asked atomic.Int64
	err   error
}

func (c *counting) Put(ctx context.Context, keys []domain.WrappedKey) error {
	if c.err != nil {
		return c.err
	}
	return c.Source.Put(ctx, keys)
}

func (c *counting) Get(ctx context.Context, ids []domain.KeyID, found func(int, []byte) error) error {
	c.asked.Add(int64(len(ids)))
	<-c.gate
	if c.err != nil {
		return c.err
	}
	return c.Source.Get(ctx, ids, found)
}

// memory is a source for tests with time that stands still: Pebble would wait for the disk.
type memory struct {
	mu   sync.Mutex
	keys map[domain.KeyID][]byte
}

func (m *memory) Put(_ context.Context, keys []domain.WrappedKey) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range keys {
		m.keys[k.ID] = bytes.Clone(k.Wrapped)
	}
	return nil
}

func (m *memory) Get(_ context.Context, ids []domain.KeyID, found func(int, []byte) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, id := range ids {
		if w := m.keys[id]; w != nil {
			if err := found(i, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// However many ask for a key at once, it is read once, also if the first of them gives up.
func TestKeeper_LoadsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := newSlots()
		source := &counting{Source: &memory{keys: map[domain.KeyID][]byte{}}, gate: make(chan struct{})}
		keys := newDataKeys(3)
		ok(t, New(Options{Source: source, Slots: slots, CacheBytes: 1 << 20}).Put(t.Context(), keys))
		k := New(Options{Source: source, Slots: slots, CacheBytes: 1 << 20})
		var wg sync.WaitGroup
		first, leave := context.WithCancel(t.Context())
		for i := range 32 {
			wg.Go(func() {
				ctx := t.Context()
				if i == 0 {
					ctx = first
				}
				got, err := k.Get(ctx, nil, idsOf(keys))
				if err != nil || len(got) != 3 || !same(got[2], &keys[2]) {
					t.Errorf("%v", err)
				}
			})
			synctest.Wait()
		}
		leave()
		close(source.gate)
		wg.Wait()
		if n := source.asked.Load(); n != 3 {
			t.Errorf("%d keys were read", n)
		}
	})
}

// What the source refuses is an error with code Unavailable, and nothing is cached of it.
func TestKeeper_ErrorsAreUnavailable(t *testing.T) {
	cause := errors.New("the disk is broken")
	gate := make(chan struct{})
	close(gate)
	source := &counting{Source: stored{newStore(t)}, gate: gate, err: cause}
	k := New(Options{Source: source, Slots: newSlots(), CacheBytes: 1 << 20})
	keys := newDataKeys(2)
	if err := k.Put(t.Context(), keys); domain.CodeOf(err) != domain.Unavailable || !errors.Is(err, cause) {
		t.Errorf("put: %v", err)
	}
	before := []seal.Cipher{keys[0].Cipher}
	got, err := k.Get(t.Context(), before, idsOf(keys))
	if domain.CodeOf(err) != domain.Unavailable || !errors.Is(err, cause) || len(got) != 1 {
		t.Errorf("get: %v", err)
	}
	source.err = nil
	given(t, k, keys, 0, 1)
	ok(t, k.Put(t.Context(), keys))
	given(t, k, keys)
	wrong := New(Options{Source: source, Slots: newSlots(), CacheBytes: 1 << 20})
	if _, err := wrong.Get(t.Context(), nil, idsOf(keys)); domain.CodeOf(err) != domain.Unavailable || !errors.Is(err, seal.ErrSealed) {
		t.Errorf("under other slot keys: %v", err)
	}
}

// The cache takes no more memory than it is given.
func TestKeeper_CacheMemory(t *testing.T) {
	const n = 10_000
	k := New(Options{Source: &memory{}, Slots: newSlots(), CacheBytes: n * entryBytes})
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 2 * n {
		key := newDataKeys(1)[0]
		k.cache.Set(key.ID, key.Cipher)
	}
	k.cache.CleanUp()
	cached := k.Stats().Cached
	took := heap() - before
	runtime.KeepAlive(k)
	t.Logf("%d bytes a key", took/uint64(cached))
	if cached > n || cached < n*9/10 {
		t.Errorf("%d keys are cached, %d may be", cached, n)
	}
	if took > n*entryBytes {
		t.Errorf("%d keys take %d bytes, %d each", cached, took, took/uint64(cached))
	}
}

func BenchmarkKeeper(b *testing.B) {
	store, slots := stored{newStore(b)}, newSlots()
	k := New(Options{Source: store, Slots: slots, CacheBytes: 64 << 20})
	keys := newDataKeys(20_000)
	ok(b, k.Put(b.Context(), keys))
	ids := idsOf(keys)
	dst := make([]seal.Cipher, 0, 1000)
	b.Run("hit", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			dst, _ = k.Get(b.Context(), dst[:0], ids[i%len(ids):][:1])
		}
	})
	b.Run("1,000 hits", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dst, _ = k.Get(b.Context(), dst[:0], ids[:1000])
		}
	})
	b.Run("1,000 loads", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			from := i % 20 * 1000
			k.Forget(ids[from : from+1000])
			dst, _ = k.Get(b.Context(), dst[:0], ids[from:from+1000])
		}
	})
	b.Run("put 1,000 in memory", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = k.Put(b.Context(), keys[:1000])
		}
	})
}
