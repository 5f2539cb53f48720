package domain

// Removal says that an action is no more that streams may have sent, or that a member is erased. It takes the next sequence
// of its shard, as an action does, so a stream's cursor places it among the actions.
//
// Of a member who is erased there is one, whatever it did. An action that another one of its one-time pair took the place
// of has none, since streams send each of them.
type Removal struct {
	Seq        uint64
	Account    AccountID
	Kind       EventKind // EventRemoved or EventErased
	Member     MemberID  // who is erased, or has the action; of a copy whose rows it counts with
	Action     ActionID  // of EventRemoved, as feeds show it
	Brand      BrandID   // likewise, as what follows
	Definition DefinitionID
	Service    Service
	Copied     bool  // it is of a copy: the action was recorded in another shard, which has a Removal of its own
	At         int64 // the shard's clock, ms since 1970
}
