package storage

import (
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What an audit walks over: rows and contents by brand's month, marks by account's month,
// stored ones and those of the tail, in the order of the keys. It holds one value, what
// the tail has, and of an account's month the actions that count no more.

// item is one action in the eyes of an audit: what is stored of it, as a hash.
type item struct {
	seq uint64
	sum facts
}

// walk calls f with the items of one section after the other, a section's in one call or
// several, in the order of (month, account, brand). With a section it is that one alone.
type walk func(only *brandMonth, f func(k brandMonth, items []item) error) error

// eachMark calls f once with every action there ever was, with all its flags, account's
// month by account's month; of one only, if it is given. Of an action that stands more
// than once, and differs in more than flags, it is called with each.
func (a *Audit) eachMark(only *accountMonth, f func(k accountMonth, m *mark) error) error {
	w := lineWalk{audit: a, tail: map[accountMonth][]mark{}, f: f}
	marks, err := a.tailMarks()
	if err != nil {
		return err
	}
	for _, m := range marks {
		k := accountMonth{m.account, m.month}
		if only == nil || *only == k {
			w.tail[k] = append(w.tail[k], m)
		}
	}
	w.order = slices.SortedFunc(maps.Keys(w.tail), accountMonth.compare)
	if only != nil {
		w.begin(*only)
		if err := scanPrefix(a.db, linePrefix(a.shard, *only), w.flagged); err != nil {
			return err
		}
	} else if err := scanMonths(a.db, familyLine, a.shard, 0, 1<<16-1, w.flagged); err != nil {
		return err
	}
	if w.any {
		if err := w.emit(w.k); err != nil {
			return err
		}
	}
	return w.upTo(nil)
}

// lineWalk is a walk over t and T: of each account's month first what flags there are,
// then the marks.
type lineWalk struct {
	audit *Audit
	tail  map[accountMonth][]mark
	order []accountMonth // of the tail, not yet walked over
	f     func(k accountMonth, m *mark) error

	k     accountMonth
	any   bool
	dead  map[uint64]domain.Flags // of the month's actions that count no more
	marks []mark
}

func (w *lineWalk) begin(k accountMonth) { w.k, w.any, w.dead = k, true, map[uint64]domain.Flags{} }

// flagged takes a value of t.
func (w *lineWalk) flagged(key, v []byte) error {
	k, _, err := parseLineKey(key)
	if err != nil {
		return err
	}
	if !w.any || k != w.k {
		if w.any {
			if err := w.emit(w.k); err != nil {
				return err
			}
		}
		if err := w.upTo(&k); err != nil {
			return err
		}
		w.begin(k)
	}
	return w.gather(v)
}

func (w *lineWalk) gather(v []byte) (err error) {
	if err := w.audit.read(len(v)); err != nil {
		return err
	}
	if w.marks, err = appendMarks(w.marks[:0], v, w.k); err != nil {
		return err
	}
	for i := range w.marks {
		if m := &w.marks[i]; m.flags.Dead() {
			w.dead[m.seq] |= m.flags
		}
	}
	return nil
}

// upTo walks over the months of the tail before k that t has none of; nil: over all.
func (w *lineWalk) upTo(k *accountMonth) error {
	for len(w.order) > 0 && (k == nil || w.order[0].compare(*k) < 0) {
		w.begin(w.order[0])
		if err := w.emit(w.order[0]); err != nil {
			return err
		}
	}
	w.any = false
	return nil
}

// emit calls f with the marks of a month.
func (w *lineWalk) emit(k accountMonth) error {
	if len(w.order) > 0 && w.order[0] == k {
		w.order = w.order[1:]
	}
	tail := w.tail[k]
	for i := range tail {
		if m := &tail[i]; m.flags.Dead() {
			w.dead[m.seq] |= m.flags
		}
	}
	told := map[uint64]facts{}
	each := func(marks []mark) error {
		for i := range marks {
			m := &marks[i]
			if flags, dead := w.dead[m.seq]; dead {
				m.flags |= flags
				sum := markItem(m).sum
				if first, again := told[m.seq]; again && first == sum {
					continue
				}
				told[m.seq] = sum
			}
			if err := w.f(k, m); err != nil {
				return err
			}
		}
		return nil
	}
	err := scanPrefix(w.audit.db, linePrefix(w.audit.shard, k), func(_, v []byte) (err error) {
		if err := w.audit.read(len(v)); err != nil {
			return err
		}
		if w.marks, err = appendMarks(w.marks[:0], v, k); err != nil {
			return err
		}
		return each(w.marks)
	})
	if err != nil {
		return err
	}
	return each(tail)
}

// tailMarks are the marks of T, in order of arrival.
func (a *Audit) tailMarks() (marks []mark, err error) {
	err = a.scan(familyTail, func(_, v []byte) (err error) {
		marks, err = decodeTail(marks, v)
		return err
	})
	return marks, err
}

// section is items of one section that are not sealed.
type section struct {
	k     brandMonth
	items []item
}

// sections walks over the keys of R or C and the sections of the tail, which are in
// order. Items appends those of a value.
func (a *Audit) sections(family byte, only *brandMonth, tail []section, items func(dst []item, k brandMonth, v []byte) ([]item, error),
	f func(k brandMonth, items []item) error,
) error {
	var scratch []item
	before := func(k *brandMonth) error {
		for len(tail) > 0 && (k == nil || tail[0].k.compare(*k) < 0) {
			if only == nil || *only == tail[0].k {
				if err := f(tail[0].k, tail[0].items); err != nil {
					return err
				}
			}
			tail = tail[1:]
		}
		return nil
	}
	take := func(key, v []byte) (err error) {
		p, err := parseRowKey(key)
		if err != nil {
			return err
		}
		k := p.of
		if err := a.read(len(v)); err != nil {
			return err
		}
		if err := before(&k); err != nil {
			return err
		}
		if scratch, err = items(scratch[:0], k, v); err != nil {
			return err
		}
		return f(k, scratch)
	}
	var err error
	if only != nil {
		key := appendRowKey(nil, family, a.shard, *only, 0, 0)
		err = scanPrefix(a.db, key[:len(key)-3], take)
	} else {
		err = scanMonths(a.db, family, a.shard, 0, 1<<16-1, take)
	}
	if err != nil {
		return err
	}
	return before(nil)
}

// rows walks over R.
func (a *Audit) rows(only *brandMonth, f func(k brandMonth, items []item) error) error {
	marks, err := a.tailMarks()
	if err != nil {
		return err
	}
	var tail []section
	unsealed(marks, func(k brandMonth, rows []domain.Row) {
		s := section{k: k}
		for i := range rows {
			r := &rows[i]
			s.items = append(s.items, rowItem(k, &action{r.Seq, r.Time, r.Ord, r.Definition, r.Points, r.Service}))
		}
		tail = append(tail, s)
	})
	var codec rowCodec
	return a.sections(familyRows, only, tail, func(dst []item, k brandMonth, v []byte) ([]item, error) {
		if err := codec.whole(v); err != nil {
			return dst, err
		}
		for i := range codec.rows {
			dst = append(dst, rowItem(k, &codec.rows[i]))
		}
		return dst, nil
	}, f)
}

// contents walks over C.
func (a *Audit) contents(only *brandMonth, f func(k brandMonth, items []item) error) error {
	tail, err := a.tailContents()
	if err != nil {
		return err
	}
	var codec contentCodec
	return a.sections(familyContent, only, tail, func(dst []item, _ brandMonth, v []byte) ([]item, error) {
		codec.reset()
		if err := codec.decode(v); err != nil {
			return dst, err
		}
		for i := range codec.entries {
			dst = append(dst, contentItem(&codec.entries[i]))
		}
		return dst, nil
	}, f)
}

// tailContents are the contents of c by the sections of their rows.
func (a *Audit) tailContents() ([]section, error) {
	marks, err := a.tailMarks()
	if err != nil {
		return nil, err
	}
	of := make(map[uint64]brandMonth, len(marks))
	for i := range marks {
		of[marks[i].seq] = marks[i].of()
	}
	found := map[brandMonth][]item{}
	var codec contentCodec
	err = a.scan(familyText, func(_, v []byte) error {
		codec.reset()
		if err := codec.decode(v); err != nil {
			return err
		}
		for i := range codec.entries {
			e := &codec.entries[i]
			k, known := of[e.seq]
			if !known {
				return damaged("c")
			}
			found[k] = append(found[k], contentItem(e))
		}
		return nil
	})
	var tail []section
	for _, k := range slices.SortedFunc(maps.Keys(found), brandMonth.compare) {
		tail = append(tail, section{k, found[k]})
	}
	return tail, err
}

// marks walks over t; its sections have no brand.
func (a *Audit) marks(only *brandMonth, f func(k brandMonth, items []item) error) error {
	return a.lines(only, f, func(m *mark) (item, bool) { return markItem(m), true })
}

// living walks over the actions of t that count, as rows: over its sections, too.
func (a *Audit) living(only *brandMonth, f func(k brandMonth, items []item) error) error {
	return a.lines(only, f, func(m *mark) (item, bool) {
		return rowItem(m.of(), &action{m.seq, m.time, m.ord, m.def, m.points, m.service}), !m.flags.Dead()
	})
}

func (a *Audit) lines(only *brandMonth, f func(k brandMonth, items []item) error, of func(m *mark) (item, bool)) error {
	var within *accountMonth
	if only != nil {
		within = &accountMonth{only.account, only.month}
	}
	one := make([]item, 1)
	return a.eachMark(within, func(k accountMonth, m *mark) error {
		i, there := of(m)
		if !there {
			return nil
		}
		one[0] = i
		return f(brandMonth{account: k.account, month: k.month}, one)
	})
}

// accountRows walks over R by account's month, as living does over t.
func (a *Audit) accountRows(only *brandMonth, f func(k brandMonth, items []item) error) error {
	return a.rows(nil, func(k brandMonth, items []item) error {
		k.brand = 0
		if only != nil && *only != k {
			return nil
		}
		return f(k, items)
	})
}

func rowItem(k brandMonth, r *action) item {
	var b [35]byte
	be.PutUint64(b[:], r.seq)
	be.PutUint32(b[8:], r.time)
	be.PutUint32(b[12:], uint32(r.ord))
	be.PutUint32(b[16:], uint32(r.def))
	be.PutUint16(b[20:], r.points)
	b[22] = byte(r.service)
	be.PutUint32(b[23:], uint32(k.account))
	be.PutUint32(b[27:], uint32(k.brand))
	be.PutUint16(b[31:], uint16(k.month))
	return item{r.seq, factOf(b[:33])}
}

func contentItem(e *entry) item {
	b := be.AppendUint64(be.AppendUint64(make([]byte, 0, 16+len(e.text)), e.seq), e.recorded)
	return item{e.seq, factOf(append(b, e.text...))}
}

func markItem(m *mark) item {
	i := rowItem(m.of(), &action{m.seq, m.time, m.ord, m.def, m.points, m.service})
	var b [25]byte
	sum := i.sum.bytes()
	copy(b[:], sum[:])
	b[16] = byte(m.flags)
	be.PutUint64(b[17:], m.hash)
	return item{m.seq, factOf(b[:])}
}
