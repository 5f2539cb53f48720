package format

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Action is a row in its member's timeline: what t and T hold of an action. The same
// action may stand there more than once, each time with more flags: together they
// are one.
type Action struct {
	Hash       uint64
	Seq        uint64
	Time       domain.Second
	Account    domain.AccountID // of the key
	Ord        domain.Ordinal
	Brand      domain.BrandID
	Definition domain.DefinitionID
	Points     uint16
	Month      domain.Month // of time
	Service    domain.Service
	Flags      domain.Flags
	Class      uint8 // the width class of its rows in R and C, once it is sealed
}

// Before orders marks as blocks hold them: member, time, arrival. Accounts come
// first where there are several.
func (m *Action) Before(o *Action) bool {
	switch {
	case m.Account != o.Account:
		return m.Account < o.Account
	case m.Ord != o.Ord:
		return m.Ord < o.Ord
	case m.Time != o.Time:
		return m.Time < o.Time
	}
	return m.Seq < o.Seq
}

// Same reports that both tell of one action.
func (m *Action) Same(o *Action) bool {
	return m.Seq == o.Seq && m.Time == o.Time && m.Ord == o.Ord && m.Account == o.Account
}

// Row is the mark as the language has it, of a member of slot.
func (m *Action) Row(slot domain.Slot) domain.Row {
	return domain.Row{
		Hash: m.Hash, Seq: m.Seq, Account: m.Account, Ord: m.Ord, Time: m.Time, Brand: m.Brand, Definition: m.Definition,
		Points: m.Points, Slot: slot, Service: m.Service, Flags: m.Flags,
	}
}

// ColumnRow is the action as R has it: without hash, slot and flags.
func (m *Action) ColumnRow() domain.Row {
	return domain.Row{Seq: m.Seq, Account: m.Account, Ord: m.Ord, Time: m.Time, Brand: m.Brand, Definition: m.Definition, Points: m.Points, Service: m.Service}
}

// Of is the brand's month that the mark's rows stand under.
func (m *Action) Of() BrandMonth { return BrandMonth{m.Account, m.Brand, m.Month} }

// Coalesce makes one of marks that tell of one action, which are neighbours.
func Coalesce(marks []Action) []Action {
	out := marks[:0]
	for i := range marks {
		if k := len(out); k > 0 && out[k-1].Same(&marks[i]) {
			out[k-1].Flags |= marks[i].Flags
		} else {
			out = append(out, marks[i])
		}
	}
	return out
}

// DecodeTail appends the marks of a value of T.
func DecodeTail(dst []Action, v []byte) ([]Action, error) {
	cur, err := openValue(v, "T")
	if err != nil {
		return dst, err
	}
	var b Block
	for len(cur.b) > 0 {
		raw := cur.take(4)
		if raw == nil {
			return dst, Damaged("T")
		}
		account := domain.AccountID(le.Uint32(raw))
		if err := b.next(&cur, "T"); err != nil {
			return dst, err
		}
		err := b.Each(func(i int, ord domain.Ordinal) {
			m := b.Action(i, AccountMonth{Account: account}, ord)
			m.Month = domain.MonthOf(m.Time)
			dst = append(dst, m)
		})
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// AppendTail appends the value of T: marks by (account, ordinal, time, sequence).
func (w *BlockWriter) AppendTail(dst []byte, marks []Action) []byte {
	dst = append(dst, version1)
	for i := 0; i < len(marks); {
		j := i + 1
		for j < len(marks) && marks[j].Account == marks[i].Account {
			j++
		}
		dst = w.append(le.AppendUint32(dst, uint32(marks[i].Account)), marks[i:j])
		i = j
	}
	return dst
}

// Deleted is the sequences of the actions that count no more.
func Deleted(actions []Action) map[uint64]bool {
	deleted := map[uint64]bool{}
	for i := range actions {
		if actions[i].Flags.Dead() {
			deleted[actions[i].Seq] = true
		}
	}
	return deleted
}

// EachLive calls f with the rows that count, of one brand's month at a time, in order of month,
// account and brand, then of (time, sequence).
func EachLive(actions []Action, f func(k BrandMonth, rows []domain.Row)) {
	deleted := Deleted(actions)
	var live []Action
	for i := range actions {
		if a := &actions[i]; !deleted[a.Seq] {
			live = append(live, *a)
		}
	}
	slices.SortFunc(live, func(a, b Action) int {
		return cmp.Or(a.Of().Compare(b.Of()), cmp.Compare(a.Time, b.Time), cmp.Compare(a.Seq, b.Seq))
	})
	var rows []domain.Row
	for i := range live {
		rows = append(rows, live[i].ColumnRow())
		if i == len(live)-1 || live[i+1].Of() != live[i].Of() {
			f(live[i].Of(), rows)
			rows = rows[:0]
		}
	}
}
