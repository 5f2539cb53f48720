package member

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// LoginEnd is what became of a login.
type LoginEnd uint8

// A login changes the member only if it is LoggedIn, but that a wrong password is noted.
const (
	LoggedIn       LoginEnd = iota
	LoginUnknown            // the member has no such service record
	LoginRefused            // by the password: see Guess
	LoginElsewhere          // the member has not registered on the domain
	LoginOutdated           // its personal part was not made of the one that the member has
)

// Login applies a login at the log's time (ms since 1970). RetryAfter is how many seconds a
// lock still lasts.
func Login(
	dst []domain.Change, s *State, l *domain.LogIn, now int64, w *Visiting,
) (_ []domain.Change, end LoginEnd, g Guess, retryAfter uint32) {
	at := recordOf(&s.Member, l)
	if at < 0 {
		return dst, LoginUnknown, GuessRight, 0
	}
	if l.Strict && !s.Member.RegisteredOn(l.Domain) {
		return dst, LoginElsewhere, GuessRight, 0
	}
	if l.Service == domain.Email && s.Member.Password(l.Identity) == "" {
		return dst, LoginRefused, GuessWrong, 0 // no password is right
	}
	given := domain.RegisterMember{Service: l.Service, Identity: l.Identity, Password: l.Password}
	if dst, g, retryAfter = s.Guess(dst, &given, now); g != GuessRight {
		return dst, LoginRefused, g, retryAfter
	}
	if !s.Member.Personal.Takes(&l.Personal) {
		return s.Outdated(dst, &l.Personal), LoginOutdated, GuessRight, 0
	}
	dst = s.change(dst, func(m *domain.Member) {
		if len(l.Given) > 0 {
			m.Profile = m.Profile.With(l.Given)
		}
		putPersonal(m, &l.Personal)
		m.Services = slices.Clone(m.Services)
		login(&m.Services[at], l)
		if l.Rehash != "" {
			replacePassword(m, l.Identity, l.Rehash)
		}
	})
	row := domain.Row{Definition: domain.Login, Service: l.Service, Time: seconds(l.At)}
	return visit(dst, &s.Member, row, l.Domain, &l.Visit, 0, w), LoggedIn, GuessRight, 0
}

// recordOf is the place of the service record that a login is by; -1: there is none.
func recordOf(m *domain.Member, l *domain.LogIn) int {
	return slices.IndexFunc(m.Services, func(r domain.ServiceRecord) bool {
		return r.Application == l.Application && r.Service == l.Service && r.Identity == l.Identity
	})
}

// login writes a login into its service record, whose slices are not shared after.
func login(r *domain.ServiceRecord, l *domain.LogIn) {
	if l.Renewed {
		r.Updated = max(r.Updated, l.At)
	}
	r.LastLogin = max(r.LastLogin, l.At)
	known := slices.Contains(r.Domains, l.Domain) || slices.Contains(r.Visited, l.Domain)
	if l.Domain != "" && !known && len(r.Visited) < domain.MaxRecordDomains {
		r.Visited = append(slices.Clone(r.Visited), l.Domain)
	}
}
