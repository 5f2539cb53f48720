package log

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// badBlock is a block of a table whose checksum is wrong; it is the error of reading it.
type badBlock struct {
	file   string
	offset int64
}

func (b badBlock) Error() string {
	return fmt.Sprintf("%s is corrupt: the checksum of the block at %d does not match", b.file, b.offset)
}

// Unwrap makes it damage for Pebble too.
func (b badBlock) Unwrap() error { return pebble.ErrCorruption }

// badBlocks are those that were found since the log was opened. Any goroutine may call.
type badBlocks struct {
	mu sync.RWMutex
	of map[badBlock]struct{}
}

func (b *badBlocks) has(at badBlock) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	_, ok := b.of[at]
	return ok
}

func (b *badBlocks) add(at badBlock) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[badBlock]struct{}{}
	}
	b.of[at] = struct{}{}
}

// tableFile is a table of the store. It checks blocks before Pebble does, which would try
// for each bit of a block with a wrong checksum whether that one has flipped: minutes of a
// processor for a block of some MiB, and again at each read. A bad block is read once.
type tableFile struct {
	vfs.File
	log  *Log
	name string
	size int64
}

// Open opens a file for reading.
func (f *haltFS) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, o...)
	if err != nil || !strings.HasSuffix(name, ".sst") {
		return file, err
	}
	st, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return &tableFile{file, f.log, filepath.Base(name), st.Size()}, nil
}

// ReadAt reads a block with its checksum, or the table's end, which has none.
func (t *tableFile) ReadAt(b []byte, offset int64) (int, error) {
	at := badBlock{t.name, offset}
	if t.log.bad.has(at) {
		return 0, at
	}
	n, err := t.File.ReadAt(b, offset)
	if err != nil || offset+int64(n) == t.size || sound(b) {
		return n, err
	}
	t.log.bad.add(at)
	return 0, at
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sound reports that a block of a table matches the checksum behind it, the store's own:
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
