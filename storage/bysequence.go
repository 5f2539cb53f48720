package storage

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// oldestMonth is that of the first second an action can have.
const oldestMonth = domain.Month((2000 - 1970) * 12)

// Action finds the member's row with that sequence, dead ones and staged ones too. An
// action's id does not say when the action was done: the months that the account has
// rows of are looked through, the newest first, in each the member's own rows alone.
func (s *Shard) Action(account domain.AccountID, ord domain.Ordinal, seq uint64) (domain.Row, bool, error) {
	if err := s.usable(); err != nil {
		return domain.Row{}, false, err
	}
	m, found, err := s.line.bySequence(account, ord, seq)
	if !found || err != nil {
		return domain.Row{}, false, err
	}
	id, _ := s.members.get(account, ord)
	return m.Row(id.Slot()), true, nil
}

// bySequence finds the member's mark with that sequence.
func (t *timeline) bySequence(account domain.AccountID, ord domain.Ordinal, seq uint64) (format.Action, bool, error) {
	for p := *t.chain(account, ord); p != 0; p = t.prev[p-1] {
		if m := &t.tail[p-1]; m.Seq == seq && m.Ord == ord && m.Account == account {
			return *m, true, nil
		}
	}
	for month := t.newest; month >= oldestMonth; month-- {
		k := format.AccountMonth{Account: account, Month: month}
		if t.sealed[k].classes == 0 {
			continue
		}
		m, found, err := t.stored(k, ord, func(b *format.Block, i int) bool { return b.SeqAt(i) == seq })
		if found || err != nil {
			return m, found, err
		}
	}
	return format.Action{}, false, nil
}
