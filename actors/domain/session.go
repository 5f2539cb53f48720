package domain

import (
	"encoding/hex"
	"errors"
	"strconv"
)

// Role is what a person who is signed in to the console may do. The codes are in the log and in the store, fixed for
// ever.
type Role uint8

// The roles. Each of the first three may do what the one before it may.
const (
	RoleAnalyst   Role = iota + 1 // reads, without e-mails and tokens
	RoleEditor                    // writes, reads e-mails, exports and erases members
	RoleDeveloper                 // has the account's webhooks and its applications' allowlists
	RoleOperator                  // manages the installation, at the admin port alone
)

var roleNames = [...]string{"", "analyst", "editor", "developer", "operator"}

// String is the role's word.
func (r Role) String() string {
	if int(r) >= len(roleNames) || r == 0 {
		return "role " + strconv.Itoa(int(r))
	}
	return roleNames[r]
}

// ParseRole is the role of a word.
func ParseRole(word string) (Role, bool) {
	for r := RoleAnalyst; r <= RoleOperator; r++ {
		if roleNames[r] == word {
			return r, true
		}
	}
	return 0, false
}

const (
	// LinkLife is for how long a sign-in link may be taken, in ms.
	LinkLife = 10 * 60 * 1000
	// InvitationLife is LinkLife of an invitation.
	InvitationLife = 7 * 24 * 3600 * 1000
	// SessionIdle is after how long a session that was not renewed is over, in ms.
	SessionIdle = 30 * 24 * 3600 * 1000
	// MaxLinks is how many links of an account may wait to be taken.
	MaxLinks = 1000
	// MaxSessions is how many sessions of an account are not over at most.
	MaxSessions = 1000
)

// LinkHash is the SHA-256 of a sign-in link's token: the token itself is nowhere.
type LinkHash [32]byte

// Link is a sign-in link: who takes it within its time, once, has a session.
type Link struct {
	Hash        LinkHash
	Role        Role
	Account     AccountID     // 0: none, of an operator
	Application ApplicationID // whose plan the session has, and which its requests count for; 0 as Account
	Name        string        // of who is invited; may be empty
	Created     int64         // ms since 1970
	Expires     int64
	Taken       int64 // 0: not yet
}

// SessionID is the id of a session: 16 random bytes. It is no secret.
type SessionID [16]byte

// IsZero reports whether there is no id.
func (id SessionID) IsZero() bool { return id == SessionID{} }

// String is the id in 32 hex digits.
func (id SessionID) String() string { return hex.EncodeToString(id[:]) }

// ParseSessionID reads an id in 32 hex digits.
func ParseSessionID(s string) (id SessionID, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(id) {
		return SessionID{}, errors.New("a session's id has 32 hex digits")
	}
	copy(id[:], b)
	return id, nil
}

// MarshalText is the id in hex, for JSON.
func (id SessionID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads an id in hex.
func (id *SessionID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseSessionID(string(text))
	return err
}

// Session is a person who is signed in to the console.
type Session struct {
	ID          SessionID
	Role        Role
	Account     AccountID // as in Link
	Application ApplicationID
	Key         uint32 // that it began with, and that it ends with; 0: it began with a link
	Name        string
	Begun       int64 // ms since 1970
	Renewed     int64
	Ended       int64 // 0: it was not ended
}

// Over reports that the session was ended, or not renewed for so long that it is over at a time, ms since 1970.
func (s *Session) Over(at int64) bool { return s.Ended != 0 || at >= s.Renewed+SessionIdle }

// CreateLink makes a sign-in link. Without an application it is for that of the account whose plan is the highest.
type CreateLink struct {
	Hash        LinkHash
	Role        Role
	Account     AccountID
	Application ApplicationID
	Name        string
	Expires     int64 // ms since 1970
	At          int64
}

// Kind is KindCreateLink.
func (*CreateLink) Kind() Kind { return KindCreateLink }

// BeginSession begins a session with a link, which is taken by that, or with a key.
type BeginSession struct {
	ID   SessionID
	Link LinkHash // zero: with a key
	Key  uint32   // 0: with a link
	At   int64    // ms since 1970
}

// Kind is KindBeginSession.
func (*BeginSession) Kind() Kind { return KindBeginSession }

// RenewSession says that a session is in use.
type RenewSession struct {
	ID SessionID
	At int64 // ms since 1970
}

// Kind is KindRenewSession.
func (*RenewSession) Kind() Kind { return KindRenewSession }

// EndSession ends a session; without an id all of them.
type EndSession struct {
	ID SessionID
	At int64 // ms since 1970
}

// Kind is KindEndSession.
func (*EndSession) Kind() Kind { return KindEndSession }

// Forgotten is an entity that the catalog does not keep any more: its store deletes it.
type Forgotten struct{ Entity any }
