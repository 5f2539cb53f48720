package nametable

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ovation-analytics/ovation/actors/domain/twogen"
)

// Table has ids by names.
type Table struct {
	dir    string
	file   *os.File
	slots  uint64 // a power of two
	used   uint64
	recent *twogen.Cache[key, uint32]
	window [window * slotSize]byte
}

// key is what a slot has of a name.
type key [12]byte

const (
	slotSize = len(key{}) + 4
	window   = 32      // slots that are read at once
	least    = 1 << 12 // slots of a table
	recent   = 1 << 14 // names that are in memory, twice
)

// New is an empty table whose file is in a folder. Room is how many names it is likely to have.
func New(dir string, room int64) (*Table, error) {
	t := &Table{dir: dir, recent: twogen.New[key, uint32](recent)}
	slots := uint64(least)
	for slots < 2*uint64(max(room, 0)) {
		slots *= 2
	}
	return t, t.reopen(slots)
}

// reopen begins an empty file.
func (t *Table) reopen(slots uint64) error {
	f, err := os.CreateTemp(t.dir, "names-")
	if err != nil {
		return err
	}
	if err := errors.Join(os.Remove(f.Name()), f.Truncate(int64(slots)*int64(slotSize))); err != nil {
		return errors.Join(err, f.Close())
	}
	t.file, t.slots, t.used = f, slots, 0
	return nil
}

// sumOf is the key of a name of a kind.
func sumOf(kind, name string) (k key) {
	sum := sha256.Sum256([]byte(kind + "\x00" + name))
	copy(k[:], sum[:])
	k[len(k)-1] |= 1 // no slot that is taken is all zeros
	return k
}

// Get is the id of a name.
func (t *Table) Get(kind, name string) (id uint32, there bool, err error) {
	k := sumOf(kind, name)
	if id, there = t.recent.Get(k); there {
		return id, true, nil
	}
	_, id, there, err = t.find(k)
	if there {
		t.recent.Put(k, id)
	}
	return id, there, err
}

// Put sets the id of a name.
func (t *Table) Put(kind, name string, id uint32) error {
	k := sumOf(kind, name)
	if err := t.put(k, id); err != nil {
		return err
	}
	t.recent.Put(k, id)
	if t.used > t.slots/2 {
		return t.grow()
	}
	return nil
}

// find is the slot of a key, or the free one where it belongs.
func (t *Table) find(k key) (at uint64, id uint32, there bool, err error) {
	at = binary.BigEndian.Uint64(k[:]) & (t.slots - 1)
	for range t.slots/window + 2 {
		n := min(window, t.slots-at)
		part := t.window[:n*uint64(slotSize)]
		if _, err := t.file.ReadAt(part, int64(at)*int64(slotSize)); err != nil {
			return 0, 0, false, fmt.Errorf("the table of names: %w", err)
		}
		for ; len(part) > 0; part = part[slotSize:] {
			switch key(part[:len(k)]) {
			case key{}:
				return at, 0, false, nil
			case k:
				return at, binary.BigEndian.Uint32(part[len(k):]), true, nil
			}
			at++
		}
		at &= t.slots - 1
	}
	return 0, 0, false, errors.New("the table of names is full")
}

func (t *Table) put(k key, id uint32) error {
	at, _, there, err := t.find(k)
	if err != nil {
		return err
	}
	if !there {
		t.used++
	}
	_, err = t.file.WriteAt(binary.BigEndian.AppendUint32(k[:], id), int64(at)*int64(slotSize))
	return err
}

// grow writes all into a file of twice the size.
func (t *Table) grow() error {
	old, slots := t.file, t.slots
	defer old.Close()
	if err := t.reopen(2 * slots); err != nil {
		return err
	}
	from := bufio.NewReaderSize(io.NewSectionReader(old, 0, int64(slots)*int64(slotSize)), 64<<10)
	var slot [slotSize]byte
	for range slots {
		if _, err := io.ReadFull(from, slot[:]); err != nil {
			return err
		}
		if k := key(slot[:len(key{})]); k != (key{}) {
			if err := t.put(k, binary.BigEndian.Uint32(slot[len(k):])); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close ends it.
func (t *Table) Close() error { return t.file.Close() }
