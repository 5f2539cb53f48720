package format

import (
	"encoding/binary"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

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

// BlockWriter encodes blocks; it is scratch of one goroutine.
type BlockWriter struct{ pack packer }

// append appends actions of one account, sorted and each action once, as one block.
func (w *BlockWriter) append(dst []byte, actions []Action) []byte {
	w.pack.reset(blockColumns)
	p := w.pack.cols
	for i := 0; i < len(actions); {
		j := i + 1
		for j < len(actions) && actions[j].Ord == actions[i].Ord {
			j++
		}
		p[blockOrd] = append(p[blockOrd], uint64(actions[i].Ord))
		p[blockCount] = append(p[blockCount], uint64(j-i))
		i = j
	}
	for i := range actions {
		m := &actions[i]
		p[blockSeq] = append(p[blockSeq], m.Seq)
		p[blockTime] = append(p[blockTime], uint64(m.Time))
		p[blockBrand] = append(p[blockBrand], uint64(m.Brand))
		p[blockDef] = append(p[blockDef], uint64(m.Definition))
		p[blockPoints] = append(p[blockPoints], uint64(m.Points))
		p[blockService] = append(p[blockService], uint64(m.Service))
		p[blockFlags] = append(p[blockFlags], uint64(m.Flags))
		p[blockClass] = append(p[blockClass], uint64(m.Class))
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.AppendUvarint(dst, uint64(len(actions)))
	dst = binary.AppendUvarint(dst, uint64(len(p[blockOrd])))
	dst = w.pack.append(dst, blockColumns)
	k := len(dst)
	dst = slices.Grow(dst, 8*len(actions))[:k+8*len(actions)]
	for i := range actions {
		le.PutUint64(dst[k+8*i:], actions[i].Hash)
	}
	le.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

// AppendTimeline appends a value of t of one block.
func (w *BlockWriter) AppendTimeline(dst []byte, actions []Action) []byte {
	return w.append(append(dst, version1), actions)
}

// Block is a view of an encoded block; it shares the value's memory.
type Block struct {
	rows, members int
	cols          [blockColumns]column
	hash          []byte
	whole         []byte // the block's bytes, length included
}

// next cuts the first block off a value whose version was read.
func (b *Block) next(c *cursor, what string) error {
	if len(c.b) < 4 {
		return Damaged(what)
	}
	b.whole = c.take(uint64(le.Uint32(c.b)))
	if len(b.whole) < 4 {
		return Damaged(what)
	}
	in := cursor{b: b.whole[4:]}
	n, m := in.uvarint(), in.uvarint()
	if in.bad || n == 0 || m == 0 || m > n || n > uint64(len(in.b))/8 {
		return Damaged(what)
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
		return Damaged(what)
	}
	return nil
}

// Find gives the rows [lo, hi) of one member.
func (b *Block) Find(ord domain.Ordinal) (lo, hi int) {
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
func (b *Block) upTo(lo, i int) int {
	return lo + int(min(b.cols[blockCount].at(i), uint64(b.rows-lo)))
}

// HashAt is the activity id hash of the i-th row.
func (b *Block) HashAt(i int) uint64 { return le.Uint64(b.hash[8*i:]) }

// SeqAt is the sequence of the i-th row.
func (b *Block) SeqAt(i int) uint64 { return b.cols[blockSeq].at(i) }

// TimeAt is the time of the i-th row.
func (b *Block) TimeAt(i int) domain.Second { return domain.Second(b.cols[blockTime].at(i)) }

// Action is the i-th row, of a member, under the key of k.
func (b *Block) Action(i int, k AccountMonth, ord domain.Ordinal) Action {
	return Action{
		Hash: b.HashAt(i), Seq: b.cols[blockSeq].at(i), Time: uint32(b.cols[blockTime].at(i)), Account: k.Account, Ord: ord,
		Brand: domain.BrandID(b.cols[blockBrand].at(i)), Definition: domain.DefinitionID(b.cols[blockDef].at(i)),
		Points: uint16(b.cols[blockPoints].at(i)), Month: k.Month, Service: domain.Service(b.cols[blockService].at(i)),
		Flags: domain.Flags(b.cols[blockFlags].at(i)), Class: uint8(b.cols[blockClass].at(i)),
	}
}

// countsAddUp reports that the members' rows are all the rows.
func (b *Block) countsAddUp() bool {
	rows := 0
	for m := range b.members {
		n := b.cols[blockCount].at(m)
		if n > uint64(b.rows-rows) {
			return false
		}
		rows += int(n)
	}
	return rows == b.rows
}

// Each calls f for every row.
func (b *Block) Each(f func(i int, ord domain.Ordinal)) error {
	if !b.countsAddUp() {
		return Damaged("t")
	}
	i := 0
	for m := range b.members {
		ord := domain.Ordinal(b.cols[blockOrd].at(m))
		for range b.cols[blockCount].at(m) {
			f(i, ord)
			i++
		}
	}
	return nil
}

// EachBlock calls f with the blocks of a value of t.
func EachBlock(v []byte, f func(*Block) error) error {
	cur, err := openValue(v, "t", blocksErased)
	if err != nil {
		return err
	}
	if v[0] == blocksErased {
		cur.eachErased(func(domain.Ordinal) {})
		if cur.bad {
			return Damaged("t")
		}
	}
	var b Block
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

// AppendActions appends all actions of a value of t, under the key of k.
func AppendActions(dst []Action, v []byte, k AccountMonth) ([]Action, error) {
	err := EachBlock(v, func(b *Block) error {
		return b.Each(func(i int, ord domain.Ordinal) { dst = append(dst, b.Action(i, k, ord)) })
	})
	return dst, err
}

// AppendMemberActions appends the actions of one member.
func AppendMemberActions(dst []Action, v []byte, k AccountMonth, ord domain.Ordinal) ([]Action, error) {
	err := EachBlock(v, func(b *Block) error {
		for i, hi := b.Find(ord); i < hi; i++ {
			dst = append(dst, b.Action(i, k, ord))
		}
		return nil
	})
	return dst, err
}

// blockMerger joins values of t, without the rows of members who are erased. Blocks much smaller
// than the one before them are copied as they are; others become one. So a read that finds a large
// value and a few fresh ones copies, and a row is packed again O(log n) times however
// often the store rewrites it. Grouping decides the bytes, never the rows.
type blockMerger struct {
	blocks       []Block
	actions, tmp []Action
	ends         []int
	counts       []int // blocks of each group
	sizes        []int // rows of each group
	erased       []domain.Ordinal
	writer       BlockWriter
}

func (m *blockMerger) merge(dst []byte, operands [][]byte, base bool) ([]byte, error) {
	clear(m.blocks)
	m.blocks = m.blocks[:0]
	if err := m.readErased(operands); err != nil {
		return nil, err
	}
	for _, v := range operands {
		err := EachBlock(v, func(b *Block) error {
			if !b.countsAddUp() { // one that is copied as it is would not be read again
				return Damaged("t")
			}
			if len(m.erased) > 0 {
				return m.leaveOut(b)
			}
			m.blocks = append(m.blocks, *b)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(m.erased) > 0 && !base {
		dst = AppendErased(dst, m.erased)
	} else {
		dst = append(dst, version1)
	}
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
func (m *blockMerger) join(dst []byte, blocks []Block) ([]byte, error) {
	m.actions, m.ends = m.actions[:0], m.ends[:0]
	for i := range blocks {
		b := &blocks[i]
		err := b.Each(func(i int, ord domain.Ordinal) { m.actions = append(m.actions, b.Action(i, AccountMonth{}, ord)) })
		if err != nil {
			return nil, err
		}
		m.ends = append(m.ends, len(m.actions))
	}
	m.actions, m.tmp = mergeRuns(m.actions, m.tmp, m.ends, (*Action).Before)
	return m.writer.append(dst, Coalesce(m.actions)), nil
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
