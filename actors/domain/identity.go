package domain

import "encoding/hex"

// IdentityKind says what an identity is made of. The codes are part of the hash,
// fixed for ever.
type IdentityKind uint8

// Claims name one member; pointers may name many, of which the earliest answers.
const (
	NoIdentity      IdentityKind = iota
	ByService                    // claim: service and uid
	ByPartner                    // claim: partner code and id
	ByLogin                      // claim: login email
	ByVerifiedEmail              // claim: verified email
	ByEmail                      // pointer: profile email
	ByUsername                   // pointer: service and username
	ByDataKey                    // of no member: a registration came with this data key
)

// IdentityHash is the first half of an HMAC-SHA-256 of (account, kind, canonical
// form) under the installation's pepper. Its first 12 bits are its slot.
type IdentityHash [16]byte

// IsZero reports that no identity is given.
func (h IdentityHash) IsZero() bool { return h == IdentityHash{} }

// Slot is where the identity lives.
func (h IdentityHash) Slot() Slot { return Slot(h[0])<<4 | Slot(h[1])>>4 }

// String is the hash in hex.
func (h IdentityHash) String() string { return hex.EncodeToString(h[:]) }

// ClaimState is how far a claim has come.
type ClaimState uint8

// Pending claims answer no look-up by strangers: the member is being registered.
const (
	Held ClaimState = iota + 1
	Pending
)

// Pointer reports that an identity of the kind may name many members.
func (k IdentityKind) Pointer() bool { return k == ByEmail || k == ByUsername }

// Pointer is one member of those that an identity points to. The one created first
// answers, of several the one with the lowest id.
type Pointer struct {
	Hash    IdentityHash
	Member  MemberID
	Created int64 // ms since 1970: when the member was
}

// Identity is a claim as its shard holds it: who has it.
type Identity struct {
	Hash   IdentityHash
	Kind   IdentityKind
	State  ClaimState
	Member MemberID
}

// Addressee is the member that an activity is addressed to: by its id, or by an identity that it has.
type Addressee struct {
	Member   MemberID
	Identity IdentityHash // looked at without Member
}

// Slot is that of the member, else of the identity.
func (a Addressee) Slot() Slot {
	if a.Member != 0 {
		return a.Member.Slot()
	}
	return a.Identity.Slot()
}

// Name is an identity that a member may have.
type Name struct {
	Kind IdentityKind
	Hash IdentityHash
}
