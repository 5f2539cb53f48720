package format

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Action is a row in its member's timeline: what t and T hold of an action. The same
// action may be there more than once, each time with more flags: together they
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

// Before orders actions as blocks hold them: member, time, arrival. Accounts come
// first where there are several.
func (a *Action) Before(o *Action) bool {
	switch {
	case a.Account != o.Account:
		return a.Account < o.Account
	case a.Ord != o.Ord:
		return a.Ord < o.Ord
	case a.Time != o.Time:
		return a.Time < o.Time
	}
	return a.Seq < o.Seq
}

// Same reports that both are one action.
func (a *Action) Same(o *Action) bool {
	return a.Seq == o.Seq && a.Time == o.Time && a.Ord == o.Ord && a.Account == o.Account
}

// Row is the action as the domain has it, of a member of slot.
func (a *Action) Row(slot domain.Slot) domain.Row {
	return domain.Row{
		Hash: a.Hash, Seq: a.Seq, Account: a.Account, Ord: a.Ord, Time: a.Time, Brand: a.Brand, Definition: a.Definition,
		Points: a.Points, Slot: slot, Service: a.Service, Flags: a.Flags,
	}
}

// ColumnRow is the action as R has it: without hash, slot and flags.
func (a *Action) ColumnRow() domain.Row {
	return domain.Row{
		Seq: a.Seq, Account: a.Account, Ord: a.Ord, Time: a.Time, Brand: a.Brand, Definition: a.Definition, Points: a.Points,
		Service: a.Service,
	}
}

// Of is the brand's month that the action's row is under.
func (a *Action) Of() BrandMonth { return BrandMonth{a.Account, a.Brand, a.Month} }

// SortActions puts actions in the order of Before; copies of one keep theirs.
func SortActions(actions []Action) {
	slices.SortStableFunc(actions, func(a, b Action) int {
		switch {
		case a.Before(&b):
			return -1
		case b.Before(&a):
			return 1
		}
		return 0
	})
}

// Coalesce makes one of neighbours that are one action, with all its flags.
func Coalesce(actions []Action) []Action {
	out := actions[:0]
	for i := range actions {
		if k := len(out); k > 0 && out[k-1].Same(&actions[i]) {
			out[k-1].Flags |= actions[i].Flags
		} else {
			out = append(out, actions[i])
		}
	}
	return out
}

// DecodeTail appends the actions of a value of T.
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

// AppendTail appends the value of T: actions by (account, ordinal, time, sequence).
func (w *BlockWriter) AppendTail(dst []byte, actions []Action) []byte {
	dst = append(dst, version1)
	for i := 0; i < len(actions); {
		j := i + 1
		for j < len(actions) && actions[j].Account == actions[i].Account {
			j++
		}
		dst = w.append(le.AppendUint32(dst, uint32(actions[i].Account)), actions[i:j])
		i = j
	}
	return dst
}

// Deleted is the sequences of the actions that count no more.
func Deleted(actions []Action) map[uint64]bool {
	return Flagged(actions, domain.DeadFlags)
}

// Flagged is the sequences of the actions with one of the flags.
func Flagged(actions []Action, flags domain.Flags) map[uint64]bool {
	flagged := map[uint64]bool{}
	for i := range actions {
		if actions[i].Flags&flags != 0 {
			flagged[actions[i].Seq] = true
		}
	}
	return flagged
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
