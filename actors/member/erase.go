package member

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Erase leaves nothing of the member but its id, its place and when it was erased; past is all
// that it did. Keys are the data keys that seal something of it: whoever deletes them makes the
// sealed bytes that logs still have unreadable.
func Erase(
	dst []domain.Change, s *State, at int64, past []domain.Row,
) (changes []domain.Change, keys []domain.KeyID) {
	keys = DataKeys(&s.Member)
	dst = s.change(dst, func(m *domain.Member) {
		*m = domain.Member{
			ID: m.ID, Account: m.Account, Ord: m.Ord, State: domain.MemberErased, Updated: at, HandedOver: m.HandedOver,
		}
	})
	s.pairs = nil
	return append(dst, domain.Change{Kind: domain.RowsErased, Value: &domain.ErasedRows{
		Account: s.Member.Account, Ord: s.Member.Ord, Rows: past,
	}}), keys
}

// DataKeys are the keys that seal something of the member, each once.
func DataKeys(m *domain.Member) []domain.KeyID {
	keys := append([]domain.KeyID{m.Personal.Key}, m.Personal.Keys...)
	for i := range m.Pending {
		keys = append(keys, m.Pending[i].Personal().Key)
	}
	slices.SortFunc(keys, func(a, b domain.KeyID) int { return slices.Compare(a[:], b[:]) })
	keys = slices.Compact(keys)
	return slices.DeleteFunc(keys, domain.KeyID.IsZero)
}
