package member

import (
	"cmp"
	"errors"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Disposition is what became of an activity.
type Disposition struct {
	Reason domain.Reason // Accepted, or why it is a dead letter
	Repeat bool          // nothing changed: the action is there already
	Row    domain.Row    // the action recorded, or, where that is asked for, the one there is
}

// Record applies an activity whose time is judged, at its shard's clock (ms). seq is the
// sequence its row gets if it is new; content is kept by the changes as a pointer. Asked says that
// somebody waits for the row of a repeat: the row of a one-time pair is read from the member's past, at the cost of all its
// rows of that month.
func (s *State) Record(
	dst []domain.Change, a *domain.Activity, seq uint64, clock int64, content *domain.Content, h History, asked bool,
) ([]domain.Change, Disposition, error) {
	if !s.Shares(a.Service) {
		return dst, Disposition{Reason: domain.SharingDisabled}, nil
	}
	row := domain.Row{
		Hash: a.Hash, Seq: seq, Account: s.Member.Account, Ord: s.Member.Ord, Time: domain.Second(a.Time),
		Brand: a.Brand, Definition: a.Definition, Points: a.Points, Slot: s.Member.ID.Slot(), Service: a.Service,
	}
	if a.Defaulted {
		row.Flags |= domain.TimeDefaulted
	}
	seen, ok, err := s.seen(&row, domain.RepeatMonthsOf(row.Time, clock), h)
	if err != nil {
		return dst, Disposition{}, err
	}
	if ok {
		v := repeat(&row, &seen)
		if v.Repeat && asked && seen.Flags&domain.Superseded != 0 {
			v.Row, err = s.counting(&row, h)
		}
		return dst, v, err
	}
	if a.OneTime {
		return s.oneTime(dst, row, content, h, asked)
	}
	return s.add(dst, row, content), Disposition{Row: row}, nil
}

// seen looks for the row's hash in the months given, among those made or taken out since Begin and in
// the past alike: where a run of activities ends decides nothing (I6).
func (s *State) seen(row *domain.Row, months domain.RepeatMonths, h History) (domain.Row, bool, error) {
	made, at := -1, len(months)
	for i := range s.fresh {
		if s.fresh[i].Hash != row.Hash {
			continue
		}
		if n := months.Find(s.fresh[i].Time); n < at {
			made, at = i, n
		}
	}
	if at > 0 {
		r, ok, err := h.Seen(row.Account, row.Ord, months.First(at), row.Hash)
		if ok || err != nil {
			r.Account, r.Ord, r.Slot = row.Account, row.Ord, row.Slot
			return r, ok, err
		}
	}
	if made < 0 {
		return domain.Row{}, false, nil
	}
	return s.fresh[made], true, nil
}

// repeat tells a repeat from another activity under the same id: time, brand, definition
// and service decide, content does not. A time that is given must be that of the action
// there is, whether that one's was given or the log's; an activity without one says
// nothing of it.
func repeat(row, seen *domain.Row) Disposition {
	otherTime := row.Flags&domain.TimeDefaulted == 0 && row.Time != seen.Time
	if row.Brand != seen.Brand || row.Definition != seen.Definition || row.Service != seen.Service || otherTime {
		return Disposition{Reason: domain.ConflictingDuplicate, Row: *seen}
	}
	return Disposition{Repeat: true, Row: *seen}
}

// oneTime lets the row count if it comes before the one that does.
func (s *State) oneTime(
	dst []domain.Change, row domain.Row, content *domain.Content, h History, asked bool,
) ([]domain.Change, Disposition, error) {
	cur, ok, err := s.pair(&row, h)
	if err != nil {
		return dst, Disposition{}, err
	}
	if ok && (cur.Deleted || !before(&row, &cur)) {
		if !asked {
			return dst, Disposition{Repeat: true}, nil
		}
		there, err := s.standing(&cur, h)
		return dst, Disposition{Repeat: true, Row: there}, err
	}
	if ok {
		old, err := s.standing(&cur, h)
		if err != nil {
			return dst, Disposition{}, err
		}
		s.take(&old, domain.Superseded)
		dst = append(dst, domain.Change{Kind: domain.RowTaken, Row: old})
	}
	row.Flags |= domain.OneTimeRow
	dst = s.keep(dst, pairOf(&row))
	return s.add(dst, row, content), Disposition{Row: row}, nil
}

// keep makes it what is known of a pair.
func (s *State) keep(dst []domain.Change, now *domain.OneTime) []domain.Change {
	at, ok := s.pairAt(pair{now.Definition, now.Brand})
	if !ok {
		s.pairs = slices.Insert(s.pairs, at, domain.OneTime{})
	}
	s.pairs[at] = *now
	return append(dst, domain.Change{Kind: domain.OneTimePut, Value: now})
}

// pair is the action that counts for the row's definition and brand.
func (s *State) pair(row *domain.Row, h History) (domain.OneTime, bool, error) {
	if at, ok := s.pairAt(pair{row.Definition, row.Brand}); ok {
		return s.pairs[at], true, nil
	}
	return h.OneTime(row.Account, row.Ord, row.Definition, row.Brand)
}

// pairAt is the place of a pair among those remembered.
func (s *State) pairAt(p pair) (at int, ok bool) {
	return slices.BinarySearchFunc(s.pairs, p, func(o domain.OneTime, p pair) int {
		return cmp.Or(cmp.Compare(o.Definition, p.definition), cmp.Compare(o.Brand, p.brand))
	})
}

// counting is the row that took the place of one that was superseded.
func (s *State) counting(row *domain.Row, h History) (domain.Row, error) {
	cur, ok, err := s.pair(row, h)
	switch {
	case err != nil:
		return domain.Row{}, err
	case !ok:
		return domain.Row{}, errLost
	}
	return s.standing(&cur, h)
}

// before orders actions of a pair: by time, then by hash, whatever the order of
// arrival.
func before(row *domain.Row, cur *domain.OneTime) bool {
	return precedes(row.Time, row.Hash, cur)
}

func precedes(time domain.Second, hash uint64, cur *domain.OneTime) bool {
	return time < cur.Time || time == cur.Time && hash < cur.Hash
}

// errLost says that a pair names a row that its member's past does not hold.
var errLost = errors.New("member: the row of a one-time pair is not in the timeline")

// standing is the whole row of a pair; of a deleted one what the pair knows.
func (s *State) standing(cur *domain.OneTime, h History) (domain.Row, error) {
	row := rowOf(&s.Member, cur)
	if cur.Deleted {
		row.Flags |= domain.Deleted
		return row, nil
	}
	if at := s.freshAt(cur.Seq); at >= 0 {
		return s.fresh[at], nil
	}
	past, ok, err := h.At(row.Account, row.Ord, cur.Time, cur.Seq)
	if err != nil {
		return domain.Row{}, err
	}
	if !ok {
		return domain.Row{}, errLost
	}
	past.Account, past.Ord, past.Slot = row.Account, row.Ord, row.Slot
	return past, nil
}

// take notes why a row counts no longer, also where that is not staged before the next row of the run.
func (s *State) take(row *domain.Row, why domain.Flags) {
	row.Flags |= why
	if at := s.freshAt(row.Seq); at >= 0 {
		s.fresh[at].Flags = row.Flags
	} else if !s.lone {
		s.fresh = append(s.fresh, *row)
	}
}

// freshAt is the place of a row among those made or taken out since Begin; -1: it is none of them.
func (s *State) freshAt(seq uint64) int {
	return slices.IndexFunc(s.fresh, func(r domain.Row) bool { return r.Seq == seq })
}

// rowOf is the row of a pair as far as the pair knows it.
func rowOf(m *domain.Member, p *domain.OneTime) domain.Row {
	return domain.Row{
		Hash: p.Hash, Seq: p.Seq, Account: p.Account, Ord: p.Ord, Time: p.Time, Brand: p.Brand,
		Definition: p.Definition, Slot: m.ID.Slot(), Flags: domain.OneTimeRow,
	}
}

// add makes the row new.
func (s *State) add(dst []domain.Change, row domain.Row, content *domain.Content) []domain.Change {
	if !s.lone {
		s.fresh = append(s.fresh, row)
	}
	return append(dst, domain.Change{Kind: domain.RowAdded, Row: row, Content: content})
}
