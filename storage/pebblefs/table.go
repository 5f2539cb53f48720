package pebblefs

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// BadBlock is a block of a table whose checksum is wrong; it is the error of reading it.
type BadBlock struct {
	File   string
	Offset int64
}

// Error names the file.
func (b BadBlock) Error() string {
	return fmt.Sprintf("%s is corrupt: the checksum of the block at %d does not match", b.File, b.Offset)
}

// Unwrap makes it corruption for Pebble too.
func (b BadBlock) Unwrap() error { return pebble.ErrCorruption }

// badBlocks are those that were found since the store was opened. Any goroutine may call.
type badBlocks struct {
	mu sync.RWMutex
	of map[BadBlock]struct{}
}

func (b *badBlocks) has(at BadBlock) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	_, ok := b.of[at]
	return ok
}

func (b *badBlocks) add(at BadBlock) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[BadBlock]struct{}{}
	}
	b.of[at] = struct{}{}
}

// BadBlocks are the corrupt blocks that were found, of a store that checks them.
func (d *DB) BadBlocks() []BadBlock {
	d.blocks.mu.RLock()
	defer d.blocks.mu.RUnlock()
	return slices.Collect(maps.Keys(d.blocks.of))
}

// tableFile is a table of the store. It checks blocks before Pebble does, which would try
// for each bit of a block with a wrong checksum whether that one has flipped: minutes of a
// processor for a block of some MiB, and again at each read. A bad block is read once.
type tableFile struct {
	vfs.File
	bad  *badBlocks
	name string
	size int64
}

// ReadAt reads a block with its checksum, or the table's end, which has none.
func (t *tableFile) ReadAt(b []byte, offset int64) (int, error) {
	at := BadBlock{t.name, offset}
	if t.bad.has(at) {
		return 0, at
	}
	n, err := t.File.ReadAt(b, offset)
	if err != nil || offset+int64(n) == t.size || sound(b) {
		return n, err
	}
	t.bad.add(at)
	return 0, at
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sound reports that a block of a table matches the checksum after it, the store's own:
// CRC-32C, rotated and moved.
func sound(b []byte) bool {
	const length = 4
	n := len(b) - length
	if n < 0 {
		return true // no block
	}
	c := crc32.Checksum(b[:n], castagnoli)
	return binary.LittleEndian.Uint32(b[n:]) == (c>>15|c<<17)+0xa282ead8
}
