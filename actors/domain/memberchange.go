package domain

// UpdateMember changes a member's profile and some of its service records. It is made of the
// personal part that the member has, and taken only on that.
type UpdateMember struct {
	Member   MemberID     // its slot is the record's place
	Email    IdentityHash // pointer: of the profile's email as it becomes; zero: it has none
	Given    Fields       // what of the profile is given and not personal
	Records  []RecordUpdate
	Personal PersonalPut // the member's, with what is given
	At       int64       // ms since 1970
}

// Kind is KindUpdate.
func (*UpdateMember) Kind() Kind { return KindUpdate }

// RecordUpdate is what an update changes of one service record.
type RecordUpdate struct {
	ID       uint64
	Given    Fields       // what is given and not personal
	Login    IdentityHash // claim, of an email record: its new address; zero: it keeps the one it has
	Verified IdentityHash // claim: of the address that is verified on it; zero: it stays
	NoClaim  bool         // an address is verified on it that another member has the claim on: it has none
	Validity Validity
}

// Validity is whether a service still takes the token of a record.
type Validity uint8

// An update that is not about the token leaves it.
const (
	ValidityStays Validity = iota
	TokenValid
	TokenRefused
)

// RemoveService takes a service record from a member that has another one.
type RemoveService struct {
	Member   MemberID // its slot is the record's place
	Record   uint64
	Personal PersonalPut // the member's, without the record's
	At       int64       // ms since 1970
}

// Kind is KindRemoveService.
func (*RemoveService) Kind() Kind { return KindRemoveService }

// ResetPassword gives an address that a member logs in with another password, and the member
// another access token. A lock of the address ends.
type ResetPassword struct {
	Member    MemberID     // its slot is the record's place
	Address   IdentityHash // zero: of none, and no password
	Password  string       // hash in PHC format
	TokenHash [16]byte     // keyed hash of the access token's random bits
	Personal  PersonalPut  // the member's, with the access token
	At        int64        // ms since 1970
}

// Kind is KindResetPassword.
func (*ResetPassword) Kind() Kind { return KindResetPassword }
