package member

import "github.com/ovation-analytics/ovation/actors/domain"

// History answers what a member's past holds.
type History interface {
	// Seen is the member's row with that hash in the first of the months that has one;
	// staged rows are part of it.
	Seen(months domain.RepeatMonths, hash uint64) (domain.Row, bool, error)
	// OneTime is the action that counts for a pair, as of the last commit: what was staged
	// since is for the State to remember.
	OneTime(definition domain.DefinitionID, brand domain.BrandID) (domain.OneTime, bool, error)
}

// pair is a one-time definition and a brand.
type pair struct {
	definition domain.DefinitionID
	brand      domain.BrandID
}

// State is a member in memory. It is owned by the member's actor.
type State struct {
	fresh []domain.Row // rows made since Begin: not yet staged; of a lone activity none
	muted uint32       // services whose sharing is switched off, a bit each
	lone  bool         // one activity since Begin, and none to come

	// Member's first fields stand here, so that what a record looks at is in one line of
	// the processor's cache.
	Member domain.Member

	// One-time pairs met since the member woke up, in their order: none may be forgotten
	// before it is committed.
	pairs []domain.OneTime
}

// NewState is the state of a stored member. It takes m over.
func NewState(m *domain.Member) *State {
	s := &State{Member: *m}
	s.mute()
	return s
}

// mute derives muted: a service is muted when every record of it that counts says
// so; a member without a record of the service is not.
func (s *State) mute() {
	var muted, open uint32
	for i := range s.Member.Services {
		r := &s.Member.Services[i]
		if r.Sharing() {
			open |= 1 << r.Service
		} else {
			muted |= 1 << r.Service
		}
	}
	s.muted = muted &^ open
}

// Begin starts a run of so many activities whose rows are staged together afterwards.
func (s *State) Begin(activities int) { s.fresh, s.lone = s.fresh[:0], activities == 1 }

// Shares reports that activities of the service are taken.
func (s *State) Shares(service domain.Service) bool { return s.muted>>service&1 == 0 }
