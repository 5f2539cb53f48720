package member

import (
	"unsafe"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// History answers what the past of members holds.
type History interface {
	// Seen is the member's row with that hash in the first of the months that has one;
	// deleted and staged rows are part of it.
	Seen(account domain.AccountID, ord domain.Ordinal, months domain.RepeatMonths, hash uint64) (domain.Row, bool, error)
	// At is the member's row with that time and sequence; deleted and staged rows are part of it.
	At(account domain.AccountID, ord domain.Ordinal, time domain.Second, seq uint64) (domain.Row, bool, error)
	// Named are the rows with that time and hash, in order of sequence, deleted and staged ones too. Of
	// a member there is one at most, of a shadow one of each member whose rows it copies.
	Named(account domain.AccountID, ord domain.Ordinal, time domain.Second, hash uint64) ([]domain.Row, error)
	// OneTime is the action that counts for a pair, as of the last commit: what was staged
	// since is for the State to remember.
	OneTime(
		account domain.AccountID, ord domain.Ordinal, definition domain.DefinitionID, brand domain.BrandID,
	) (domain.OneTime, bool, error)
}

// pair is a one-time definition and a brand.
type pair struct {
	definition domain.DefinitionID
	brand      domain.BrandID
}

// State is a member in memory. It is owned by the member's actor.
type State struct {
	fresh []domain.Row // rows made or taken out since Begin: not yet staged; of a lone activity none
	muted uint32       // services whose sharing is switched off, a bit each
	lone  bool         // one activity since Begin, and none to come

	// Member's first fields are here, so that what a record looks at is in one line of
	// the processor's cache.
	Member domain.Member

	// One-time pairs met since the member woke up, in their order: none may be forgotten
	// before it is committed.
	pairs []domain.OneTime

	was *domain.Member // before it changed, while it is merged into another; nil: its borrower knows it as it is
}

// NewState is the state of a stored member. It takes m over.
func NewState(m *domain.Member) *State {
	s := &State{Member: *m}
	s.muted = mutedOf(&s.Member)
	return s
}

// mutedOf are the services of which every record that counts says so, a bit each; a
// member without a record of the service is not muted.
func mutedOf(m *domain.Member) uint32 {
	var muted, open uint32
	for i := range m.Services {
		r := &m.Services[i]
		if r.Sharing() {
			open |= 1 << r.Service
		} else {
			muted |= 1 << r.Service
		}
	}
	return muted &^ open
}

// Unloaded makes s the state of an active member whose record is not loaded: all that Record needs
// for activities that are not one-time, without the member's record. muted is what the
// audience knows of it.
func (s *State) Unloaded(id domain.MemberID, account domain.AccountID, ord domain.Ordinal, muted uint32) {
	m := &s.Member
	m.ID, m.Account, m.Ord, m.State = id, account, ord, domain.MemberActive
	s.muted = muted
}

// Bytes is what s takes in memory, about.
func (s *State) Bytes() int {
	return int(unsafe.Sizeof(*s)-unsafe.Sizeof(s.Member)) + s.Member.Bytes() +
		cap(s.fresh)*int(unsafe.Sizeof(domain.Row{})) + cap(s.pairs)*int(unsafe.Sizeof(domain.OneTime{}))
}

// Begin starts a run of so many activities whose rows are staged together afterwards.
func (s *State) Begin(activities int) { s.fresh, s.lone = s.fresh[:0], activities == 1 }

// Shares reports that activities of the service are taken.
func (s *State) Shares(service domain.Service) bool { return s.muted>>service&1 == 0 }
