package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// block is a stored batch: the fields of its key and value.
type block struct {
	base   int64
	next   int64 // base of the batch after it
	newest int64
	batch  []byte
}

// decodeBlock reads a block; the records in it are not looked at.
func decodeBlock(key, value []byte) (k block, err error) {
	if len(key) != partKeyLen+8 || len(value) < blockHead+recordbatch.HeaderSize || value[0] != valueVersion {
		return k, errDamaged
	}
	k.base = int64(binary.BigEndian.Uint64(key[partKeyLen:]))
	k.newest = int64(binary.BigEndian.Uint64(value[1:]))
	k.batch = value[blockHead:]
	h := recordbatch.Parse(k.batch)
	k.next = h.Last() + 1
	if h.Base != k.base || k.next <= k.base {
		return k, errDamaged
	}
	return k, nil
}

// blocks are the stored batches of a partition, as they can be read. Any goroutine may call.
type blocks struct {
	partID
	store  *store
	unpack unpacker
	damage damage
	sparse bool // of a compacted topic: an offset may be in no block
}

// noBlock says that no block holds an offset.
type noBlock struct {
	partID
	offset int64
}

func (e noBlock) Error() string {
	return fmt.Sprintf("%s: no block holds offset %d", e.partID, e.offset)
}

// iter is an iterator over the blocks with bases below upper.
func (b *blocks) iter(upper int64) (*pebble.Iterator, error) {
	it, err := b.store.db.NewIter(&pebble.IterOptions{LowerBound: b.blockKey(0), UpperBound: b.blockKey(upper)})
	if err != nil {
		return nil, b.store.unreadable(err)
	}
	return it, nil
}

// seek puts the iterator on the block that holds an offset; of a compacted topic on the next one if none does.
func (b *blocks) seek(it *pebble.Iterator, offset int64) (k block, err error) {
	if it.SeekLT(b.blockKey(offset + 1)) {
		k, err = b.at(it)
	} else {
		err = b.iterError(it)
	}
	if err != nil || offset < k.next {
		return k, err
	}
	if b.sparse && it.SeekGE(b.blockKey(offset+1)) {
		return b.at(it)
	}
	if err = b.iterError(it); err == nil {
		err = noBlock{b.partID, offset}
	}
	return k, err
}

// at is the block at the iterator.
func (b *blocks) at(it *pebble.Iterator) (block, error) {
	v, err := it.ValueAndErr()
	if err != nil {
		return block{}, b.store.unreadable(err)
	}
	k, err := decodeBlock(it.Key(), v)
	if err != nil {
		return k, b.store.unreadable(fmt.Errorf("%s: block: %w", b.partID, err))
	}
	return k, nil
}

func (b *blocks) iterError(it *pebble.Iterator) error {
	if err := it.Error(); err != nil {
		return b.store.unreadable(err)
	}
	return nil
}

// last is the newest block; its batch is not valid any more.
func (b *blocks) last() (k block, found bool, err error) {
	it, err := b.iter(maxOffset)
	if err != nil {
		return k, false, err
	}
	defer it.Close()
	if !it.Last() {
		return k, false, b.iterError(it)
	}
	k, err = b.at(it)
	k.batch = nil
	return k, err == nil, err
}

// holding is the base of the block that holds an offset.
func (b *blocks) holding(offset int64) (int64, error) {
	it, err := b.iter(maxOffset)
	if err != nil {
		return 0, err
	}
	defer it.Close()
	k, err := b.seek(it, offset)
	return k.base, err
}

// one is a copy of the block at a base, if it can be read.
func (b *blocks) one(base int64) (k block, ok bool) {
	v, done, err := b.store.db.Get(b.blockKey(base))
	if err != nil {
		return k, false
	}
	k, err = decodeBlock(b.blockKey(base), bytes.Clone(v))
	return k, errors.Join(err, done.Close()) == nil
}

// read appends the batches from the one that holds offset on. Offsets that cannot be read are
// a *loss.
func (b *blocks) read(offset, end int64, limit int, whole bool, dst []byte) (out []byte, next int64, err error) {
	if lost := b.damage.at(offset); lost != nil {
		return dst, offset, lost
	}
	it, err := b.iter(end)
	if err != nil {
		return dst, offset, err
	}
	defer it.Close()
	k, err := b.seek(it, offset)
	if err != nil && b.store.db.Corrupted(err) {
		return b.around(offset, end, dst, err)
	}
	if err != nil {
		return dst, offset, err
	}
	next = offset
	for n := 0; ; {
		if n += len(k.batch); n > limit && !whole {
			return dst, next, nil
		}
		whole = false
		dst, next = append(dst, k.batch...), k.next
		if !it.Next() {
			err = b.iterError(it)
		} else if k, err = b.at(it); err == nil {
			continue
		}
		if b.store.db.Corrupted(err) { // the next read finds it
			err = nil
		}
		return dst, next, err
	}
}
