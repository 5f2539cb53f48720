package format

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// Merger puts the operands of one key together, by the family of the key. It is the
// sealing job of the whole store: Pebble calls it when it reads, flushes and
// compacts. Its name is in every store's options and never changes; what changes is
// the version byte of the values.
var Merger = &pebble.Merger{
	Name: "ovation",
	Merge: func(key, value []byte) (pebble.ValueMerger, error) {
		if len(key) == 0 {
			return nil, Damaged("key")
		}
		m := operandPool.Get().(*operands)
		m.family, m.buf, m.newer, m.older = key[0], m.buf[:0], m.newer[:0], m.older[:0]
		return m, m.MergeNewer(value)
	},
}

// operands gathers the operands of one key. The result is its memory, given back by
// Close.
type operands struct {
	family byte
	buf    []byte
	newer  []span // oldest first
	older  []span // newest first
	list   [][]byte
	out    []byte
}

type span struct{ from, to int }

var operandPool = sync.Pool{New: func() any { return new(operands) }}

// operandsRetained bounds the memory that is kept for the next merge: an hour's rows
// of a brand are a few megabytes.
const operandsRetained = 8 << 20

// Close ends the use of what Finish gave.
func (m *operands) Close() error {
	if cap(m.buf)+cap(m.out) <= operandsRetained {
		operandPool.Put(m)
	}
	return nil
}

// MergeNewer takes an operand newer than all before.
func (m *operands) MergeNewer(v []byte) error {
	m.newer = append(m.newer, m.keep(v))
	return nil
}

// MergeOlder takes an operand older than all before.
func (m *operands) MergeOlder(v []byte) error {
	m.older = append(m.older, m.keep(v))
	return nil
}

func (m *operands) keep(v []byte) span {
	m.buf = append(m.buf, v...)
	return span{len(m.buf) - len(v), len(m.buf)}
}

// Finish gives the value. A single operand stays as it is: readers pass over what
// concerns older ones.
func (m *operands) Finish(base bool) ([]byte, io.Closer, error) {
	if len(m.older)+len(m.newer) == 1 {
		return m.buf, m, nil
	}
	m.list = m.list[:0]
	for _, s := range slices.Backward(m.older) {
		m.list = append(m.list, m.buf[s.from:s.to])
	}
	for _, s := range m.newer {
		m.list = append(m.list, m.buf[s.from:s.to])
	}
	v, err := mergeValues(m.family, m.out[:0], m.list, base)
	if err != nil {
		return nil, nil, err
	}
	m.out = v
	return v, m, nil
}

// mergeScratch is one goroutine's memory for merging. Everything in it is emptied
// before it is used.
type mergeScratch struct {
	rows    RowCodec
	content ContentCodec
	blocks  blockMerger
	bits    BitCodec
	columns ColumnCodec
	counts  []Tally
}

var mergeScratches = sync.Pool{New: func() any { return new(mergeScratch) }}

// mergeValues puts operands of a family together, oldest first; base: none is older.
// The rows, bits and numbers of the result do not depend on how operands were put
// together before.
func mergeValues(family byte, dst []byte, list [][]byte, base bool) ([]byte, error) {
	s := mergeScratches.Get().(*mergeScratch)
	defer mergeScratches.Put(s)
	switch family {
	case FamilyRows:
		return s.rows.merge(dst, list, base)
	case FamilyContent, FamilyTailContent:
		return s.content.merge(dst, list, base)
	case FamilyTimeline:
		return s.blocks.merge(dst, list, base)
	case FamilyCounts:
		return s.mergeCounts(dst, list, base)
	case FamilyBits:
		return s.bits.merge(dst, list, base)
	case FamilyColumn:
		return s.columns.merge(dst, list, base)
	case FamilyUsage:
		return mergeUsage(dst, list)
	}
	return nil, fmt.Errorf("storage: merge of a key of family %q: %w", family, ErrDamaged)
}

// AppendCanonical appends one form of what values of equal meaning say. A value that cannot
// be read is appended as it is: it differs from one that can.
func AppendCanonical(dst []byte, family byte, v []byte) []byte {
	s := mergeScratches.Get().(*mergeScratch)
	defer mergeScratches.Put(s)
	switch family {
	case FamilyBits:
		if s.bits.decode(v) == nil {
			return s.bits.newSet.append(dst)
		}
	case FamilyColumn:
		s.columns.reset()
		if s.columns.decode(v) == nil {
			return s.columns.append(dst, true)
		}
	}
	return append(dst, v...)
}
