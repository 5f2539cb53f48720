package domain

import "sync/atomic"

// Page is what one read of a log of records gives.
type Page struct {
	Records []Record // owned by the reader of the page; their strings are until Memory is released
	Next    int64    // offset to read next
	Epoch   int32    // leader epoch of the batch before Next
	End     int64    // the log's end when it was read
	Memory  *Memory  // holds the strings of Records; release it
}

// SourcePage is what one read of a public topic's partition gives.
type SourcePage struct {
	Arrivals []Arrival
	Memory   *Memory // holds the strings of Arrivals; release it
	Next     int64
	Epoch    int32
	End      int64
}

// Routed is how far a partition of the public topic was routed, as the routers' group has it.
type Routed struct {
	Next    int64 // all below it is in the journal; below zero: nothing is known
	Epoch   int32 // leader epoch of the batch before it
	Topic   TopicID
	Node    NodeID // who says so: it routes the partition
	Counter uint64 // another one each time that it says so
	Ended   bool   // it routes no more, and has appended nothing at or above Next
}

// Memory is the bytes that hold the strings of pages. When every page has been released, and no
// string of one is kept, the reader reads into it again. A nil one is never reused.
type Memory struct {
	bytes   []byte
	users   atomic.Int32
	kept    atomic.Bool
	recycle func(*Memory)
}

// NewMemory is memory with one user; when the last one is done it is given to recycle, on
// that one's goroutine.
func NewMemory(bytes []byte, recycle func(*Memory)) *Memory {
	m := &Memory{bytes: bytes, recycle: recycle}
	m.users.Store(1)
	return m
}

// Bytes is the memory; only its current owner may ask.
func (m *Memory) Bytes() []byte { return m.bytes }

// Hold adds a user.
func (m *Memory) Hold() {
	if m != nil {
		m.users.Add(1)
	}
}

// Release ends a use; kept says that strings of it live on.
func (m *Memory) Release(kept bool) {
	if m == nil {
		return
	}
	if kept {
		m.kept.Store(true)
	}
	if m.users.Add(-1) == 0 && !m.kept.Load() {
		m.recycle(m)
	}
}

// Arrival is a source record as decoded: where it must go is decided by its bytes
// alone (Slot), what becomes of it by the catalog and the member's shard. Record is
// of KindActivity, has its Origin, and a Refusal where the bytes hold no activity.
type Arrival struct {
	Record Record
	Slot   Slot
}
