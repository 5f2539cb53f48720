package storage

import (
	"slices"
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// pick calls f with the entries that an operand has of the rows, which order puts in order
// of sequence, and gives the last sequence that the operand has.
func (c *contentCodec) pick(v []byte, rows []domain.Row, order []int, f func(i int, e *entry) error) (last uint64, err error) {
	entries, cur, err := c.open(v)
	if err != nil || entries == 0 {
		return 0, err
	}
	if entries == 1 {
		e := singleEntry(&cur)
		if err := cur.close("C"); err != nil {
			return 0, err
		}
		for _, i := range order {
			if rows[i].Seq == e.seq {
				if err := f(i, &e); err != nil {
					return 0, err
				}
			}
		}
		return e.seq, nil
	}
	seqs, lens, at := &c.cols[contentSeq], &c.cols[contentLen], 0
	last = seqs.at(entries - 1)
	for _, i := range order {
		seq := rows[i].Seq
		if seq > last {
			break
		}
		to := at + sort.Search(min(entries-at, 8), func(j int) bool { return seqs.at(at+j) >= seq })
		if to == at+8 && to < entries { // the next one wanted is farther away
			to += sort.Search(entries-to, func(j int) bool { return seqs.at(to+j) >= seq })
		}
		if to == entries || seqs.at(to) != seq {
			continue
		}
		for ; at < to; at++ {
			cur.take(lens.at(at))
		}
		rest := cur
		e := entry{seq: seq, recorded: c.cols[contentRecorded].at(at), text: rest.take(lens.at(at))}
		if cur.bad || rest.bad {
			return 0, damaged("C")
		}
		if err := f(i, &e); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// contentTexts is what blocks of contents have, one after the other: their sequences, and
// their texts, which follow one another in bytes.
type contentTexts struct {
	seqs  []uint64
	lens  []uint64
	bytes []byte
}

func (t *contentTexts) reset() { t.seqs, t.lens, t.bytes = t.seqs[:0], t.lens[:0], t.bytes[:0] }

// appendTexts appends what an operand has.
func (c *contentCodec) appendTexts(t *contentTexts, v []byte) error {
	n, cur, err := c.open(v)
	if err != nil || n == 0 {
		return err
	}
	if n == 1 {
		e := singleEntry(&cur)
		t.seqs = append(t.seqs, e.seq)
		t.lens = append(t.lens, uint64(len(e.text)))
		t.bytes = append(t.bytes, e.text...)
		return cur.close("C")
	}
	k := len(t.seqs)
	t.seqs = slices.Grow(t.seqs, n)[:k+n]
	t.lens = slices.Grow(t.lens, n)[:k+n]
	c.cols[contentSeq].unpack(t.seqs[k:], 0)
	c.cols[contentLen].unpack(t.lens[k:], 0)
	if !fills(t.lens[k:], cur.b) {
		return damaged("C")
	}
	t.bytes = append(t.bytes, cur.b...)
	return nil
}

// words is the content alone, in the value's memory; nil: none.
func (e *entry) words() ([]byte, error) {
	if len(e.text) == 0 {
		return nil, nil
	}
	cur := cursor{b: e.text}
	mask := cur.byte()
	if mask&hasContent == 0 {
		return nil, nil
	}
	if mask&hasMarker != 0 {
		cur.take(cur.uvarint())
	}
	text := cur.take(cur.uvarint())
	if cur.bad {
		return nil, damaged("content")
	}
	return text, nil
}
