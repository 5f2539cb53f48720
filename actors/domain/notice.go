package domain

// Notice is what streams tell beside actions: that one that they may have sent is no more, that a member is erased, was merged
// into another one, or was parted from it. It takes the next sequence of its shard, as an action does, so a stream's cursor
// places it among the actions.
//
// Of a member who is erased there is one, whatever it did. An action that another one of its one-time pair took the place
// of has none, since streams send each of them. Of a merge, and of its end, the shard of the borrower has one.
type Notice struct {
	Seq        uint64
	Account    AccountID
	Kind       EventKind // EventRemoved, EventErased, EventMerged or EventUnmerged
	Member     MemberID  // who is erased, has the action, or has the other one merged into it; of a copy whose rows it counts with
	Other      MemberID  // of EventMerged and EventUnmerged: who was merged into Member
	Action     ActionID  // of EventRemoved, as feeds show it
	Brand      BrandID   // likewise, as what follows
	Definition DefinitionID
	Service    Service
	Copied     bool  // it is of a copy: the action was recorded in another shard, which has a Notice of its own
	At         int64 // the shard's clock, ms since 1970
}
