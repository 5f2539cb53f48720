package keys

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
)

// Options are what a Keeper is made with.
type Options struct {
	Source     Source
	Slots      *seal.SlotKeys
	CacheBytes int64 // of opened keys
}

// Keeper keeps and gives data keys.
type Keeper struct {
	source Source
	slots  *seal.SlotKeys
	cache  *otter.Cache[domain.KeyID, seal.Cipher]
	counts struct{ hits, loaded, missing, put, deleted atomic.Uint64 }

	mu     sync.Mutex             // guards what follows
	forget []func([]domain.KeyID) // OnForget
}

// entryBytes is what a key takes in the cache (TestKeeper_CacheMemory).
const entryBytes = 960

// New is a Keeper over a source.
func New(o Options) *Keeper {
	maxEntries := max(1, int(o.CacheBytes/entryBytes))
	return &Keeper{
		source: o.Source, slots: o.Slots,
		cache: otter.Must(&otter.Options[domain.KeyID, seal.Cipher]{MaximumSize: maxEntries}),
	}
}

// Put keeps new keys. They are durable when it returns nil; after an error each may be there or
// not, and the same keys may be put again. The error has code Unavailable.
func (k *Keeper) Put(ctx context.Context, keys []seal.DataKey) error {
	if len(keys) == 0 {
		return nil
	}
	wrapped := make([]domain.WrappedKey, len(keys))
	bytes := make([]byte, 0, len(keys)*seal.WrappedBytes)
	for i := range keys {
		from := len(bytes)
		bytes = k.slots.Wrap(bytes, &keys[i])
		wrapped[i] = domain.WrappedKey{ID: keys[i].ID, Wrapped: bytes[from:len(bytes):len(bytes)]}
	}
	if err := k.source.Put(ctx, wrapped); err != nil {
		return unavailable("data keys cannot be written at the moment, try again", err)
	}
	k.counts.put.Add(uint64(len(keys)))
	for i := range keys {
		k.cache.Set(keys[i].ID, keys[i].Cipher)
	}
	return nil
}

// Delete deletes keys for good, in every node: those that never were as well. The error has code
// Unavailable.
func (k *Keeper) Delete(ctx context.Context, ids []domain.KeyID) error {
	tombstones := make([]domain.WrappedKey, len(ids))
	for i := range ids {
		tombstones[i].ID = ids[i]
	}
	if err := k.source.Put(ctx, tombstones); err != nil {
		return unavailable("data keys cannot be deleted at the moment, try again", err)
	}
	k.Forget(ids)
	k.counts.deleted.Add(uint64(len(ids)))
	return nil
}

// Get appends the key of each id to dst, ready to seal and open, in their order; the zero Cipher
// where there is none, or the id is zero. The error has code Unavailable: which keys there are is not known then.
func (k *Keeper) Get(ctx context.Context, dst []seal.Cipher, ids []domain.KeyID) ([]seal.Cipher, error) {
	from := len(dst)
	hits := 0
	var missed []domain.KeyID
	for _, id := range ids {
		key, ok := k.cache.GetIfPresent(id)
		if ok {
			hits++
		} else if !id.IsZero() {
			missed = append(missed, id)
		}
		dst = append(dst, key)
	}
	k.counts.hits.Add(uint64(hits))
	if len(missed) == 0 {
		return dst, nil
	}
	loaded, err := k.cache.BulkGet(ctx, missed, otter.BulkLoaderFunc[domain.KeyID, seal.Cipher](k.load))
	if err != nil {
		return dst[:from], unavailable("data keys cannot be read at the moment, try again", err)
	}
	for i, id := range ids {
		if key := &dst[from+i]; key.IsZero() {
			*key = loaded[id]
		}
	}
	return dst, nil
}

// loadWithin bounds a load: others than the one that began it wait for it too, so that it does
// not end with the request of that one.
const loadWithin = 10 * time.Second

// load reads and unwraps keys.
func (k *Keeper) load(ctx context.Context, ids []domain.KeyID) (map[domain.KeyID]seal.Cipher, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadWithin)
	defer cancel()
	out := make(map[domain.KeyID]seal.Cipher, len(ids))
	err := k.source.Get(ctx, ids, func(i int, wrapped []byte) error {
		key, err := k.slots.Unwrap(ids[i], wrapped)
		if err != nil {
			return fmt.Errorf("data key %s: %w", ids[i], err)
		}
		out[ids[i]] = key.Cipher()
		return nil
	})
	if err != nil {
		return nil, err
	}
	k.counts.loaded.Add(uint64(len(out)))
	k.counts.missing.Add(uint64(len(ids) - len(out)))
	return out, nil
}

// SealSecret is a secret of an account as the catalog keeps it.
func (k *Keeper) SealSecret(account domain.AccountID, plain []byte) []byte {
	return k.slots.Secrets(account).Seal(nil, seal.Scope{Account: account, Purpose: seal.Secret}, plain)
}

// OpenSecret is the secret that SealSecret sealed for the account. It fails with seal.ErrSealed, or domain.ErrNewer.
func (k *Keeper) OpenSecret(account domain.AccountID, sealed []byte) ([]byte, error) {
	return k.slots.Secrets(account).Open(nil, seal.Scope{Account: account, Purpose: seal.Secret}, sealed)
}

// Forget takes keys that were deleted from the cache, and what has been opened with them from where
// it is cached.
func (k *Keeper) Forget(ids []domain.KeyID) {
	for _, id := range ids {
		k.cache.Invalidate(id)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, f := range k.forget {
		f(ids)
	}
}

// OnForget has f called with keys that were deleted, from now on, one call after another.
func (k *Keeper) OnForget(f func(ids []domain.KeyID)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget = append(k.forget, f)
}

// Stats is what a Keeper has done.
type Stats struct {
	Hits    uint64 // keys found in the cache
	Loaded  uint64 // keys read and unwrapped
	Missing uint64 // ids without a key
	Put     uint64 // keys made here
	Deleted uint64 // keys deleted here
	Cached  int    // keys in the cache, about
}

// Stats is what it has done so far.
func (k *Keeper) Stats() Stats {
	return Stats{
		Hits: k.counts.hits.Load(), Loaded: k.counts.loaded.Load(), Missing: k.counts.missing.Load(),
		Put: k.counts.put.Load(), Deleted: k.counts.deleted.Load(), Cached: k.cache.EstimatedSize(),
	}
}

func unavailable(message string, err error) error {
	return &domain.Error{Code: domain.Unavailable, Message: message, Op: "data keys", Err: err}
}
