package format

import (
	"slices"
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Find calls f with the entries that an operand has of the rows, which order puts in order
// of sequence, and gives the last sequence that the operand has.
func (c *ContentCodec) Find(
	v []byte, rows []domain.Row, order []int, f func(i int, e *Entry) error,
) (last uint64, err error) {
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
			if rows[i].Seq == e.Seq {
				if err := f(i, &e); err != nil {
					return 0, err
				}
			}
		}
		return e.Seq, nil
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
		e := Entry{Seq: seq, Recorded: c.cols[contentRecorded].at(at), Text: rest.take(lens.at(at))}
		if cur.bad || rest.bad {
			return 0, Damaged("C")
		}
		if err := f(i, &e); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// ContentTexts is what blocks of contents have, one after the other: their sequences, and
// their texts, which follow one another in bytes.
type ContentTexts struct {
	Seqs  []uint64
	Lens  []uint64
	Bytes []byte
}

// Reset empties it for another slot.
func (t *ContentTexts) Reset() { t.Seqs, t.Lens, t.Bytes = t.Seqs[:0], t.Lens[:0], t.Bytes[:0] }

// AppendTexts appends what an operand has.
func (c *ContentCodec) AppendTexts(t *ContentTexts, v []byte) error {
	n, cur, err := c.open(v)
	if err != nil || n == 0 {
		return err
	}
	if n == 1 {
		e := singleEntry(&cur)
		t.Seqs = append(t.Seqs, e.Seq)
		t.Lens = append(t.Lens, uint64(len(e.Text)))
		t.Bytes = append(t.Bytes, e.Text...)
		return cur.close("C")
	}
	k := len(t.Seqs)
	t.Seqs = slices.Grow(t.Seqs, n)[:k+n]
	t.Lens = slices.Grow(t.Lens, n)[:k+n]
	c.cols[contentSeq].unpack(t.Seqs[k:], 0)
	c.cols[contentLen].unpack(t.Lens[k:], 0)
	if !fills(t.Lens[k:], cur.b) {
		return Damaged("C")
	}
	t.Bytes = append(t.Bytes, cur.b...)
	return nil
}

// Content is the content alone, in the value's memory; nil: none.
func (e *Entry) Content() ([]byte, error) {
	if len(e.Text) == 0 {
		return nil, nil
	}
	cur := cursor{b: e.Text}
	mask := cur.byte()
	if mask&hasContent == 0 {
		return nil, nil
	}
	if mask&hasMarker != 0 {
		cur.take(cur.uvarint())
	}
	text := cur.take(cur.uvarint())
	if cur.bad {
		return nil, Damaged("content")
	}
	return text, nil
}
