package domain

import "slices"

// Field is a field of a member's profile or of a service record. The codes are in
// the journal and in the store, fixed for ever.
type Field uint8

// Fields of a profile.
const (
	FirstName Field = iota + 1
	Surname
	Username
	EmailAddress
	Gender // M, F or Other
	Bio
	City
	Region  // as given
	Country // alpha-2, upper case
	PostCode
	AvatarURL
	Birthdate // YYYY-MM-DD
	GeoCountry
	GeoRegion
	GeoCity
	GeoLat
	GeoLong
	Address
	AddressLine2
	HomePhone
	MobilePhone
	Website
	VerifiedEmail // verified last, as given
	Extended      // the node that updates merged, as JSON
)

// Fields of a service record.
const (
	RecordUsername Field = iota + 64
	RecordURL
	RecordToken
	RecordSecret
	RecordExpires
	RecordPaid    // 1 or 0
	RecordSharing // 1 or 0
	RecordFollowers
	RecordLikes
	RecordVerifiedEmail // as given
	RecordImportedHash  // of a password: the bcrypt hash that it was imported with
	RecordVerifiedAt    // of RecordVerifiedEmail: ms since 1970
)

// FieldValue is a field and what it holds.
type FieldValue struct {
	Field Field
	Value string
}

// Fields are the fields given, in ascending order, each at most once. An empty
// value clears.
type Fields []FieldValue

// Get is the value of a field; empty when it is not there.
func (f Fields) Get(field Field) string {
	for _, v := range f {
		if v.Field == field {
			return v.Value
		}
	}
	return ""
}

// With is f with the fields of g over it; empty values are left out. Neither is
// changed.
func (f Fields) With(g Fields) Fields {
	out := make(Fields, 0, len(f)+len(g))
	for len(f) > 0 || len(g) > 0 {
		var v FieldValue
		switch {
		case len(g) == 0 || len(f) > 0 && f[0].Field < g[0].Field:
			v, f = f[0], f[1:]
		case len(f) > 0 && f[0].Field == g[0].Field:
			v, f, g = g[0], f[1:], g[1:]
		default:
			v, g = g[0], g[1:]
		}
		if v.Value != "" {
			out = append(out, v)
		}
	}
	return out
}

// MemberState is how far a member has come.
type MemberState uint8

// A pending member waits for a claim of its registration: it is in no answer, and
// its actions apply. A refused one never came to be. Of an erased one its id, its place and the
// time of its erasure (Updated) are kept. A shadow is no member: it has the copies of rows of one
// that is merged into another (merge.go).
const (
	MemberActive MemberState = iota + 1
	MemberPending
	MemberRefused
	MemberErased
	MemberShadow
)

// Member is a member as its shard keeps it, or as the API has opened it (Opened).
type Member struct {
	ID          MemberID
	Account     AccountID
	Ord         Ordinal
	Application ApplicationID // it registered with
	State       MemberState
	Created     int64 // ms since 1970
	UUID        [16]byte
	TokenRandom [10]byte // of an opened member
	TokenHash   [16]byte
	TokenMade   int64           // seconds since 1970
	Profile     Fields          // in clear; of an opened member all
	Services    []ServiceRecord // by ID
	Personal    PersonalPart
	Updated     int64           // of the last update, ms since 1970
	Removed     []RemovedRecord // as they were removed

	// Most members have none of these.
	Email     IdentityHash          // pointer: of the profile's email
	Passwords []Password            // of the addresses it logs in with
	Opts      []OptState            // by (kind, id)
	Pending   []PendingRegistration // some of whose claims are not answered
	Absorbed  []Absorbed            // members that are merged into it, in the order of the merges
	Lent      *Loan                 // to the member that it is merged into; nil: it is not

	// HandedOver is when rows last changed hands between it and another member (Handover); it rises each time.
	HandedOver Second
}

// LastLogin is the latest login, on any service, in ms since 1970; a registration is
// one. 0: none.
func (m *Member) LastLogin() (at int64) {
	for i := range m.Services {
		at = max(at, m.Services[i].LastLogin)
	}
	return at
}

// TokensFrom is the earliest iat, in seconds since 1970, of a jwt that was made under the member's present
// access token. A jwt of the second in which a reset replaced the one before may be older than the reset:
// that second is not in it. The first access token replaced none.
func (m *Member) TokensFrom() int64 {
	if m.TokenMade == m.Created/1000 {
		return m.TokenMade
	}
	return m.TokenMade + 1
}

// Changed is when a record last changed what answers show of the member, in ms since
// 1970: its services, its profile or its opt-ins.
func (m *Member) Changed() int64 {
	at := max(m.Created, m.Updated)
	for i := range m.Services {
		at = max(at, m.Services[i].Updated, m.Services[i].LastLogin)
	}
	for i := range m.Opts {
		at = max(at, m.Opts[i].At)
	}
	return at
}

// Password returns the password of a login email; empty: none.
func (m *Member) Password(address IdentityHash) string {
	for i := range m.Passwords {
		if m.Passwords[i].Address == address {
			return m.Passwords[i].Hash
		}
	}
	return ""
}

// Password is what a member logs in with by one address.
type Password struct {
	Address IdentityHash
	Hash    string  // in PHC format
	Wrong   []int64 // when wrong ones were given lately, the log's ms since 1970
	Locked  int64   // until then none is looked at
}

// OptState is the state of a member's opt-in.
type OptState struct {
	Opt
	In     bool  // opted in, and not out since
	Out    bool  // opted out, and not in since, nor put on the list
	Listed bool  // of a segment: put on its list, and not opted out since
	At     int64 // of the last change, ms since 1970
}

// Parked is an activity of a pending member. It is kept apart from the member's record,
// under a number that counts by 1 within the member in the order of the journal.
type Parked struct {
	Account  AccountID
	Ord      Ordinal
	Number   uint32
	Activity Activity
	Origin   Origin
	Request  RequestID
	BodyHash uint64
	Nonce    Nonce
	Time     int64 // the log's, ms since 1970
}

// PendingRegistration is a registration, an attachment or an update that waits for claims on
// identities of other shards. Until all are granted it changes nothing.
type PendingRegistration struct {
	Ticket   uint64 // tells it from the member's others
	Asked    RequestID
	Register RegisterMember
	Update   *UpdateMember // of an update, whose Register is empty
	Claims   []PendingClaim
}

// Personal is the personal part that it puts.
func (p *PendingRegistration) Personal() *PersonalPut {
	if p.Update != nil {
		return &p.Update.Personal
	}
	return &p.Register.Personal
}

// PendingClaim is a claim of a pending registration.
type PendingClaim struct {
	Identity IdentityHash
	Type     IdentityKind
	Granted  bool
}

// ServiceRecord is a member's account on a network, of one application.
type ServiceRecord struct {
	ID          uint64
	Application ApplicationID
	Service     Service
	UID         string       // of an opened member
	Identity    IdentityHash // of service and uid, or of the login email
	Partner     IdentityHash // of PartnerCode and PartnerID
	Verified    IdentityHash // of the address that is verified on it
	Username    IdentityHash // pointer: of service and username
	Fields      Fields       // RecordPaid and so on, in clear; of an opened member all
	PartnerCode string
	PartnerID   string   // of an opened member
	Domains     []string // of registrations, as they came: MaxRecordDomains, later ones are not kept
	Visited     []string // of logins, where no registration came from: likewise
	Created     int64    // ms since 1970
	Updated     int64
	LastLogin   int64
	Invalid     bool // a token refresh was refused
}

// MaxRecordDomains is how many domains a service record keeps of registrations, and of logins. A client with
// a password can invent them, and each is in the member's record, which is stored whole with each change, and
// those of registrations in a bitmap of their own.
const MaxRecordDomains = 100

// RegisteredOn reports that some registration of the member came from the domain.
func (m *Member) RegisteredOn(site string) bool {
	return slices.ContainsFunc(m.Services, func(r ServiceRecord) bool { return slices.Contains(r.Domains, site) })
}

// RemovedRecord is a service record that the member had: its signup counts, and is not valid.
type RemovedRecord struct {
	ID      uint64
	Service Service
}

// Paid reports a paid account on the network.
func (s *ServiceRecord) Paid() bool { return s.Fields.Get(RecordPaid) == "1" }

// Sharing reports that activities of the service are taken. Enabled is the
// default.
func (s *ServiceRecord) Sharing() bool { return s.Fields.Get(RecordSharing) != "0" }
