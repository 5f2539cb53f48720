package domain

// Kind says what a journal record is. The codes are in the log, fixed for ever.
type Kind uint8

// Kinds of the journal; those of the catalog start at 64.
const (
	KindActivity  Kind = 1  // an activity, from a collector or over HTTP
	KindForward   Kind = 2  // an activity for a member of this shard, from another shard's outbox
	KindRegister  Kind = 3  // register a member, or meet one again
	KindClaim     Kind = 4  // one step of claiming an identity for a member
	KindUsage     Kind = 5  // hits of an application in an hour, as one node counted them
	KindPublished Kind = 6  // outbox entries up to here are in their logs
	KindTick      Kind = 7  // nothing but the log's time, for an idle shard
	KindExpire    Kind = 8  // a month is dropped
	KindRules     Kind = 9  // from here on rules n
	KindAttach    Kind = 10 // attach a service to a member, or update it
	KindOptIn     Kind = 11 // opt a member in
	KindOptOut    Kind = 12 // opt a member out
	KindDelete    Kind = 13 // delete an action
	KindLogin     Kind = 14 // log a member in
	KindUpdate    Kind = 15 // change a member

	KindRemoveService Kind = 16 // take a service record from a member
	KindResetPassword Kind = 17 // give a member another password
	KindEraseMember   Kind = 18 // erase a member
	KindMerge         Kind = 19 // merge a member into another
	KindUnmerge       Kind = 20 // take such a merge back
	KindLend          Kind = 21 // one step between the shards of two members that merge
	KindDelivered     Kind = 22 // how far the events of a webhook came
	KindFollowList    Kind = 23 // keep who comes onto the list of a segment, and who leaves it

	KindLayout            Kind = 64
	KindCreateApplication Kind = 65
	KindCreateKey         Kind = 66
	KindRevokeKey         Kind = 67
	KindPutBrand          Kind = 68
	KindDeleteBrand       Kind = 69
	KindPutDefinition     Kind = 70
	KindDeleteDefinition  Kind = 71
	KindSetAside          Kind = 72
	KindAcceptGap         Kind = 73
	KindPutSegment        Kind = 74
	KindDeleteSegment     Kind = 75
	KindPutSlotKeys       Kind = 80
	KindAllowDomain       Kind = 84
	KindUnallowDomain     Kind = 85
	KindEditApplication   Kind = 86
	KindAddSigningKey     Kind = 87
	KindPutPlan           Kind = 88
	KindPutLimits         Kind = 89
	KindNodeUp            Kind = 90
	KindNodeGone          Kind = 91
	KindPutWebhook        Kind = 92
	KindDeleteWebhook     Kind = 93
	KindCreateLink        Kind = 94
	KindBeginSession      Kind = 95
	KindRenewSession      Kind = 96
	KindEndSession        Kind = 97
	KindNoteDeed          Kind = 98
	KindFollowSegment     Kind = 99

	// KindForeign is a value of another program, as a reader of the journal or of the
	// catalog gives it: Origin is its own place. No record of a log has the code.
	KindForeign Kind = 255
)

// RulesVersion is the newest version of Apply that this binary knows: it knows all before it. A
// partition is applied by FirstRules until a Rules record in it names a later version, whatever binary
// applies it.
const (
	FirstRules   = 1
	RulesVersion = 1
)

// Record is one record of the journal or of the catalog. Offset, Time and Epoch are the
// log's, everything else is in the bytes.
//
// Strings of a record that was read from the log share the page's memory: they
// are valid as long as the page, and copied to be kept.
type Record struct {
	Offset int64 // in its partition
	Time   int64 // ms since 1970: the broker's clock at the append
	Epoch  int32 // leader epoch of its batch

	Kind        Kind
	Account     AccountID
	Application ApplicationID // whose key the command came with
	Origin      Origin        // of a record that came from a log
	Request     RequestID     // of a command over HTTP
	BodyHash    uint64        // tells a repeat of a request from a misuse of its id
	Nonce       Nonce         // of the submission that the request came by
	Until       int64         // ms since 1970: appended after it, by the log's clock, the record is void; 0: it never is

	Activity Activity // kinds Activity and Forward
	Command  Command  // all other kinds
}

// AskedBy is the request that waits for the record.
func (r *Record) AskedBy() RequestID {
	if !r.Activity.Asked.IsZero() {
		return r.Activity.Asked
	}
	if c, ok := r.Command.(*AttachService); ok && !c.Asked.IsZero() {
		return c.Asked
	}
	return r.Request
}

// IsVoid reports that the record came into its log after its time: the submitter had been refused by then, and
// newer commands may stand before it. It changes nothing and is not remembered.
func (r *Record) IsVoid() bool { return r.Until != 0 && r.Time > r.Until }

// Activity is what a collector published, as the router passes it on:
// addressed, stamped with what the catalog said, or refused.
type Activity struct {
	Member   MemberID     // the address: a member,
	Identity IdentityHash // or an identity; both zero: none

	Definition DefinitionID
	Brand      BrandID
	Service    Service
	Points     uint16
	OneTime    bool

	Time      int64 // seconds since 1970, as given; may be before 1970
	Defaulted bool  // no time was given: the log's is taken
	Hash      uint64
	Content   Content // Recorded is filled in when applied

	// Received is when the activity was first refused, in ms since 1970, of one that a dead letter was replayed
	// as; 0: it is no replay. It is judged as of then: by who was a member, and what the log's time was.
	Received int64

	Refusal Reason // the router's verdict; Accepted: none
	Detail  string // of the refusal

	Raw   string    // what came over HTTP, for a dead letter; empty for a record from a log
	Cause Origin    // of a forward: where the activity came from, for a dead letter
	Asked RequestID // of a forward: the request that waits for it
}

// Reset empties r, so that its memory can be used again.
func (r *Record) Reset() { *r = Record{} }
