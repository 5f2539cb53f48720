package domain

// Command is what a record of a kind other than Activity and Forward carries.
// Everything random, hashed or read from a clock is made before the append, so
// that applying it is a function of the record and the state (I6).
type Command interface{ Kind() Kind }

// RegisterMember registers a member by a service record, or meets one again: what
// is given overwrites.
type RegisterMember struct {
	Application ApplicationID
	Identity    IdentityHash // of service and uid, or of the login email: its slot is the record's place
	Service     Service

	Partner     IdentityHash // of PartnerCode and the partner's id; zero: the record has none
	PartnerCode string
	Email       IdentityHash // pointer: of the profile's email; zero: it has none
	Username    IdentityHash // pointer: of service and username; zero: the record has none

	Personal PersonalPut // the member's, with what is given
	Given    Fields      // what of the profile is given and not personal
	Record   Fields      // what of the service record is given and not personal
	Domain   string      // canonical; empty: none given
	Password string      // of Email: hash in PHC format, under the salt in use where one is
	Segment  SegmentID   // whose list the member is put on; 0: none

	At        int64    // ms since 1970
	UUID      [16]byte // for a member that is new
	TokenHash [16]byte // keyed hash of the access token's random bits
	Visit     Visit    // that the registration is
}

// Kind is KindRegister.
func (*RegisterMember) Kind() Kind { return KindRegister }

// Claims is the kind of Identity.
func (c *RegisterMember) Claims() IdentityKind {
	if c.Service == Email {
		return ByLogin
	}
	return ByService
}

// AttachService attaches a service record to a member, or updates the one it has.
// UUID and token of Register are not looked at.
type AttachService struct {
	Member   MemberID // its slot is the record's place
	Register RegisterMember
	Met      bool      // a registration matched an identity of another shard: valid while the member has it
	Asked    RequestID // of one that was passed on: the request that waits for it
}

// Kind is KindAttach.
func (*AttachService) Kind() Kind { return KindAttach }

// LogIn logs a member in by a service record.
type LogIn struct {
	Member      MemberID // its slot is the record's place; 0: no member has the identity, whose slot it is
	Application ApplicationID
	Identity    IdentityHash // of the service record
	Service     Service
	Password    string      // of Email: hash in PHC format, under the salt in use
	Rehash      string      // of Email: what replaces that hash if it is right; empty: it stays
	Personal    PersonalPut // the member's, with what is given; without a key nothing is
	Renewed     bool        // token or secret of the service record are others than before
	Given       Fields      // fields of the profile that are given and not personal
	Domain      string      // canonical; empty: none given
	Strict      bool        // the member must have registered on Domain
	At          int64       // ms since 1970
	Visit       Visit
}

// Kind is KindLogin.
func (*LogIn) Kind() Kind { return KindLogin }

// Opt is what a member can opt in to.
type Opt struct {
	Kind OptKind
	ID   uint32 // of the brand or segment
}

// Value is the opt as the value of an attribute.
func (o Opt) Value() string { return OptValue(o.Kind, o.ID) }

// OptIn opts a member in.
type OptIn struct {
	Member MemberID // its slot is the record's place
	Opt    Opt
	At     int64 // ms since 1970
}

// Kind is KindOptIn.
func (*OptIn) Kind() Kind { return KindOptIn }

// OptOut opts a member out.
type OptOut struct {
	Member MemberID // its slot is the record's place
	Opt    Opt
	At     int64 // ms since 1970
}

// Kind is KindOptOut.
func (*OptOut) Kind() Kind { return KindOptOut }

// DeleteAction takes an action of a member out of everything that counts or shows it,
// for ever: a repeat of it changes nothing.
type DeleteAction struct {
	Member MemberID // its slot is the record's place
	Action ActionID
}

// Kind is KindDelete.
func (*DeleteAction) Kind() Kind { return KindDelete }

// EraseMember erases a member, for ever: what it is, what it did and what it logs in with.
type EraseMember struct {
	Member MemberID // its slot is the record's place
	At     int64    // ms since 1970
	GoneBy int64    // ms since 1970: when the last bytes of it are gone; 0: that is not known
}

// Kind is KindEraseMember.
func (*EraseMember) Kind() Kind { return KindEraseMember }

// ClaimStep is one of the messages about an identity.
type ClaimStep uint8

// Ask goes to the identity's shard; Granted or Taken come back; Release drops the claim.
// Point and Unpoint change a pointer in its shard, without a reply.
const (
	ClaimAsk ClaimStep = iota + 1
	ClaimGranted
	ClaimTaken
	ClaimRelease
	ClaimPoint
	ClaimUnpoint
)

// Claim is one step of claiming an identity for a member of another shard, or of
// pointing one at it.
type Claim struct {
	Step     ClaimStep
	Identity IdentityHash
	Type     IdentityKind
	Member   MemberID
	Asked    RequestID // the request that waits for it
	Ticket   uint64    // which registration of the member's it is for
	Created  int64     // of a pointer: when the member was, ms since 1970
}

// Kind is KindClaim.
func (*Claim) Kind() Kind { return KindClaim }

// Usage is how many hits one node counted for an application in an hour. The
// greatest total of an incarnation counts, so a repeat changes nothing.
type Usage struct {
	Application ApplicationID
	Hour        uint32 // hours since 1970
	Incarnation uint64
	Total       uint64
	Taken       uint64 // those that took a token of the account's rate; not stored
}

// Kind is KindUsage.
func (*Usage) Kind() Kind { return KindUsage }

// Published says that the outbox entries up to UpTo, dead letters up to DeadUpTo and
// tombstones of data keys up to KeysUpTo are in their logs. Node and Kinds tell the other nodes which one is at work,
// and change no state.
type Published struct {
	UpTo      uint64
	DeadUpTo  uint64
	KeysUpTo  uint64
	Partition uint32 // of the journal: the record's place
	Node      NodeID // that published; zero: it is not listed
	Kinds     uint32 // that the node publishes: bit k for OutboxKind k
}

// Cursors are how far each kind of entries is published.
func (p *Published) Cursors() [OutboxKinds]uint64 {
	return [OutboxKinds]uint64{OutboxForwards: p.UpTo, OutboxLetters: p.DeadUpTo, OutboxKeys: p.KeysUpTo}
}

// PublishedUpTo says that each kind is published up to its cursor.
func PublishedUpTo(c [OutboxKinds]uint64) Published {
	return Published{UpTo: c[OutboxForwards], DeadUpTo: c[OutboxLetters], KeysUpTo: c[OutboxKeys]}
}

// Kind is KindPublished.
func (*Published) Kind() Kind { return KindPublished }

// Tick keeps an idle shard's clock going, by the time that the log gives its record. Hour
// is what the node that appended it took for the time, and decides nothing.
type Tick struct {
	Hour      uint32
	Partition uint32 // of the journal: the record's place
}

// Kind is KindTick.
func (*Tick) Kind() Kind { return KindTick }

// Expire drops the months before Month.
type Expire struct {
	Month     Month
	Partition uint32 // of the journal: the record's place
}

// Kind is KindExpire.
func (*Expire) Kind() Kind { return KindExpire }

// Rules is the version of Apply from this record on; one that is not above the version before it changes nothing.
type Rules struct {
	Version   uint16
	Partition uint32 // of the journal: the record's place
}

// Kind is KindRules.
func (*Rules) Kind() Kind { return KindRules }

// Outcome is what became of a command: what its request id is remembered with for
// 24 hours. It holds ids, not what they identify: an answer is rendered from
// the state of now.
type Outcome struct {
	Code      Code // OK, or the error
	Parameter string
	Message   string

	Member MemberID
	Row    Row    // the action recorded, or the one there is; zero: none
	ID     uint32 // of an account, application, brand, definition, segment or webhook
	Second uint32 // of a created application: its account
	New    bool   // the member, the action or the entity came into being by it

	Again      bool   // nothing was decided: what the command was made of has changed since, make it again
	RetryAfter uint32 // of Locked: seconds until a password is looked at again

	ErasedAt   int64 // of an erasure: ms since 1970
	ErasedNext int64 // of an erasure: the offset after its record
	GoneBy     int64 // of an erasure: that of its command

	MovedTo  int      // 1 + the shard that will have the last word; 0: this is it
	Replayed bool     // another submission brought the request first: this is its outcome
	Position Position // where it is visible
}

// Err is the outcome's error, nil when there is none.
func (o *Outcome) Err() error {
	if o.Code == OK {
		return nil
	}
	return &Error{Code: o.Code, Parameter: o.Parameter, Message: o.Message}
}

// Result is what came of one submission of several: Err, or the Outcome.
type Result struct {
	Outcome Outcome
	Err     error
}

// Submission is a command on its way to the one who applies it: the shard of Slot,
// or the catalog. Command or Activity is set.
type Submission struct {
	Account     AccountID
	Application ApplicationID
	Request     RequestID
	BodyHash    uint64
	Slot        Slot // where it is applied; a catalog command has none
	Command     Command
	Activity    *Activity
	Durable     bool // answer once it is in the log: the outcome has only its position
}

// Nonce tells one submission of a request from another: random, and the same in each copy of the record that the
// submission appends. A log may have several copies, so no place in it tells whose record came first.
type Nonce uint64

// Request is a remembered request id.
type Request struct {
	ID       RequestID
	Day      uint32 // of the shard's clock, days since 1970
	BodyHash uint64
	Nonce    Nonce   // of its first record
	Pending  bool    // a step of it is still on its way: there is no outcome yet
	Outcome  Outcome // without Replayed and Position
}

// Failed is the outcome of a request that was refused.
func Failed(e *Error) Outcome {
	return Outcome{Code: e.Code, Parameter: e.Parameter, Message: e.Message}
}
