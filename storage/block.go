package storage

import (
	"encoding/binary"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// mark is a row in its member's timeline: what t and T hold of an action. The same
// action may stand there more than once, each time with more flags: together they
// are one.
type mark struct {
	hash    uint64
	seq     uint64
	time    domain.Second
	account domain.AccountID // of the key
	ord     domain.Ordinal
	brand   domain.BrandID
	def     domain.DefinitionID
	points  uint16
	month   domain.Month // of time
	service domain.Service
	flags   domain.Flags
	class   uint8 // the width class of its rows in R and C, once it is sealed
}

// earlier orders marks as blocks hold them: member, time, arrival. Accounts come
// first where there are several.
func (m *mark) earlier(o *mark) bool {
	switch {
	case m.account != o.account:
		return m.account < o.account
	case m.ord != o.ord:
		return m.ord < o.ord
	case m.time != o.time:
		return m.time < o.time
	}
	return m.seq < o.seq
}

// same reports that both tell of one action.
func (m *mark) same(o *mark) bool {
	return m.seq == o.seq && m.time == o.time && m.ord == o.ord && m.account == o.account
}

// row is the mark as the language has it, of a member of slot.
func (m *mark) row(slot domain.Slot) domain.Row {
	return domain.Row{
		Hash: m.hash, Seq: m.seq, Account: m.account, Ord: m.ord, Time: m.time, Brand: m.brand, Definition: m.def,
		Points: m.points, Slot: slot, Service: m.service, Flags: m.flags,
	}
}

// bare is the action as R has it: without hash, slot and flags.
func (m *mark) bare() domain.Row {
	return domain.Row{Seq: m.seq, Account: m.account, Ord: m.ord, Time: m.time, Brand: m.brand, Definition: m.def, Points: m.points, Service: m.service}
}

// of is the brand's month that the mark's rows stand under.
func (m *mark) of() brandMonth { return brandMonth{m.account, m.brand, m.month} }

// together makes one of marks that tell of one action, which are neighbours.
func together(marks []mark) []mark {
	out := marks[:0]
	for i := range marks {
		if k := len(out); k > 0 && out[k-1].same(&marks[i]) {
			out[k-1].flags |= marks[i].flags
		} else {
			out = append(out, marks[i])
		}
	}
	return out
}

const (
	blockOrd   = iota // one entry a member
	blockCount        // one entry a member: rows of it
	blockSeq
	blockTime
	blockBrand
	blockDef
	blockPoints
	blockService
	blockFlags
	blockClass
	blockColumns
)

// blockWriter encodes blocks; it is scratch of one goroutine.
type blockWriter struct{ pack packer }

// append appends marks of one account, sorted and each action once, as one block.
func (w *blockWriter) append(dst []byte, marks []mark) []byte {
	w.pack.reset(blockColumns)
	p := w.pack.cols
	for i := 0; i < len(marks); {
		j := i + 1
		for j < len(marks) && marks[j].ord == marks[i].ord {
			j++
		}
		p[blockOrd] = append(p[blockOrd], uint64(marks[i].ord))
		p[blockCount] = append(p[blockCount], uint64(j-i))
		i = j
	}
	for i := range marks {
		m := &marks[i]
		p[blockSeq] = append(p[blockSeq], m.seq)
		p[blockTime] = append(p[blockTime], uint64(m.time))
		p[blockBrand] = append(p[blockBrand], uint64(m.brand))
		p[blockDef] = append(p[blockDef], uint64(m.def))
		p[blockPoints] = append(p[blockPoints], uint64(m.points))
		p[blockService] = append(p[blockService], uint64(m.service))
		p[blockFlags] = append(p[blockFlags], uint64(m.flags))
		p[blockClass] = append(p[blockClass], uint64(m.class))
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.AppendUvarint(dst, uint64(len(marks)))
	dst = binary.AppendUvarint(dst, uint64(len(p[blockOrd])))
	dst = w.pack.append(dst, blockColumns)
	k := len(dst)
	dst = slices.Grow(dst, 8*len(marks))[:k+8*len(marks)]
	for i := range marks {
		le.PutUint64(dst[k+8*i:], marks[i].hash)
	}
	le.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

// appendLine appends a value of t of one block.
func (w *blockWriter) appendLine(dst []byte, marks []mark) []byte {
	return w.append(append(dst, version1), marks)
}

// block is a view of an encoded block; it shares the value's memory.
type block struct {
	rows, members int
	cols          [blockColumns]column
	hash          []byte
	whole         []byte // the block's bytes, length included
}

// next cuts the first block off a value whose version was read.
func (b *block) next(c *cursor, what string) error {
	if len(c.b) < 4 {
		return damaged(what)
	}
	b.whole = c.take(uint64(le.Uint32(c.b)))
	if len(b.whole) < 4 {
		return damaged(what)
	}
	in := cursor{b: b.whole[4:]}
	n, m := in.uvarint(), in.uvarint()
	if in.bad || n == 0 || m == 0 || m > n || n > uint64(len(in.b))/8 {
		return damaged(what)
	}
	b.rows, b.members = int(n), int(m)
	in.columns(b.cols[:], func(i int) int {
		if i <= blockCount {
			return b.members
		}
		return b.rows
	})
	b.hash = in.take(8 * n)
	if in.close(what) != nil {
		return damaged(what)
	}
	return nil
}

// find gives the rows [lo, hi) of one member.
func (b *block) find(ord domain.Ordinal) (lo, hi int) {
	l, h := 0, b.members
	for l < h {
		m := (l + h) / 2
		if domain.Ordinal(b.cols[blockOrd].at(m)) < ord {
			l = m + 1
		} else {
			h = m
		}
	}
	if l == b.members || domain.Ordinal(b.cols[blockOrd].at(l)) != ord {
		return 0, 0
	}
	for i := range l {
		lo = b.upTo(lo, i)
	}
	return lo, b.upTo(lo, l)
}

// upTo is where the rows of the i-th member end that begin at lo.
func (b *block) upTo(lo, i int) int {
	return lo + int(min(b.cols[blockCount].at(i), uint64(b.rows-lo)))
}

func (b *block) hashAt(i int) uint64 { return le.Uint64(b.hash[8*i:]) }

func (b *block) seqAt(i int) uint64 { return b.cols[blockSeq].at(i) }

func (b *block) timeAt(i int) domain.Second { return domain.Second(b.cols[blockTime].at(i)) }

func (b *block) mark(i int, k accountMonth, ord domain.Ordinal) mark {
	return mark{
		hash: b.hashAt(i), seq: b.cols[blockSeq].at(i), time: uint32(b.cols[blockTime].at(i)), account: k.account, ord: ord,
		brand: domain.BrandID(b.cols[blockBrand].at(i)), def: domain.DefinitionID(b.cols[blockDef].at(i)),
		points: uint16(b.cols[blockPoints].at(i)), month: k.month, service: domain.Service(b.cols[blockService].at(i)),
		flags: domain.Flags(b.cols[blockFlags].at(i)), class: uint8(b.cols[blockClass].at(i)),
	}
}

// each calls f for every row.
func (b *block) each(f func(i int, ord domain.Ordinal)) error {
	lo := 0
	for m := range b.members {
		n := b.cols[blockCount].at(m)
		if n > uint64(b.rows-lo) {
			return damaged("t")
		}
		ord := domain.Ordinal(b.cols[blockOrd].at(m))
		for i := range int(n) {
			f(lo+i, ord)
		}
		lo += int(n)
	}
	if lo != b.rows {
		return damaged("t")
	}
	return nil
}

// eachBlock calls f with the blocks of a value of t.
func eachBlock(v []byte, f func(*block) error) error {
	cur, err := openValue(v, "t")
	if err != nil {
		return err
	}
	var b block
	for len(cur.b) > 0 {
		if err := b.next(&cur, "t"); err != nil {
			return err
		}
		if err := f(&b); err != nil {
			return err
		}
	}
	return nil
}

// appendMarks appends all marks of a value of t whose key names k.
func appendMarks(dst []mark, v []byte, k accountMonth) ([]mark, error) {
	err := eachBlock(v, func(b *block) error {
		return b.each(func(i int, ord domain.Ordinal) { dst = append(dst, b.mark(i, k, ord)) })
	})
	return dst, err
}

// appendMember appends the marks of one member.
func appendMember(dst []mark, v []byte, k accountMonth, ord domain.Ordinal) ([]mark, error) {
	err := eachBlock(v, func(b *block) error {
		for i, hi := b.find(ord); i < hi; i++ {
			dst = append(dst, b.mark(i, k, ord))
		}
		return nil
	})
	return dst, err
}

// blockMerger joins values of t. Blocks much smaller than the one before them stand
// beside it, copied as they are; others become one. So a read that finds a large
// value and a few fresh ones copies, and a row is packed anew O(log n) times however
// often the store rewrites it. Grouping decides the bytes, never the rows.
type blockMerger struct {
	blocks     []block
	marks, tmp []mark
	ends       []int
	counts     []int // blocks of each group
	sizes      []int // rows of each group
	writer     blockWriter
}

func (m *blockMerger) merge(dst []byte, operands [][]byte) ([]byte, error) {
	clear(m.blocks)
	m.blocks = m.blocks[:0]
	for _, v := range operands {
		err := eachBlock(v, func(b *block) error {
			m.blocks = append(m.blocks, *b)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	dst = append(dst, version1)
	m.group()
	blocks := m.blocks
	for _, n := range m.counts {
		var err error
		if n == 1 {
			dst = append(dst, blocks[0].whole...)
		} else if dst, err = m.join(dst, blocks[:n]); err != nil {
			return nil, err
		}
		blocks = blocks[n:]
	}
	return dst, nil
}

// join appends blocks as one.
func (m *blockMerger) join(dst []byte, blocks []block) ([]byte, error) {
	m.marks, m.ends = m.marks[:0], m.ends[:0]
	for i := range blocks {
		b := &blocks[i]
		err := b.each(func(i int, ord domain.Ordinal) { m.marks = append(m.marks, b.mark(i, accountMonth{}, ord)) })
		if err != nil {
			return nil, err
		}
		m.ends = append(m.ends, len(m.marks))
	}
	m.marks, m.tmp = mergeRuns(m.marks, m.tmp, m.ends, (*mark).earlier)
	return m.writer.append(dst, together(m.marks)), nil
}

// group says how many neighbouring blocks become one each: a block joins what is
// before it unless it is smaller.
func (m *blockMerger) group() {
	m.counts, m.sizes = m.counts[:0], m.sizes[:0]
	for i := range m.blocks {
		m.counts, m.sizes = append(m.counts, 1), append(m.sizes, m.blocks[i].rows)
		for k := len(m.sizes) - 1; k > 0 && m.sizes[k] >= m.sizes[k-1]; k-- {
			m.sizes[k-1] += m.sizes[k]
			m.counts[k-1] += m.counts[k]
			m.sizes, m.counts = m.sizes[:k], m.counts[:k]
		}
	}
}
