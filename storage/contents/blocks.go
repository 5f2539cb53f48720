package contents

import (
	"bytes"
	"errors"
	"sort"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain/twogen"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Contents are stored in blocks of bounded size, so that a page of a few rows reads little
// of a brand's busy day. The key of a block ends with its first sequence, and blocks of a
// slot follow one another: sequences rise from seal to seal. So the block of an action is
// the last one whose key is not above its sequence.
//
//	C … slot 1000 ─► 1000 1003 … 1490
//	C … slot 1502 ─► 1502 1509 … 2011     grows, by merging, until it is full
//
// The block that grows is known in memory only. A shard that was opened, or has forgotten
// it, begins a new one. Where blocks begin changes only how much is read for a row.

// BlockBytes is how much a block has at most, unless one content alone has more. Ten rows,
// wherever they are in a day, are less than 64 KiB.
const BlockBytes = 6 << 10

// entryBytes is about what an entry takes beside its text.
const entryBytes = 8

// growing is a block that more is put into.
type growing struct {
	first uint64 // sequence
	bytes int
}

// maxGrowing is how many growing blocks are known in each of two generations.
const maxGrowing = 1 << 15

// Writer writes the contents of a shard's actions into blocks. One goroutine.
type Writer struct {
	db     pebble.Reader
	shard  uint16
	max    int                                    // bytes of a block
	blocks *twogen.Cache[format.SlotKey, growing] // of C
	codec  format.ContentCodec
	key    []byte
	value  []byte
}

// NewWriter makes a writer of blocks of about so many bytes.
func NewWriter(db pebble.Reader, shard uint16, blockBytes int) *Writer {
	return &Writer{db: db, shard: shard, max: blockBytes, blocks: twogen.New[format.SlotKey, growing](maxGrowing)}
}

// fitting is how many of the entries a block with so many bytes takes, and how many bytes
// it has then; an empty one takes one at least.
func (w *Writer) fitting(entries []format.Entry, bytes int) (n, then int) {
	for n < len(entries) {
		size := len(entries[n].Text) + entryBytes
		if bytes > 0 && bytes+size > w.max {
			break
		}
		n, bytes = n+1, bytes+size
	}
	return n, bytes
}

// Write appends entries, whose sequences are above all of the slot, to what there is.
func (w *Writer) Write(b *pebble.Batch, p format.SlotKey, entries []format.Entry) error {
	g, _ := w.blocks.Get(p)
	for len(entries) > 0 {
		n, then := 0, 0
		if g.bytes > 0 {
			n, then = w.fitting(entries, g.bytes)
		}
		if n == 0 {
			g.first = entries[0].Seq
			n, then = w.fitting(entries, 0)
		}
		g.bytes = then
		w.key = format.AppendContentKey(w.key[:0], p, g.first)
		w.value = w.codec.Append(w.value[:0], nil, entries[:n])
		if err := b.Merge(w.key, w.value, nil); err != nil {
			return err
		}
		entries = entries[n:]
	}
	w.blocks.Put(p, g)
	return nil
}

// WriteTail puts the contents of a commit into blocks of the tail.
func (w *Writer) WriteTail(b *pebble.Batch, entries []format.Entry) error {
	for len(entries) > 0 {
		n, _ := w.fitting(entries, 0)
		w.key = format.AppendTailContentKey(w.key[:0], w.shard, entries[0].Seq)
		w.value = w.codec.Append(w.value[:0], nil, entries[:n])
		if err := b.Merge(w.key, w.value, nil); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}

// Take takes the contents of actions that count no more, those that have any, out of the blocks of
// a slot; the sequences ascend.
func (w *Writer) Take(b *pebble.Batch, p format.SlotKey, seqs ...uint64) error {
	return w.take(b, format.AppendRowKey(nil, format.FamilyContent, p.Shard, p.Of, p.Class, p.Slot), seqs)
}

// TakeTail is Take for what is not sealed.
func (w *Writer) TakeTail(b *pebble.Batch, seqs ...uint64) error {
	return w.take(b, format.AppendShard(nil, format.FamilyTailContent, w.shard), seqs)
}

// take puts an operand under the key of each block that may have some of the sequences.
func (w *Writer) take(b *pebble.Batch, prefix []byte, seqs []uint64) (err error) {
	it, err := w.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Error(), it.Close()) }()
	var bound []byte
	for len(seqs) > 0 {
		if bound = format.AppendBlockBound(bound[:0], prefix, seqs[0]); !it.SeekLT(bound) {
			seqs = seqs[1:]
			continue
		}
		key, n := bytes.Clone(it.Key()), len(seqs)
		if it.Next() { // the next block has those from its own first on
			n = sort.Search(n, func(i int) bool {
				bound = format.AppendBlockBound(bound[:0], prefix, seqs[i])
				return bytes.Compare(it.Key(), bound) < 0
			})
		}
		w.value = format.AppendTaken(w.value[:0], seqs[:n]...)
		if err := b.Merge(key, w.value, nil); err != nil {
			return err
		}
		seqs = seqs[n:]
	}
	return nil
}

// DeleteTail deletes the tail's contents up to a sequence: they are sealed.
func (w *Writer) DeleteTail(b *pebble.Batch, sequence uint64) error {
	return b.DeleteRange(format.AppendTailContentKey(nil, w.shard, 0),
		format.AppendTailContentKey(nil, w.shard, sequence+1), nil)
}
