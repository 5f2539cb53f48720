package storage

import (
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Near looks for something in stored bytes, in which contents stand one behind the other
// among other things: of a text it gives what tells, for a place, where from there on the
// first may begin of what is looked for; −1: nowhere. It may err on that side only.
type Near = func(text []byte) (next func(from int) int)

// Search calls f with the contents that near does not rule out, of a brand's actions at
// the range's times, in any order; of others, too, so that the caller must know its own
// by their sequence. A content is f's only until it returns. Nothing is done for an action
// but where near stops: 20 times less than Says, where most actions are wanted.
func (s *Snapshot) Search(account domain.AccountID, brand domain.BrandID, r domain.Range, near Near, f func(seq uint64, content []byte)) error {
	if r.To <= r.From {
		return nil
	}
	x := &search{near: near, f: f}
	err := scanPrefix(s.db, appendShard(nil, familyText, s.shard), func(_, v []byte) error { return x.value(v) })
	if err != nil {
		return err
	}
	ts, err := s.tallies(account, brand)
	if err != nil {
		return err
	}
	for _, t := range ts {
		k := brandMonth{account, brand, t.month}
		start, end := k.month.Start(), (k.month + 1).Start()
		if start >= r.To || end <= r.From {
			continue
		}
		first, last := slotOf(t.class, start, max(r.From, start)), slotOf(t.class, start, min(r.To, end)-1)
		from := appendRowKey(nil, familyContent, s.shard, k, t.class, first)
		to := after(appendRowKey(nil, familyContent, s.shard, k, t.class, last))
		if err := scan(s.db, from, to, func(_, v []byte) (bool, error) { return true, x.value(v) }); err != nil {
			return err
		}
	}
	return nil
}

// search is the scratch of Search.
type search struct {
	codec contentCodec
	near  Near
	f     func(seq uint64, content []byte)
}

// value looks through a value of c or C.
func (x *search) value(v []byte) error {
	n, cur, err := x.codec.open(v)
	if err != nil || n == 0 {
		return err
	}
	if n == 1 {
		e := singleEntry(&cur)
		if x.near(e.text)(0) >= 0 {
			err = x.give(&e)
		}
		return errors.Join(err, cur.close("C"))
	}
	texts, cols := cur.b, &x.codec.cols
	next := x.near(texts)
	for i, from := 0, 0; i < n; {
		at := next(from)
		if at < 0 {
			return nil
		}
		size := int(cols[contentLen].at(i))
		for from+size <= at && i+1 < n {
			from, i = from+size, i+1
			size = int(cols[contentLen].at(i))
		}
		if size > len(texts)-from {
			return damaged("C")
		}
		if from+size > at {
			e := entry{seq: cols[contentSeq].at(i), text: texts[from : from+size]}
			if err := x.give(&e); err != nil {
				return err
			}
		}
		from, i = from+size, i+1
	}
	return nil
}

func (x *search) give(e *entry) error {
	content, err := e.words()
	if err == nil && content != nil {
		x.f(e.seq, content)
	}
	return err
}
