package seal

import (
	"errors"
	"fmt"
	"io"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// DataKey is a data key, its id, and the key made ready.
type DataKey struct {
	ID     domain.KeyID
	Key    Key
	Cipher Cipher // of Key
}

// DataKeyOf is the data key of 48 random bytes: its id, and the key.
func DataKeyOf(random [16 + KeyBytes]byte) DataKey {
	k := DataKey{ID: domain.KeyID(random[:16]), Key: Key{[KeyBytes]byte(random[16:])}}
	k.Cipher = k.Key.Cipher()
	return k
}

// WrappedBytes is the length of a wrapped key.
const WrappedBytes = KeyBytes + Overhead

// SlotKeys are the keys that wrap data keys, by slot.
type SlotKeys struct{ keys [domain.Slots]Key }

// Format prints a fixed word for every verb.
func (*SlotKeys) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "[slot keys]") }

// SlotKeyBytes is the length of what slot keys are made of.
const SlotKeyBytes = domain.Slots * KeyBytes

// SlotKeysOf are the slot keys of so many random bytes.
func SlotKeysOf(random *[SlotKeyBytes]byte) *SlotKeys {
	s := &SlotKeys{}
	for i := range s.keys {
		s.keys[i] = Key{[KeyBytes]byte(random[i*KeyBytes:])}
	}
	return s
}

// Wrap appends the wrapped key to dst.
func (s *SlotKeys) Wrap(dst []byte, k *DataKey) []byte {
	var bound [2 + len(k.ID)]byte
	return s.keys[k.ID.Slot()].Cipher().seal(dst, boundKey(bound[:0], k.ID), k.Key.secret[:])
}

// Unwrap is the data key of an id. It fails with ErrSealed, or with domain.ErrNewer.
func (s *SlotKeys) Unwrap(id domain.KeyID, wrapped []byte) (k Key, err error) {
	var bound [2 + len(id)]byte
	err = s.keys[id.Slot()].Cipher().openKey(&k, boundKey(bound[:0], id), wrapped)
	return k, err
}

// Secrets is the cipher of the secrets of an account: the key of a slot, in a scope that no data key has.
func (s *SlotKeys) Secrets(account domain.AccountID) Cipher {
	return s.keys[domain.ApplicationID(account).Slot()].Cipher()
}

func boundKey(dst []byte, id domain.KeyID) []byte {
	return append(append(dst, version, byte(dataKey)), id[:]...)
}

func boundSlot(dst []byte, slot int) []byte {
	return append(dst, version, byte(slotKey), byte(slot>>8), byte(slot))
}

// openKey opens a wrapped key into k.
func (c Cipher) openKey(k *Key, bound, wrapped []byte) error {
	plain, err := c.open(k.secret[:0], bound, wrapped)
	if err == nil && len(plain) != KeyBytes {
		err = ErrSealed
	}
	if err != nil {
		*k = Key{}
	}
	return err
}

// Master is a master key and its id.
type Master struct {
	ID  domain.MasterID
	Key Key
}

// Ring are the master keys of an installation, the newest first: it wraps, all open.
type Ring []Master

// ErrNoMaster is a ring without the master key that wrapped something.
var ErrNoMaster = errors.New("no such master key")

// Wrap is the slot keys wrapped under the newest master key, as the next generation after
// that given; nil: as the first.
func (r Ring) Wrap(s *SlotKeys, after *domain.SlotKeys, at int64) domain.SlotKeys {
	newest := &r[0]
	out := domain.SlotKeys{Generation: 1, Master: newest.ID, At: at, Wrapped: make([]byte, 0, domain.Slots*WrappedBytes)}
	if after != nil {
		out.Generation = after.Generation + 1
	}
	c := newest.Key.Cipher()
	var bound [4]byte
	for i := range s.keys {
		out.Wrapped = c.seal(out.Wrapped, boundSlot(bound[:0], i), s.keys[i].secret[:])
	}
	return out
}

// Unwrap is the slot keys that were wrapped. It fails with ErrNoMaster, ErrSealed or
// domain.ErrNewer.
func (r Ring) Unwrap(in *domain.SlotKeys) (*SlotKeys, error) {
	master := r.find(in.Master)
	if master == nil {
		return nil, fmt.Errorf("the slot keys are wrapped under the master key %s: %w", in.Master, ErrNoMaster)
	}
	if len(in.Wrapped) != domain.Slots*WrappedBytes {
		return nil, ErrSealed
	}
	s := &SlotKeys{}
	c := master.Key.Cipher()
	var bound [4]byte
	for i := range s.keys {
		wrapped := in.Wrapped[i*WrappedBytes:][:WrappedBytes]
		if err := c.openKey(&s.keys[i], boundSlot(bound[:0], i), wrapped); err != nil {
			return nil, fmt.Errorf("the key of slot %d: %w", i, err)
		}
	}
	return s, nil
}

func (r Ring) find(id domain.MasterID) *Master {
	for i := range r {
		if r[i].ID == id {
			return &r[i]
		}
	}
	return nil
}
