package domain

import "crypto/sha256"

// Plan decides which operations an application may use and how often.
type Plan uint8

// Each plan holds what the one before has.
const (
	Standard Plan = iota + 1
	Advanced
	Enterprise
)

var planNames = [...]string{"", "standard", "advanced", "enterprise"}

// String is the plan's word.
func (p Plan) String() string {
	if int(p) >= len(planNames) {
		return ""
	}
	return planNames[p]
}

// ParsePlan reads a plan's word.
func ParsePlan(s string) (Plan, bool) {
	for i, n := range planNames[1:] {
		if n == s {
			return Plan(i + 1), true
		}
	}
	return 0, false
}

// Account owns brands, definitions, segments and members; no other account sees
// them.
type Account struct {
	ID      AccountID
	Name    string
	Created int64  // ms since 1970
	Limits  Limits // of its own; what is zero is its plan's
}

// Application acts for an account.
type Application struct {
	ID      ApplicationID
	Account AccountID
	Name    string
	Plan    Plan
	Created int64

	Domains   []string  // of the allowlist, ascending
	Addresses Addresses // of its pages
}

// KeyScope says what a key may do.
type KeyScope uint8

// A global key reads all of the account, a public one is for pages.
const (
	ScopeApplication KeyScope = iota + 1
	ScopeGlobal
	ScopePublic
)

var scopeNames = [...]string{"", "application", "global", "public"}

// String is the scope's word.
func (s KeyScope) String() string {
	if int(s) >= len(scopeNames) {
		return ""
	}
	return scopeNames[s]
}

// KeyPrefix begins every access key: in a header it tells a key from a member's token.
const KeyPrefix = "ov_"

// KeyHash is the SHA-256 of a key: the key itself is nowhere.
type KeyHash [32]byte

// HashOfKey is the hash by which the catalog keeps a key.
func HashOfKey(key string) KeyHash { return sha256.Sum256([]byte(key)) }

// Key is an access key of an application.
type Key struct {
	ID          uint32
	Hash        KeyHash
	Hint        string // its first characters, to tell keys apart in a list
	Application ApplicationID
	Account     AccountID
	Scope       KeyScope
	Created     int64
	Revoked     int64 // 0: in force
}

// Brand is an artist, a TV show and the like.
type Brand struct {
	ID      BrandID
	Account AccountID
	Dense   uint32 // its number within the account, in order of creation, from 1
	Fields  BrandFields
	Created int64
	Updated int64
	Deleted bool
}

// BrandFields are the values of a brand by the names of the contract's Brand
// object (Name, Type, Slug, SpotifyURL and so on); those without a value are not
// there.
type BrandFields map[string]string

// Name is the brand's name.
func (b *Brand) Name() string { return b.Fields["Name"] }

// Definition is an activity definition: what can be done. Its Name may hold
// {brand}.
type Definition struct {
	ID        DefinitionID
	Account   AccountID
	Brand     BrandID // 0: any brand
	Name      string
	ShortName string
	Type      string
	Service   Service
	Former    []Service // services it had before: of those are actions recorded then
	Value     uint16
	OneTime   bool // fixed from the beginning
	Category  string
	Link      string
	Media     string
	Created   int64
	Updated   int64
	Deleted   bool
}

// Layout is the first record of a catalog: what never changes in an installation.
type Layout struct {
	Shards  int
	Journal TopicID
	Source  TopicID  // the public topic as it was then; zero: not noted
	Pepper  [16]byte // check value of the pepper
	Token   [16]byte // check value of the key of access tokens and cursors
	At      int64
}

// Kind is KindLayout.
func (*Layout) Kind() Kind { return KindLayout }

// CreateApplication makes an application, and its account where there is none of
// that name. Its Outcome has ID and, in Second, the account.
type CreateApplication struct {
	AccountName string
	Name        string
	Plan        Plan
	At          int64
}

// Kind is KindCreateApplication.
func (*CreateApplication) Kind() Kind { return KindCreateApplication }

// CreateKey adds a key to an application.
type CreateKey struct {
	Application ApplicationID
	Hash        KeyHash
	Hint        string
	Scope       KeyScope
	At          int64
}

// Kind is KindCreateKey.
func (*CreateKey) Kind() Kind { return KindCreateKey }

// RevokeKey ends a key.
type RevokeKey struct {
	ID uint32
	At int64
}

// Kind is KindRevokeKey.
func (*RevokeKey) Kind() Kind { return KindRevokeKey }

// PutBrand creates a brand (ID 0) or overwrites what is given of one; an empty
// value clears. A slug that another brand of the account has is a conflict.
type PutBrand struct {
	ID    BrandID
	Given BrandFields
	At    int64
}

// Kind is KindPutBrand.
func (*PutBrand) Kind() Kind { return KindPutBrand }

// DeleteBrand deletes a brand; definitions and segments of it are in the way
// unless Force takes them too.
type DeleteBrand struct {
	ID    BrandID
	Force bool
	At    int64
}

// Kind is KindDeleteBrand.
func (*DeleteBrand) Kind() Kind { return KindDeleteBrand }

// PutDefinition creates a definition (ID 0) or overwrites what is given of one:
// the fields whose names are in Given, in the contract's spelling.
type PutDefinition struct {
	Definition Definition
	Given      []string
	At         int64
}

// Kind is KindPutDefinition.
func (*PutDefinition) Kind() Kind { return KindPutDefinition }

// DeleteDefinition deletes a definition; its actions stay.
type DeleteDefinition struct {
	ID DefinitionID
	At int64
}

// Kind is KindDeleteDefinition.
func (*DeleteDefinition) Kind() Kind { return KindDeleteDefinition }

// SetAside makes a dead letter of a record of the journal on which Apply fails, in every
// replica and every replay. Topic and epoch tell the record from another one at its place,
// of a topic that was made again or of a partition that was cut and has grown again.
type SetAside struct {
	Topic     TopicID
	Partition int
	Offset    int64
	Epoch     int32 // leader epoch of the record's batch
	At        int64
}

// Kind is KindSetAside.
func (*SetAside) Kind() Kind { return KindSetAside }

// AcceptGap is an operator's word on a gap: a reader of the topic's partition that meets
// a gap at From, after a batch of the epoch given, reads on at To of NewTopic.
type AcceptGap struct {
	Topic     TopicID
	Partition int
	From      int64
	Epoch     int32 // leader epoch of the batch before From; below zero: any
	NewTopic  TopicID
	To        int64
	At        int64
}

// AcceptedGap is a word as the catalog keeps it.
type AcceptedGap struct {
	AcceptGap
	Offset int64 // of the record that brought it: words are in this order
}

// Back reports that records at and above To were read before, from this topic or from
// another: what they did to the reader's state is not in the log that is read on.
func (w *AcceptGap) Back() bool { return w.NewTopic != w.Topic || w.To <= w.From }

// Kind is KindAcceptGap.
func (*AcceptGap) Kind() Kind { return KindAcceptGap }
