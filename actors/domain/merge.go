package domain

// A merge of member B into member A copies B's rows to a shadow in A's shard, where they count
// as A's from the handover on. B's own rows, record and identities stay where they are: what is
// addressed to B goes on to be applied there, counts nowhere, and is passed on to the shadow. So
// taking a merge back is: the shadow ends, B's rows count again.
//
//	A's shard                              B's shard
//	MergeMembers ── LendAsk ─────────────► B lends, unless it lends or absorbs already
//	shadow       ◄─ LendRows … LendRows ── copies, some at a time; LendNext asks for more
//	             ◄─ LendRows, Last ─────── handover: B counts no more, from this commit on
//	the shadow counts as A
//	             ◄─ LendRows ───────────── what changed at B since
//	UnmergeMember ─ LendReturn ──────────► B counts again
//	the shadow ends
//
// Handovers and returns between two shards are counted by both (Handover): an answer is made of
// views that agree.

// MergeMembers merges a member into another.
type MergeMembers struct {
	Member MemberID // that stays; its slot is the record's place
	From   MemberID // that is merged into it
	Denied bool     // it is refused, unless its request is known: then it has the outcome of that
}

// ErrMergeDenied is the error where the token is not that of the member that is to be merged.
var ErrMergeDenied = Bad(WrongPassword, "accesstoken", "accesstoken is not that of the member that from names")

// DeepestMerge is how many merges one chain has at most: of a member into another, of that one into a third,
// and so on. What changes at its lowest member is sent on once by each, and a wait follows it.
const DeepestMerge = 8

// Kind is KindMerge.
func (*MergeMembers) Kind() Kind { return KindMerge }

// UnmergeMember takes the merge of a member into another back.
type UnmergeMember struct {
	Member MemberID // that absorbed the other; its slot is the record's place
	From   MemberID // that was merged into it
}

// Kind is KindUnmerge.
func (*UnmergeMember) Kind() Kind { return KindUnmerge }

// LendStep is one of the messages between the shards of two members that merge.
type LendStep uint8

// Ask, Next and Return go to the lender's shard, the others come from there.
const (
	LendAsk     LendStep = iota + 1
	LendRefused          // the lender is not there, lends or absorbs already, is too deep, or its record is too large
	LendRows             // rows and the record as they are now
	LendNext             // the rows are stored: more of them
	LendReturn           // the merge is taken back
	LendErased           // the lender is erased
)

// Lend is one step of a merge.
type Lend struct {
	Step   LendStep
	Member MemberID // addressed: its slot is the record's place
	Other  MemberID
	Ticket uint64    // which merge of the two it is of
	Code   Code      // of a refusal
	Deep   bool      // of a refusal: the chain would have more merges than DeepestMerge
	Asked  RequestID // of a return: the request that waits for it

	Rows []LentRow
	Last bool // the handover: from here on the rows count at the borrower; of an erasure: it is sent again
	// Record is of the lender with those merged into it, as they are at the handover. Later it is of one of
	// them, with the records of those merged into that one only where the receiver does not know them. nil:
	// all are as before.
	Record *Member
}

// Kind is KindLend.
func (*Lend) Kind() Kind { return KindLend }

// LentRow is a row of a lender, or one that counts no more.
type LentRow struct {
	Row     Row  // as the lender has it; of a visit the definition without its place
	Taken   bool // it counts no more: the Flags say why
	Place   VisitPlace
	Content Content // Action is the row that this is a copy of; of one that counts no more there is nothing else
}

// Loan is what a member knows of its being merged into another.
type Loan struct {
	To     MemberID
	Ticket uint64
	Copied uint64 // rows with sequences up to here were sent
	Done   bool   // handed over: it counts nowhere, and its id stands for To
	Depth  uint8  // how many merges were below the member, one below the other, when it began
}

// Absorbed is what a member knows of one that is merged into it.
type Absorbed struct {
	Member MemberID
	Ticket uint64
	Asked  RequestID // the request that waits for the handover
	Done   bool      // handed over
	Record *Member   // the lender's record, from the handover on

	Signups []LentSignup // of its service records
}

// LentSignup is the copy of a signup, by the id of its service record.
type LentSignup struct {
	Record uint64
	Seq    uint64 // of the copy
}

// IsLent reports that the member counts nowhere: it is merged into another.
func (m *Member) IsLent() bool { return m.Lent != nil && m.Lent.Done }

// MergedMember is a member that was merged into another, which may itself be merged into a third.
type MergedMember struct{ Member, Into MemberID }

// Handover counts how often rows changed hands between a shard and another: what it has told the
// other, and what the other has told it.
type Handover struct {
	Shard    int
	Sent     uint64
	Received uint64
}

// JournalLost is the Shard of the only handover of a shard whose journal has lost records: its
// counts are not compared.
const JournalLost = -1

// CountedAs says as whose the rows of an ordinal count in memory from now on; what is stored stays.
type CountedAs struct {
	Account AccountID
	Ord     Ordinal
	As      Ordinal  // itself, or the member that it is a shadow for
	Hidden  bool     // they count nowhere
	Covered []uint64 // ascending sequences of those that count nowhere: one-time actions that another one precedes
	Rows    []Row    // those that may count otherwise than before
}
