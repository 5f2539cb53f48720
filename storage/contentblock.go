package storage

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"
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
// it, begins a new one. Nothing hangs on where blocks begin but what is read for a row.

// blockBytes is how much a block has at most, unless one content alone has more. Ten rows,
// wherever they stand in a day, are less than 64 KiB.
const blockBytes = 6 << 10

// entryBytes is about what an entry takes beside its text.
const entryBytes = 8

// growing is a block that more is put into.
type growing struct {
	first uint64 // sequence
	bytes int
}

// blocks are the growing blocks of a shard by slot, those that were put last.
type blocks struct {
	young, old map[page]growing
}

// blocksMost is how many of them each half has.
const blocksMost = 1 << 15

func (b *blocks) get(p page) growing {
	if g, ok := b.young[p]; ok {
		return g
	}
	return b.old[p]
}

func (b *blocks) put(p page, g growing) {
	if b.young == nil || len(b.young) >= blocksMost {
		b.old, b.young = b.young, make(map[page]growing)
	}
	b.young[p] = g
}

// fitting is how many of the entries a block with so many bytes takes, and how many bytes
// it has then; an empty one takes one at least.
func (s *Shard) fitting(entries []entry, bytes int) (n, then int) {
	for n < len(entries) {
		size := len(entries[n].text) + entryBytes
		if bytes > 0 && bytes+size > s.store.opts.blockBytes {
			break
		}
		n, bytes = n+1, bytes+size
	}
	return n, bytes
}

// writeContents puts entries, whose sequences are above all of the slot, behind what there
// is.
func (s *Shard) writeContents(b *pebble.Batch, p page, entries []entry) error {
	g := s.blocks.get(p)
	for len(entries) > 0 {
		n, then := 0, 0
		if g.bytes > 0 {
			n, then = s.fitting(entries, g.bytes)
		}
		if n == 0 {
			g.first = entries[0].seq
			n, then = s.fitting(entries, 0)
		}
		g.bytes = then
		s.key = appendContentKey(s.key[:0], p, g.first)
		s.value = s.content.append(s.value[:0], nil, entries[:n])
		if err := b.Merge(s.key, s.value, nil); err != nil {
			return err
		}
		entries = entries[n:]
	}
	s.blocks.put(p, g)
	return nil
}

// writeTexts puts the contents of a commit into blocks of the tail.
func (s *Shard) writeTexts(b *pebble.Batch, entries []entry) error {
	for len(entries) > 0 {
		n, _ := s.fitting(entries, 0)
		s.key = appendTextKey(s.key[:0], s.id, entries[0].seq)
		s.value = s.content.append(s.value[:0], nil, entries[:n])
		if err := b.Merge(s.key, s.value, nil); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}

// takeContent takes the content of an action that counts no more out of its block, if it
// has any.
func (s *Shard) takeContent(b *pebble.Batch, p page, seq uint64) error {
	return s.takeFrom(b, appendRowKey(nil, familyContent, p.shard, p.of, p.class, p.slot), seq)
}

// dropText is takeContent for what is not sealed.
func (s *Shard) dropText(seq uint64) error {
	return s.takeFrom(s.open.batch, appendShard(nil, familyText, s.id), seq)
}

func (s *Shard) takeFrom(b *pebble.Batch, prefix []byte, seq uint64) error {
	key, err := blockOf(s.db, prefix, seq)
	if err != nil || key == nil {
		return err
	}
	s.value = appendTaken(s.value[:0], seq)
	return b.Merge(key, s.value, nil)
}

// blockOf is the key, of those with the prefix, of the block that has the sequence, if any
// has; nil: none can.
func blockOf(db pebble.Reader, prefix []byte, seq uint64) (key []byte, err error) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: be.AppendUint64(bytes.Clone(prefix), seq+1)})
	if err != nil {
		return nil, err
	}
	if it.Last() {
		key = bytes.Clone(it.Key())
	}
	return key, errors.Join(it.Error(), it.Close())
}
