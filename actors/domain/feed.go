package domain

// Listing says how a feed lists what its question matches.
type Listing struct {
	Every         bool   // every action; else of each member the latest
	Recorded      bool   // in order of recording; else of completion
	Up            bool   // the oldest first; ties are ordered by ID ascending in both directions
	Keyword       string // only what has it in a value of its content, in any case; empty: all
	Offset, Limit int
	After         *FeedAfter // rows after it; Offset is 0 beside it
}

// FeedAfter is the last row of a page of a feed: the next page has what comes after
// it.
type FeedAfter struct {
	At int64    // second of completion, or ms of recording in a listing of that order
	ID ActionID // of the action
}

// End is where the wanted rows end.
func (l *Listing) End() int { return l.Offset + l.Limit }

// Feed is actions in a feed's order: of a shard the first End of them, of a merged
// answer those from Offset on.
type Feed struct {
	Total uint64 // on all pages
	Ahead uint64 // of the items those not after Listing.After; not said where Limit is 0
	Items []FeedItem

	// HandedOver is another number after each handover of the account (Handover). By it rows have other
	// IDs, by which those of one time are listed, and are recorded again.
	HandedOver uint64
}

// FeedItem is an action in a feed.
type FeedItem struct {
	Row      Row // without Hash and Flags; Points are the segment's own where those count
	Member   MemberID
	Recorded int64 // ms since 1970; only in a listing in order of recording
}

// Shown is what a feed shows of an action beside its row.
type Shown struct {
	Content *Content     // nil: nothing is stored
	Member  *Member      // nil: there is no such member any more
	Place   VisitPlace   // of a visit
	Details VisitDetails // of a visit that the API has opened
}
