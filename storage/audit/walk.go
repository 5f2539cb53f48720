package audit

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// What an audit reads: rows and contents by brand's month, actions by account's month,
// stored ones and those of the tail, in the order of the keys. It holds one value, what
// the tail has, and of an account's month the actions that count no more.

// item is one action in the eyes of an audit: what is stored of it, as a hash.
type item struct {
	seq uint64
	sum format.StateHash
}

// walk calls f with the items of one section after the other, a section's in one call or
// several, in the order of (month, account, brand). With a section it is that one alone.
type walk func(only *format.BrandMonth, f func(k format.BrandMonth, items []item) error) error

// eachAction calls f once with every action there ever was, with all its flags, account's
// month by account's month; of one only, if it is given. For an action that is stored more
// than once, with differences in more than flags, f is called with each version.
func (a *Audit) eachAction(only *format.AccountMonth, f func(k format.AccountMonth, m *format.Action) error) error {
	w := timelineWalk{audit: a, tail: map[format.AccountMonth][]format.Action{}, f: f}
	actions, err := a.tailActions()
	if err != nil {
		return err
	}
	for _, m := range actions {
		k := format.AccountMonth{Account: m.Account, Month: m.Month}
		if only == nil || *only == k {
			w.tail[k] = append(w.tail[k], m)
		}
	}
	w.order = slices.SortedFunc(maps.Keys(w.tail), format.AccountMonth.Compare)
	if only != nil {
		w.begin(*only)
		if err := scan.Prefix(a.db, format.TimelinePrefix(a.shard, *only), w.flagged); err != nil {
			return err
		}
	} else if err := scan.Months(a.db, format.FamilyTimeline, a.shard, 0, 1<<16-1, w.flagged); err != nil {
		return err
	}
	if w.any {
		if err := w.emit(w.k); err != nil {
			return err
		}
	}
	return w.upTo(nil)
}

// timelineWalk is a walk over t and T: of each account's month first what flags there are,
// then the actions.
type timelineWalk struct {
	audit *Audit
	tail  map[format.AccountMonth][]format.Action
	order []format.AccountMonth // of the tail, not yet walked over
	f     func(k format.AccountMonth, m *format.Action) error

	k       format.AccountMonth
	any     bool
	dead    map[uint64]domain.Flags // of the month's actions that count no more
	actions []format.Action
}

func (w *timelineWalk) begin(k format.AccountMonth) {
	w.k, w.any, w.dead = k, true, map[uint64]domain.Flags{}
}

// flagged takes a value of t.
func (w *timelineWalk) flagged(key, v []byte) error {
	k, _, err := format.ParseTimelineKey(key)
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

func (w *timelineWalk) gather(v []byte) (err error) {
	if err := w.audit.read(len(v)); err != nil {
		return err
	}
	if w.actions, err = format.AppendActions(w.actions[:0], v, w.k); err != nil {
		return err
	}
	for i := range w.actions {
		if m := &w.actions[i]; m.Flags.Dead() {
			w.dead[m.Seq] |= m.Flags
		}
	}
	return nil
}

// upTo walks over the months of the tail before k that t has none of; nil: over all.
func (w *timelineWalk) upTo(k *format.AccountMonth) error {
	for len(w.order) > 0 && (k == nil || w.order[0].Compare(*k) < 0) {
		w.begin(w.order[0])
		if err := w.emit(w.order[0]); err != nil {
			return err
		}
	}
	w.any = false
	return nil
}

// emit calls f with the actions of a month.
func (w *timelineWalk) emit(k format.AccountMonth) error {
	if len(w.order) > 0 && w.order[0] == k {
		w.order = w.order[1:]
	}
	tail := w.tail[k]
	for i := range tail {
		if m := &tail[i]; m.Flags.Dead() {
			w.dead[m.Seq] |= m.Flags
		}
	}
	told := map[uint64]format.StateHash{}
	each := func(actions []format.Action) error {
		for i := range actions {
			m := &actions[i]
			if flags, dead := w.dead[m.Seq]; dead {
				m.Flags |= flags
				sum := actionItem(m).sum
				if first, again := told[m.Seq]; again && first == sum {
					continue
				}
				told[m.Seq] = sum
			}
			if err := w.f(k, m); err != nil {
				return err
			}
		}
		return nil
	}
	err := scan.Prefix(w.audit.db, format.TimelinePrefix(w.audit.shard, k), func(_, v []byte) (err error) {
		if err := w.audit.read(len(v)); err != nil {
			return err
		}
		if w.actions, err = format.AppendActions(w.actions[:0], v, k); err != nil {
			return err
		}
		return each(w.actions)
	})
	if err != nil {
		return err
	}
	return each(tail)
}

// tailActions are the actions of T, in order of arrival.
func (a *Audit) tailActions() (actions []format.Action, err error) {
	err = a.scan(format.FamilyTail, func(_, v []byte) (err error) {
		actions, err = format.DecodeTail(actions, v)
		return err
	})
	return actions, err
}

// section is items of one section that are not sealed.
type section struct {
	k     format.BrandMonth
	items []item
}

// sections walks over the keys of R or C and the sections of the tail, which are in
// order. Items appends those of a value.
func (a *Audit) sections(
	family byte, only *format.BrandMonth, tail []section,
	items func(dst []item, k format.BrandMonth, v []byte) ([]item, error),
	f func(k format.BrandMonth, items []item) error,
) error {
	var scratch []item
	before := func(k *format.BrandMonth) error {
		for len(tail) > 0 && (k == nil || tail[0].k.Compare(*k) < 0) {
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
		p, err := format.ParseRowKey(key)
		if err != nil {
			return err
		}
		k := p.Of
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
		key := format.AppendRowKey(nil, family, a.shard, *only, 0, 0)
		err = scan.Prefix(a.db, key[:len(key)-3], take)
	} else {
		err = scan.Months(a.db, family, a.shard, 0, 1<<16-1, take)
	}
	if err != nil {
		return err
	}
	return before(nil)
}

// rows walks over R.
func (a *Audit) rows(only *format.BrandMonth, f func(k format.BrandMonth, items []item) error) error {
	actions, err := a.tailActions()
	if err != nil {
		return err
	}
	var tail []section
	format.EachLive(actions, func(k format.BrandMonth, rows []domain.Row) {
		s := section{k: k}
		for i := range rows {
			r := &rows[i]
			s.items = append(s.items, rowItem(k, &format.Row{
				Seq: r.Seq, Time: r.Time, Ord: r.Ord, Definition: r.Definition, Points: r.Points, Service: r.Service,
			}))
		}
		tail = append(tail, s)
	})
	var codec format.RowCodec
	return a.sections(format.FamilyRows, only, tail, func(dst []item, k format.BrandMonth, v []byte) ([]item, error) {
		if err := codec.DecodeSorted(v); err != nil {
			return dst, err
		}
		for i := range codec.Rows {
			dst = append(dst, rowItem(k, &codec.Rows[i]))
		}
		return dst, nil
	}, f)
}

// contents walks over C.
func (a *Audit) contents(only *format.BrandMonth, f func(k format.BrandMonth, items []item) error) error {
	tail, err := a.tailContents()
	if err != nil {
		return err
	}
	var codec format.ContentCodec
	return a.sections(format.FamilyContent, only, tail, func(dst []item, _ format.BrandMonth, v []byte) ([]item, error) {
		codec.Reset()
		if err := codec.Decode(v); err != nil {
			return dst, err
		}
		for i := range codec.Entries {
			dst = append(dst, contentItem(&codec.Entries[i]))
		}
		return dst, nil
	}, f)
}

// tailContents are the contents of c by the sections of their rows.
func (a *Audit) tailContents() ([]section, error) {
	actions, err := a.tailActions()
	if err != nil {
		return nil, err
	}
	of := make(map[uint64]format.BrandMonth, len(actions))
	for i := range actions {
		of[actions[i].Seq] = actions[i].Of()
	}
	found := map[format.BrandMonth][]item{}
	var codec format.ContentCodec
	err = a.scan(format.FamilyTailContent, func(_, v []byte) error {
		codec.Reset()
		if err := codec.Decode(v); err != nil {
			return err
		}
		for i := range codec.Entries {
			e := &codec.Entries[i]
			k, known := of[e.Seq]
			if !known {
				return format.Damaged("c")
			}
			found[k] = append(found[k], contentItem(e))
		}
		return nil
	})
	var tail []section
	for _, k := range slices.SortedFunc(maps.Keys(found), format.BrandMonth.Compare) {
		tail = append(tail, section{k, found[k]})
	}
	return tail, err
}

// actions reads t, without what is erased; its sections have no brand.
func (a *Audit) actions(only *format.BrandMonth, f func(k format.BrandMonth, items []item) error) error {
	return a.lines(only, f, func(m *format.Action) (item, bool) { return actionItem(m), m.Flags&domain.Erased == 0 })
}

// living walks over the actions of t that count, as rows: over its sections, too.
func (a *Audit) living(only *format.BrandMonth, f func(k format.BrandMonth, items []item) error) error {
	return a.lines(only, f, func(m *format.Action) (item, bool) {
		return rowItem(m.Of(), &format.Row{
			Seq: m.Seq, Time: m.Time, Ord: m.Ord, Definition: m.Definition, Points: m.Points, Service: m.Service,
		}), !m.Flags.Dead()
	})
}

func (a *Audit) lines(
	only *format.BrandMonth, f func(k format.BrandMonth, items []item) error, of func(m *format.Action) (item, bool),
) error {
	var within *format.AccountMonth
	if only != nil {
		within = &format.AccountMonth{Account: only.Account, Month: only.Month}
	}
	one := make([]item, 1)
	return a.eachAction(within, func(k format.AccountMonth, m *format.Action) error {
		i, there := of(m)
		if !there {
			return nil
		}
		one[0] = i
		return f(format.BrandMonth{Account: k.Account, Month: k.Month}, one)
	})
}

// accountRows walks over R by account's month, as living does over t.
func (a *Audit) accountRows(only *format.BrandMonth, f func(k format.BrandMonth, items []item) error) error {
	return a.rows(nil, func(k format.BrandMonth, items []item) error {
		k.Brand = 0
		if only != nil && *only != k {
			return nil
		}
		return f(k, items)
	})
}

func rowItem(k format.BrandMonth, r *format.Row) item {
	var b [35]byte
	binary.BigEndian.PutUint64(b[:], r.Seq)
	binary.BigEndian.PutUint32(b[8:], r.Time)
	binary.BigEndian.PutUint32(b[12:], uint32(r.Ord))
	binary.BigEndian.PutUint32(b[16:], uint32(r.Definition))
	binary.BigEndian.PutUint16(b[20:], r.Points)
	b[22] = byte(r.Service)
	binary.BigEndian.PutUint32(b[23:], uint32(k.Account))
	binary.BigEndian.PutUint32(b[27:], uint32(k.Brand))
	binary.BigEndian.PutUint16(b[31:], uint16(k.Month))
	return item{r.Seq, format.HashOf(b[:33])}
}

func contentItem(e *format.Entry) item {
	b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(make([]byte, 0, 16+len(e.Text)), e.Seq), e.Recorded)
	return item{e.Seq, format.HashOf(append(b, e.Text...))}
}

func actionItem(m *format.Action) item {
	i := rowItem(m.Of(), &format.Row{
		Seq: m.Seq, Time: m.Time, Ord: m.Ord, Definition: m.Definition, Points: m.Points, Service: m.Service,
	})
	var b [25]byte
	sum := i.sum.Bytes()
	copy(b[:], sum[:])
	b[16] = byte(m.Flags)
	binary.BigEndian.PutUint64(b[17:], m.Hash)
	return item{m.Seq, format.HashOf(b[:])}
}
