package format

import (
	"encoding/binary"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// blocksErased is the version of a value of t that also says whose older rows are erased: of a
// member who is erased no newer ones come.
const blocksErased = 2

// AppendErased appends the head of a value of t that erases members, whose ordinals ascend.
func AppendErased(dst []byte, erased []domain.Ordinal) []byte {
	dst = binary.AppendUvarint(append(dst, blocksErased), uint64(len(erased)))
	last := domain.Ordinal(0)
	for _, ord := range erased {
		dst = binary.AppendUvarint(dst, uint64(ord-last))
		last = ord
	}
	return dst
}

// eachErased reads what AppendErased appends after the version.
func (c *cursor) eachErased(f func(domain.Ordinal)) {
	ord := uint64(0)
	for range c.count(1<<63, 1) {
		ord += c.uvarint()
		if c.bad || ord > 1<<32-1 {
			c.fail()
			return
		}
		f(domain.Ordinal(ord))
	}
}

// readErased reads whom the operands erase.
func (m *blockMerger) readErased(operands [][]byte) error {
	m.erased = m.erased[:0]
	for _, v := range operands {
		cur, err := openValue(v, "t", blocksErased)
		if err != nil {
			return err
		}
		if v[0] != blocksErased {
			continue
		}
		cur.eachErased(func(ord domain.Ordinal) { m.erased = append(m.erased, ord) })
		if cur.bad {
			return Damaged("t")
		}
	}
	slices.Sort(m.erased)
	m.erased = slices.Compact(m.erased)
	return nil
}

// leaveOut takes a block without the rows of members who are erased.
func (m *blockMerger) leaveOut(b *Block) error {
	if !slices.ContainsFunc(m.erased, func(ord domain.Ordinal) bool { lo, hi := b.Find(ord); return lo < hi }) {
		m.blocks = append(m.blocks, *b)
		return nil
	}
	m.actions = m.actions[:0]
	err := b.Each(func(i int, ord domain.Ordinal) {
		if _, erased := slices.BinarySearch(m.erased, ord); !erased {
			m.actions = append(m.actions, b.Action(i, AccountMonth{}, ord))
		}
	})
	if err != nil || len(m.actions) == 0 {
		return err
	}
	return EachBlock(m.writer.append([]byte{version1}, m.actions), func(rest *Block) error {
		m.blocks = append(m.blocks, *rest)
		return nil
	})
}
