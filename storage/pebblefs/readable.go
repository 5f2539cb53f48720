package pebblefs

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// Readable is the least number in [from, to) whose key is in a table, in a block that can be read, and of which
// ok holds; to: there is none. A key is the prefix and the number, big-endian. Each table is looked into by
// itself: an iterator over all of them fails where any does. The cost grows with the tables, their bad blocks and
// the keys of which ok does not hold, not with the numbers between. A key that ok is asked for may have been
// deleted; of what is in no table yet it is not asked.
func (d *DB) Readable(prefix []byte, from, to uint64, ok func(uint64) bool) (uint64, error) {
	for {
		n, err := d.readable(prefix, from, to, ok)
		if !errors.Is(err, fs.ErrNotExist) { // else compacted meanwhile
			return n, err
		}
	}
}

func (d *DB) readable(prefix []byte, from, to uint64, ok func(uint64) bool) (uint64, error) {
	levels, err := d.SSTables(pebble.WithKeyRangeFilter(numbered(prefix, from), numbered(prefix, to)))
	if err != nil {
		return to, err
	}
	for _, level := range levels {
		for i := range level {
			if to, err = d.readableIn(level[i].BackingSSTNum.String()+".sst", prefix, from, to, ok); err != nil {
				return to, err
			}
		}
	}
	return to, nil
}

// readableIn is Readable of one table.
func (d *DB) readableIn(table string, prefix []byte, from, to uint64, ok func(uint64) bool) (n uint64, err error) {
	f, err := disk{d.opts.FS, d}.Open(d.opts.FS.PathJoin(d.dir, table))
	if err != nil {
		return to, err
	}
	file, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return to, errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(context.Background(), file, sstable.ReaderOptions{})
	if err != nil {
		return to, errors.Join(d.unlessCorrupt(err), file.Close())
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	it, err := r.NewIter(sstable.NoTransforms, nil, numbered(prefix, to), sstable.AssertNoBlobHandles)
	if err != nil {
		return to, d.unlessCorrupt(err)
	}
	defer func() { err = errors.Join(err, d.unlessCorrupt(it.Close())) }()
	seek := func(at uint64) (n uint64, bad error) {
		if kv := it.SeekGE(numbered(prefix, at), 0); kv != nil {
			return binary.BigEndian.Uint64(kv.K.UserKey[len(prefix):]), nil
		}
		return to, it.Error()
	}
	for from < to {
		n, err := seek(from)
		if d.unlessCorrupt(err) != nil || err == nil && (n == to || ok(n)) {
			return n, err
		}
		if err == nil {
			from = n + 1
			continue
		}
		// The numbers that lead into one block follow each other.
		low, high := from, to
		for high-low > 1 {
			mid := low + (high-low)/2
			if _, other := seek(mid); sameBlock(err, other) {
				low = mid
			} else {
				high = mid
			}
		}
		from = high
	}
	return to, nil
}

// sameBlock reports that two errors are of one block, or neither names one.
func sameBlock(a, b error) bool {
	var one, other BadBlock
	return b != nil && errors.As(a, &one) == errors.As(b, &other) && one == other
}

// unlessCorrupt is the error unless it says that something cannot be read.
func (d *DB) unlessCorrupt(err error) error {
	if d.Corrupted(err) {
		return nil
	}
	return err
}

func numbered(prefix []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(prefix[:len(prefix):len(prefix)], n)
}
