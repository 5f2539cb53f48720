package main

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/cmd/ovation/secrets"
	keystore "github.com/ovation-analytics/ovation/storage/keys"
)

// simKeys are the data keys of a run: what was acknowledged must be found in every later life,
// under whichever master key the slot keys are wrapped by then.
type simKeys struct {
	rng *rand.Rand // not of the schedule's: seeds keep theirs

	mu      sync.Mutex // guards what follows
	put     []seal.DataKey
	checked int // lives
}

func newSimKeys(seed uint64) *simKeys { return &simKeys{rng: rand.New(rand.NewPCG(seed, 4))} }

// simMaster is the n-th master key of a run.
func simMaster(seed uint64, n int) seal.Master {
	return seal.Master{ID: domain.MasterID{1, byte(n)}, Key: seal.KeyOf([seal.KeyBytes]byte{1, byte(n), byte(seed)})}
}

// rotate puts another master key in front, in one start of three.
func (k *simKeys) rotate(s *secrets.Secrets) {
	if k.rng.IntN(3) == 0 {
		s.Masters = append(seal.Ring{simMaster(0, len(s.Masters))}, s.Masters...)
	}
}

// openKeys opens the data keys as a node does.
func (e *engineLife) openKeys(ctx context.Context) (err error) {
	e.Stores.Keys.Store, err = keystore.Open("keys", keystore.Options{
		FS: e.power.fs(), Logger: e.Log, CacheBytes: 1 << 20, MemTableBytes: 64 << 10,
	})
	if err != nil {
		return err
	}
	e.OnClose(e.Stores.Keys.Store.Close)
	return e.FollowKeys(ctx)
}

// putKeys keeps some new data keys beside the schedule, in one step of two.
func (w *simulation) putKeys() {
	if w.keys.rng.IntN(2) == 0 {
		return
	}
	n := 1 + w.keys.rng.IntN(4)
	w.user(func() error {
		e := w.alive()
		if e == nil {
			return errStopped
		}
		keys := make([]seal.DataKey, n)
		for i := range keys {
			var b [48]byte
			_, _ = crand.Read(b[:])
			keys[i] = seal.DataKeyOf(b)
		}
		err := e.Stores.Keys.Keeper.Put(context.Background(), keys)
		if err != nil || e.power.isOff() { // the caller never hears of it
			return nil
		}
		w.keys.mu.Lock()
		defer w.keys.mu.Unlock()
		w.keys.put = append(w.keys.put, keys...)
		return nil
	})
}

// checkKeys asks a life, until it answers once, for all that was acknowledged before it. One that has just lost its
// power is not waited for: the schedule, which calls this, revives it. The error has code Unavailable while the log of
// the keys cannot be read, which faults may cause and which drain ends.
func (w *simulation) checkKeys() error {
	e := w.engine
	if e == nil || e.API == nil || e.power.isOff() || w.keys.checked == w.lives {
		return nil
	}
	w.keys.mu.Lock()
	put := w.keys.put
	w.keys.mu.Unlock()
	ids := make([]domain.KeyID, len(put))
	for i := range put {
		ids[i] = put[i].ID
	}
	found, err := e.Stores.Keys.Keeper.Get(context.Background(), nil, ids)
	if e.power.isOff() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data keys: %w", err)
	}
	for i, c := range found {
		if c.IsZero() {
			return fmt.Errorf("data key %s was acknowledged and is lost", ids[i])
		}
		if _, err := put[i].Cipher.Open(nil, seal.Scope{}, c.Seal(nil, seal.Scope{}, nil)); err != nil {
			return fmt.Errorf("data key %s is another one", ids[i])
		}
	}
	stored := e.Actors.Catalog().SlotKeys()
	if newest := w.secrets.Masters[0].ID; stored.Master != newest {
		return fmt.Errorf("the slot keys are wrapped under %s, the newest master key is %s", stored.Master, newest)
	}
	w.keys.checked = w.lives
	return nil
}
