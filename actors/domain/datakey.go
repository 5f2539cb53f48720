package domain

import "encoding/hex"

// KeyID names a data key, which seals what is personal of a member: random, made before the
// record that names it is appended. The zero value is none.
type KeyID [16]byte

// IsZero reports that no key is named.
func (k KeyID) IsZero() bool { return k == KeyID{} }

// Slot is the slot whose key wraps the data key: the first 12 bits of the id.
func (k KeyID) Slot() Slot { return Slot(k[0])<<4 | Slot(k[1]>>4) }

// String is the id in hex.
func (k KeyID) String() string { return hex.EncodeToString(k[:]) }

// WrappedKey is a data key as logs and stores have it: sealed under the key of its slot.
type WrappedKey struct {
	ID      KeyID
	Wrapped []byte // nil: the key is deleted
}

// KeyPage is what one read of the log of data keys gives.
type KeyPage struct {
	Keys    []WrappedKey // in the log's order; they share no memory with later pages
	Next    int64        // the offset to go on from
	Epoch   int32        // leader epoch of the batch before Next
	End     int64        // the log's end then
	Foreign int          // values that are no data keys, passed over
}

// KeyPlace is how far a node's copy of the data keys has read their log.
type KeyPlace struct {
	Topic  TopicID // zero: nothing was read
	Next   int64
	Epoch  int32 // leader epoch of the batch before Next
	ReadAt int64 // when the copy was at the log's end, ms since 1970
}

// MasterID names a master key. The zero value is none.
type MasterID [16]byte

// String is the id in hex.
func (m MasterID) String() string { return hex.EncodeToString(m[:]) }

// SlotKeys are the keys of all slots, wrapped under a master key. The keys never change;
// a rotation of the master wraps them again.
type SlotKeys struct {
	Generation uint32 // how often they were wrapped, from 1
	Master     MasterID
	Wrapped    []byte // by slot, of equal lengths
	At         int64  // ms since 1970
}

// PutSlotKeys makes the slot keys, or puts the same ones wrapped again in their place. It is a
// conflict unless Generation follows that of those in force: of two nodes, one wraps.
type PutSlotKeys struct{ Keys SlotKeys }

// Kind is KindPutSlotKeys.
func (*PutSlotKeys) Kind() Kind { return KindPutSlotKeys }
