package member

import (
	"math"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// NewShadow is the state of a shadow in an ordinal of the borrower's shard.
func NewShadow(account domain.AccountID, id domain.MemberID, ord domain.Ordinal) *State {
	return NewState(&domain.Member{ID: id, Account: account, Ord: ord, State: domain.MemberShadow})
}

// Lend makes it what a member, or a shadow, knows of its loan; nil: it lends no more.
func Lend(dst []domain.Change, s *State, l *domain.Loan, clock int64) []domain.Change {
	before := s.Member.Lent != nil
	dst = s.change(dst, func(m *domain.Member) {
		was := m.IsLent()
		if m.Lent = l; m.IsLent() != was && m.State != domain.MemberShadow {
			handOver(m, clock)
		}
	})
	s.was = nil
	if is := l != nil; is != before && s.Member.State == domain.MemberActive {
		dst = append(dst, domain.Change{Kind: domain.BitPut, Value: &domain.Bit{
			Account: s.Member.Account, Ord: s.Member.Ord, Attribute: domain.AttrLent, On: is,
		}})
	}
	return dst
}

// handOver notes that rows change hands between the member and another, by the shard's clock.
func handOver(m *domain.Member, clock int64) {
	m.HandedOver = max(domain.Second(seconds(clock)), m.HandedOver+1)
}

// Absorb makes it what the member knows of one that is merged into it.
func Absorb(dst []domain.Change, s *State, a domain.Absorbed, clock int64) []domain.Change {
	return s.change(dst, func(m *domain.Member) {
		if was := AbsorbedOf(m, a.Member); a.Done && (was == nil || !was.Done) {
			handOver(m, clock)
		}
		m.Absorbed = slices.Clone(m.Absorbed)
		i := slices.IndexFunc(m.Absorbed, func(o domain.Absorbed) bool { return o.Member == a.Member })
		if i < 0 {
			m.Absorbed = append(m.Absorbed, a)
		} else {
			m.Absorbed[i] = a
		}
	})
}

// Discharge has the member know nothing of one that was merged into it.
func Discharge(dst []domain.Change, s *State, lender domain.MemberID, clock int64) []domain.Change {
	return s.change(dst, func(m *domain.Member) {
		if was := AbsorbedOf(m, lender); was != nil && was.Done {
			handOver(m, clock)
		}
		m.Absorbed = slices.DeleteFunc(slices.Clone(m.Absorbed), func(a domain.Absorbed) bool { return a.Member == lender })
	})
}

// Was is what a member's borrower knows of it, where the member has changed since the last call; nil: it has
// not.
func Was(s *State) (was *domain.Member) {
	was, s.was = s.was, nil
	return was
}

// Amend is a record in which part replaces that of one member: its own, or that of one merged into it, at any
// depth. A part has no record of members merged into its own that are as before. Where part is of none of them
// it is the record itself, which is not changed.
func Amend(record, part *domain.Member) *domain.Member {
	if record.ID == part.ID {
		return amended(record, part)
	}
	for i := range record.Absorbed {
		below := record.Absorbed[i].Record
		if below == nil {
			continue
		}
		if now := Amend(below, part); now != below {
			m := *record
			m.Absorbed = slices.Clone(m.Absorbed)
			m.Absorbed[i].Record = now
			return &m
		}
	}
	return record
}

// amended is a part with the records of those merged into its member that are as before.
func amended(record, part *domain.Member) *domain.Member {
	m := *part
	m.Absorbed = nil
	for _, a := range part.Absorbed {
		if was := AbsorbedOf(record, a.Member); a.Record == nil && was != nil {
			a.Record = was.Record
		}
		if a.Record != nil {
			m.Absorbed = append(m.Absorbed, a)
		}
	}
	return &m
}

// Depth is how many merges are below a member, one below the other: domain.DeepestMerge at most.
func Depth(m *domain.Member) (n int) {
	for i := range m.Absorbed {
		if a := &m.Absorbed[i]; a.Done {
			n = max(n, 1+Depth(a.Record))
		}
	}
	return n
}

// AbsorbedOf is what a member knows of one that is merged into it; nil: nothing.
func AbsorbedOf(m *domain.Member, lender domain.MemberID) *domain.Absorbed {
	for i := range m.Absorbed {
		if m.Absorbed[i].Member == lender {
			return &m.Absorbed[i]
		}
	}
	return nil
}

// Copies is what the past of shadows holds.
type Copies interface {
	History
	// Contents is what each of the rows says beside its columns, nil where nothing is stored; what is
	// staged is part of it.
	Contents(rows []domain.Row) ([]*domain.Content, error)
}

// Borrow applies to a shadow what its lender has of a row; w has what the copy gets of the shard.
func Borrow(
	dst []domain.Change, s *State, l *domain.LentRow, w *Visiting, h Copies,
) ([]domain.Change, error) {
	row := l.Row
	row.Seq, row.Account, row.Ord, row.Slot = w.Sequence, s.Member.Account, s.Member.Ord, s.Member.ID.Slot()
	if l.Taken {
		return giveBack(dst, s, row, l.Content.Action, h)
	}
	if row.IsVisit() {
		of, _ := domain.VisitOf(&l.Content)
		dst, row.Definition = placed(dst, row.Account, row.Definition, l.Place, of.OfSegment, w.Places)
	}
	if row.Flags&domain.OneTimeRow != 0 {
		dst = s.keep(dst, pairOf(&row))
	}
	content := l.Content
	content.Recorded = w.Clock
	return s.add(dst, row, &content), nil
}

// giveBack takes out the copy of a row, which is of an action, that its lender counts no more. A deleted one-time
// action that was never copied is, as a dead row: it closes its pair.
func giveBack(
	dst []domain.Change, s *State, row domain.Row, action domain.ActionID, h Copies,
) ([]domain.Change, error) {
	there, ok, err := copyOf(dst, s, &row, action, h)
	if err != nil {
		return dst, err
	}
	closes := row.Flags&domain.OneTimeRow != 0 && row.Flags&domain.Deleted != 0
	switch {
	case closes:
		pair := pairOf(&row)
		pair.Deleted = true
		if ok { // its row is the copy, as it was before
			pair.Seq = there.Seq
		}
		dst = s.keep(dst, pair)
	case row.Flags&domain.OneTimeRow != 0:
		if dst, err = open(s, dst, &row, h); err != nil {
			return dst, err
		}
	}
	switch {
	case !ok && closes:
		return s.add(dst, row, nil), nil
	case !ok:
		return dst, nil
	}
	s.take(&there, row.Flags&domain.DeadFlags)
	return append(dst, domain.Change{Kind: domain.RowTaken, Row: there, Content: &domain.Content{Action: action}}), nil
}

// copyOf is the copy of a lender's row that counts. An id tells the actions of one member apart, and a shadow may
// have copies of several: of those that are alike it is that of the action.
func copyOf(
	dst []domain.Change, s *State, row *domain.Row, action domain.ActionID, h Copies,
) (there domain.Row, ok bool, err error) {
	past, err := h.Named(row.Account, row.Ord, row.Time, row.Hash)
	if err != nil {
		return there, false, err
	}
	counts := func(r *domain.Row) bool { return !r.Flags.Dead() && alike(r, row) }
	var all []domain.Row
	for _, r := range past {
		if s.freshAt(r.Seq) < 0 && counts(&r) {
			r.Account, r.Ord, r.Slot = row.Account, row.Ord, row.Slot
			all = append(all, r)
		}
	}
	stored := len(all)
	for _, r := range s.fresh {
		if counts(&r) {
			all = append(all, r)
		}
	}
	if len(all) < 2 {
		return first(all)
	}
	contents, err := h.Contents(all[:stored])
	if err != nil {
		return there, false, err
	}
	contents = append(contents, contentsOf(dst, all[stored:])...)
	for i := range all {
		if c := contents[i]; c != nil && c.Action == action {
			return all[i], true, nil
		}
	}
	return first(all)
}

// first is the first of some rows, if there is one.
func first(all []domain.Row) (row domain.Row, ok bool, err error) {
	if len(all) > 0 {
		return all[0], true, nil
	}
	return row, false, nil
}

// contentsOf is what rows say that changes add; nil where none of them does.
func contentsOf(changes []domain.Change, rows []domain.Row) []*domain.Content {
	contents := make([]*domain.Content, len(rows))
	for i := range rows {
		at := slices.IndexFunc(changes, func(c domain.Change) bool {
			return c.Kind == domain.RowAdded && c.Row.Seq == rows[i].Seq
		})
		if at >= 0 {
			contents[i] = changes[at].Content
		}
	}
	return contents
}

// alike reports that rows are of one action, as far as their columns say. The place of a visit has a
// number in each shard.
func alike(a, b *domain.Row) bool {
	ofA, _, _ := a.Definition.Visit()
	ofB, _, _ := b.Definition.Visit()
	return a.Hash == b.Hash && a.Time == b.Time && a.Brand == b.Brand && ofA == ofB && a.Service == b.Service
}

// open has a shadow have no action of the pair that a row stands for (IsOpen).
func open(s *State, dst []domain.Change, row *domain.Row, h History) ([]domain.Change, error) {
	pair, ok, err := s.pair(row, h)
	if err != nil || !ok || pair.Time != row.Time || pair.Hash != row.Hash {
		return dst, err
	}
	pair.Time, pair.Hash, pair.Deleted = math.MaxUint32, math.MaxUint64, true
	return s.keep(dst, &pair), nil
}

// IsOpen reports that a shadow has had an action of a pair, and has none.
func IsOpen(o *domain.OneTime) bool {
	return o.Deleted && o.Time == math.MaxUint32 && o.Hash == math.MaxUint64
}

// pairOf is the pair that a one-time row stands for.
func pairOf(row *domain.Row) *domain.OneTime {
	return &domain.OneTime{
		Account: row.Account, Ord: row.Ord, Definition: row.Definition, Brand: row.Brand,
		Time: row.Time, Hash: row.Hash, Seq: row.Seq,
	}
}

// Pair is what a member knows of a one-time definition and a brand, and the row that counts for them:
// none where it was deleted.
func Pair(
	s *State, definition domain.DefinitionID, brand domain.BrandID, h History,
) (pair domain.OneTime, row domain.Row, ok bool, err error) {
	of := domain.Row{Account: s.Member.Account, Ord: s.Member.Ord, Definition: definition, Brand: brand}
	if pair, ok, err = s.pair(&of, h); !ok || err != nil {
		return pair, row, false, err
	}
	row, err = s.standing(&pair, h)
	return pair, row, true, err
}

// Pairs are the pairs that a member remembers.
func Pairs(s *State) []domain.OneTime { return s.pairs }

// Precedes orders what members know of one pair: that of the earliest action, then of the smallest
// hash, counts.
func Precedes(a, b *domain.OneTime) bool { return precedes(a.Time, a.Hash, b) }

// Forget has a shadow hold nothing: its rows are swept, and no others come.
func Forget(s *State) { s.pairs, s.fresh = nil, s.fresh[:0] }
