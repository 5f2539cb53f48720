package member

import (
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// So many wrong passwords within so many ms lock an address for as long.
const (
	maxWrong    = 10
	wrongWithin = 15 * 60 * 1000
)

// Guess is what became of a password that was given.
type Guess uint8

// A password that was hashed under another salt than the one in use says nothing:
// it must be hashed again.
const (
	GuessRight Guess = iota
	GuessWrong
	GuessLocked
	GuessStale
)

// Guess compares the password of a registration by email with the address's, at the
// log's time (ms since 1970); the right one for an address that has none. A wrong one
// is noted. RetryAfter is how many seconds a lock still lasts.
func (s *State) Guess(
	dst []domain.Change, c *domain.RegisterMember, now int64,
) (_ []domain.Change, g Guess, retryAfter uint32) {
	at := slices.IndexFunc(s.Member.Passwords, func(p domain.Password) bool { return p.Address == c.Identity })
	if c.Service != domain.Email || at < 0 {
		return dst, GuessRight, 0
	}
	p := s.Member.Passwords[at]
	switch {
	case now < p.Locked:
		return dst, GuessLocked, uint32((p.Locked - now + 999) / 1000)
	case p.Hash == c.Password:
		return dst, GuessRight, 0
	case salted(p.Hash) != salted(c.Password):
		return dst, GuessStale, 0
	}
	p.Wrong = slices.DeleteFunc(slices.Clone(p.Wrong), func(t int64) bool { return t <= now-wrongWithin })
	if p.Wrong = append(p.Wrong, now); len(p.Wrong) >= maxWrong {
		p.Wrong, p.Locked = nil, now+wrongWithin
	}
	return s.change(dst, func(m *domain.Member) {
		m.Passwords = slices.Clone(m.Passwords)
		m.Passwords[at] = p
	}), GuessWrong, 0
}

// salted is a hash in PHC format up to its last part: algorithm, parameters and salt.
func salted(phc string) string { return phc[:strings.LastIndexByte(phc, '$')+1] }

// replacePassword gives an address another password, which no wrong one was given for.
func replacePassword(m *domain.Member, address domain.IdentityHash, hash string) {
	m.Passwords = slices.DeleteFunc(slices.Clone(m.Passwords), func(p domain.Password) bool { return p.Address == address })
	m.Passwords = append(m.Passwords, domain.Password{Address: address, Hash: hash})
}
